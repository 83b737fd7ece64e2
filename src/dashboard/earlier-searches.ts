import type { StoredSearch } from '../client/client.ts';

/** A stored search whose query is known. */
export type EarlierSearch = StoredSearch & { query: string };

/**
 * Searches worth opening again, newest first: each question of a user once, without those that were sent while a longer
 * one was being typed.
 */
export function distinctSearches(searches: readonly StoredSearch[]): EarlierSearch[] {
  const kept: EarlierSearch[] = [];
  for (const search of searches) {
    const query = search.query?.trim() ?? '';
    const isOfNewer = kept.some((newer) => newer.user === search.user && startsAs(newer.query, query));
    if (query !== '' && !isOfNewer) kept.push({ ...search, query });
  }
  return kept;
}

function startsAs(text: string, start: string): boolean {
  return text.toLowerCase().startsWith(start.toLowerCase());
}
