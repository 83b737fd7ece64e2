import { useEffect } from 'preact/hooks';
import type { MemoryStats } from '../../../client/client.ts';
import { onChanges } from '../../live.ts';
import { useResource } from '../../resource.ts';
import { currentSession } from '../../session.ts';
import { filterOf, isByChange, type ListState } from './list-state.ts';
import { forgets } from './memory-actions.ts';

/**
 * Counts the memories of the list for its facets, and over all time for its histogram. A list of changes, or of what was
 * known, has no histogram: its times are others. `isCurrent` says whether the counts are of what the list shows: they know
 * neither the words of a search nor memories that are about to be forgotten.
 */
export function useStats(state: ListState): {
  counts: MemoryStats | undefined;
  isCurrent: boolean;
  histogram: MemoryStats['histogram'] | undefined;
} {
  const { client } = currentSession();
  const isTimed = state.afterMs !== undefined || state.beforeMs !== undefined;
  const ofAllTime = { ...filterOf({ ...state, afterMs: undefined, beforeMs: undefined }) };
  const filter = filterOf(state);
  const load = (query: typeof filter) => async (signal: AbortSignal) => {
    const { done } = forgets.peek();
    return { stats: await client.memories.stats({ ...query, histogram: 'occurredAt' }, { signal }), done };
  };
  const all = useResource(JSON.stringify(ofAllTime), load(ofAllTime), { keepsPrevious: true });
  const timed = useResource(isTimed ? JSON.stringify(filter) : undefined, load(filter), { keepsPrevious: true });
  useEffect(
    () =>
      onChanges(['memory'], () => {
        all.reload();
        timed.reload();
      }),
    [all.reload, timed.reload],
  );
  const ofAll = all.state.value.value;
  const hasHistogram = state.asOfMs === undefined && !isByChange(state);
  const counted = isTimed ? (timed.state.value.value ?? ofAll) : ofAll;
  const { begun, done } = forgets.value;
  return {
    counts: counted?.stats,
    isCurrent: state.query === '' && begun === done && counted?.done === done,
    histogram: hasHistogram ? ofAll?.stats.histogram : undefined,
  };
}
