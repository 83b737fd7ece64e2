import { ITEM_TYPES, type ItemType } from '../../src/contract/search.ts';
import type { Reader } from '../../src/db/connection.ts';
import type { CandidateQuery, CandidateSearch, ItemRows } from '../../src/features/search/candidate.ts';
import { toCandidateQuery } from '../../src/features/search/candidate-query.ts';
import { parseQuery } from '../../src/features/search/parsed-query.ts';
import { matchesOf, rankMatches } from '../../src/features/search/ranking.ts';
import { rate } from '../../src/features/search/relevance.ts';
import { hitsToLoad, pageOf } from '../../src/features/search/result-page.ts';
import type { LoadedHit } from '../../src/features/search/search-results.ts';

/** Whose memories to search. */
export interface Owner {
  tenantId: string;
  endUser: string;
  scope: number;
}

/** Ranks by the default weights in this process, without a daemon: what a search without learning answers. */
export async function rank(
  reader: Reader,
  candidates: CandidateSearch,
  owner: Owner,
  { query: text, limit }: { query: string; limit: number },
): Promise<LoadedHit[]> {
  const nowMs = Date.now();
  const parsed = parseQuery(text, nowMs);
  const query: CandidateQuery = { ...toCandidateQuery(owner, { query: text, limit }, parsed, nowMs), ...owner };
  const found = await candidates.find(reader, query);
  const { ranked, byDefault } = rankMatches(matchesOf(found, parsed, nowMs), 'default', undefined);
  const { relevances } = rate(byDefault, found.memories, parsed);
  const rated = ranked.map((hit) => ({ ...hit, relevance: relevances.get(hit.item)! }));
  const page = {
    minRelevance: 0,
    limit,
    learned: undefined,
    asked: new Set(found.weights.keys()),
    successors: new Map(),
    isRejected: () => false,
    followers: new Map(),
    putsNewestFirst: !parsed.asksForPast,
  };
  const hits = hitsToLoad(rated, page);
  const byType = new Map<ItemType, ReadonlyMap<number, ItemRows[ItemType]>>();
  for (const type of ITEM_TYPES) {
    const rowIds = hits.filter(({ item }) => item.type === type).map(({ item }) => item.facts.rowId);
    byType.set(type, await candidates.load(reader, query, type, rowIds));
  }
  const loaded = hits.flatMap((hit) => {
    const row = byType.get(hit.item.type)!.get(hit.item.facts.rowId);
    return row ? [{ ...hit, row }] : [];
  });
  return pageOf(loaded, parsed, page);
}
