import type { SearchResult } from '../../../client/client.ts';
import { parseTimestamp } from '../../../lib/clock.ts';

/** When a memory last changed, if that was after a time; undefined for other results, which never change. */
export function changedSince(result: SearchResult, at: string): string | undefined {
  if (result.type !== 'memory') return undefined;
  return (parseTimestamp(result.updatedAt) ?? 0) > (parseTimestamp(at) ?? 0) ? result.updatedAt : undefined;
}
