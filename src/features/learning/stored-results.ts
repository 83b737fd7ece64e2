import type { Reader } from '../../db/connection.ts';
import type { Clock } from '../../lib/clock.ts';
import { listRecentSearches, type SearchRow } from './learning-store.ts';
import { learnedIdsOf, shownIdsOf } from './remembered-search.ts';
import { MAX_SEARCHES_PER_TENANT, MAX_USES_PER_SEARCH, RECENT_MS, type ShownResults } from './shown-results.ts';

/** Reads from the stored searches what they showed, because another daemon may have answered them. */
export function createStoredResults(reader: Reader, clock: Clock): ShownResults {
  return {
    add() {},
    async take(tenantId, id) {
      const since = { tenantId, sinceMs: clock.nowMs() - RECENT_MS, limit: MAX_SEARCHES_PER_TENANT };
      const searches = await listRecentSearches(reader, since);
      return searches.find((search) => shownIdsOf(search).includes(id) && isOpen(search, id))?.id;
    },
    mayHaveShown: () => true,
    forget() {},
  };
}

/** Whether a use of this memory would still be learned from. */
function isOpen(search: SearchRow, id: string): boolean {
  const used = learnedIdsOf(search);
  return search.feedbackAt === null && used.size < MAX_USES_PER_SEARCH && !used.has(id);
}
