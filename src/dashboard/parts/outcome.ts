import type { StoredSearch } from '../../client/client.ts';

/** The outcome of a search: feedback on its results, and their use. */
export interface SearchOutcome {
  shown: number;
  used: number;
  irrelevant: number;
  /** Rank of the first result that helped. */
  firstUsed: number | undefined;
}

/** Counts what was said of a search's results. */
export function outcomeOf({ results }: Pick<StoredSearch, 'results'>): SearchOutcome {
  const used = results.filter((result) => result.used);
  return {
    shown: results.length,
    used: used.length,
    irrelevant: results.filter(({ irrelevant }) => irrelevant).length,
    firstUsed: used[0]?.rank,
  };
}
