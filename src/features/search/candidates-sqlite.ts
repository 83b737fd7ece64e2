import { ITEM_TYPES, type ItemType } from '../../contract/search.ts';
import type { Reader } from '../../db/connection.ts';
import { stemOf } from '../text/porter.ts';
import { readTotals } from '../text/word-totals.ts';
import {
  type CandidateQuery,
  type CandidateSearch,
  type FoundCandidates,
  type ItemRows,
  NO_CANDIDATES,
} from './candidate.ts';
import { postingsSqlite } from './postings-sqlite.ts';
import { findSourceCandidates, type SourceCandidates } from './source-candidates-sqlite.ts';
import { createSourceSearch, joinVisible } from './source-search-sqlite.ts';
import { SOURCES } from './sources-sqlite.ts';
import { isKnown, lookUpTerms, type TermLookup } from './term-lookup-sqlite.ts';
import { findNearest } from './vectors-sqlite.ts';

/**
 * Candidates from FTS5: query terms OR-ed and porter-stemmed, ranked by BM25 over this user's own documents (FTS5's own
 * ranking counts those of all users: recall would fall with, and leak, their number), and the neighbors of the best in
 * their conversations. Scores are shares of what a source's terms could reach; otherwise the source with
 * the most documents, whose idf is highest, would outrank the others.
 */
export function createCandidatesSqlite(): CandidateSearch {
  return {
    async find(reader, query, vector) {
      const types = typesOf(query);
      if ((query.terms.length === 0 && vector === undefined) || types.length === 0) return NO_CANDIDATES;
      const allTotals = await readTotals(reader, query);
      const searches = types.flatMap((type) => {
        const totals = allTotals.get(type);
        if (totals === undefined) return [];
        return createSourceSearch({ reader, query, source: SOURCES[type], postings: postingsSqlite, totals });
      });
      const pendingNearest = vector && findNearest(searches, vector);
      // Awaited below; if a term lookup fails first, its rejection must not go unhandled.
      pendingNearest?.catch(() => {});
      const lookups: TermLookup[] = [];
      for (const search of searches) lookups.push(await lookUpTerms(search));
      const terms = classifyTerms(query.terms, lookups);
      const nearest = await pendingNearest;
      const found: SourceCandidates[] = [];
      for (const lookup of lookups) found.push(await findSourceCandidates(lookup, { ...terms, nearest }));
      return { candidates: found.flatMap(({ candidates }) => candidates), ...terms, weights: weightsOf(found) };
    },
    load: loadRows,
  };
}

/** Only memories have tags, so a tag filter excludes the other types. */
function typesOf({ types = ITEM_TYPES, filter }: CandidateQuery): readonly ItemType[] {
  return filter.tags && filter.tags.length > 0 ? types.filter((type) => type === 'memory') : types;
}

function classifyTerms(
  terms: readonly string[],
  lookups: readonly TermLookup[],
): Pick<FoundCandidates, 'speakers' | 'unknown'> {
  const speakers = new Set(lookups.flatMap(({ postings }) => [...postings.speakers]));
  return { speakers, unknown: terms.filter((term) => !isKnown(term, lookups) && !speakers.has(term)) };
}

/** Each term's greatest weight in any source. */
function weightsOf(found: readonly SourceCandidates[]): Map<string, number> {
  const weights = new Map<string, number>();
  for (const { term, weight } of found.flatMap(({ terms }) => terms)) {
    const stem = stemOf(term);
    weights.set(stem, Math.max(weight, weights.get(stem) ?? 0));
  }
  return weights;
}

async function loadRows<T extends ItemType>(
  reader: Reader,
  query: CandidateQuery,
  type: T,
  rowIds: readonly number[],
): Promise<Map<number, ItemRows[T]>> {
  if (rowIds.length === 0) return new Map();
  const source = SOURCES[type];
  const join = joinVisible({ source, query });
  const rows = await reader.all<ItemRows[T]>(
    `SELECT m.*${source.extra.columns} FROM (SELECT value AS number FROM json_each(?)) f ${join.sql}`,
    [JSON.stringify(rowIds), ...join.values],
  );
  return new Map(rows.map((row) => [row.number, row]));
}
