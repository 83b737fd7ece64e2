import type { Memory } from '../../../client/client.ts';
import { parseTimestamp } from '../../../lib/clock.ts';

/** What happened to a memory. */
export type ChangeOfMemory = 'added' | 'corrected' | 'replaced';

/** The memories that changed within a week. */
export interface Week {
  /** A memory that was added and replaced within the week counts as both. */
  counts: Record<ChangeOfMemory, number>;
  /** By day in the reader's time zone, latest first. */
  days: { title: string; changes: { memory: Memory; change: ChangeOfMemory }[] }[];
}

const WEEK_MS = 7 * 86_400_000;

/** Sums up the memories that changed within 7 days. `memories` are in the order of their change, latest first. */
export function weekOf(memories: readonly Memory[], nowMs: number, formatDay: (epochMs: number) => string): Week {
  const week: Week = { counts: { added: 0, corrected: 0, replaced: 0 }, days: [] };
  for (const memory of memories) {
    const changedMs = parseTimestamp(memory.updatedAt) ?? 0;
    if (changedMs < nowMs - WEEK_MS) break;
    const change = changeOf(memory, nowMs - WEEK_MS);
    week.counts[change] += 1;
    if (change === 'replaced' && (parseTimestamp(memory.createdAt) ?? 0) >= nowMs - WEEK_MS) week.counts.added += 1;
    const title = formatDay(changedMs);
    const last = week.days.at(-1);
    if (last?.title === title) last.changes.push({ memory, change });
    else week.days.push({ title, changes: [{ memory, change }] });
  }
  return week;
}

/** A memory that was added within the week and corrected since was added. */
function changeOf({ validTo, version, createdAt }: Memory, sinceMs: number): ChangeOfMemory {
  if (validTo !== null) return 'replaced';
  return version > 1 && (parseTimestamp(createdAt) ?? 0) < sinceMs ? 'corrected' : 'added';
}
