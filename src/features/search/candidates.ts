import { ITEM_TYPES, type ItemType } from '../../contract/search.ts';
import type { Engine } from '../../db/dialect.ts';
import { rootOf } from '../text/word-forms.ts';
import { readTotals } from '../text/word-totals.ts';
import { NO_WORDS } from '../words/word-table.ts';
import { createWords, type Words } from '../words/words.ts';
import { type CandidateQuery, type CandidateSearch, type FoundCandidates, NO_CANDIDATES } from './candidate.ts';
import { readDatedPostgres } from './dated-postgres.ts';
import { readDatedSqlite } from './dated-sqlite.ts';
import { createCachedPostings } from './postings-cache.ts';
import { postingsPostgres } from './postings-postgres.ts';
import { postingsSqlite } from './postings-sqlite.ts';
import { findSourceCandidates, type SourceCandidates } from './source-candidates.ts';
import { readPostings } from './source-postings.ts';
import { createSourceSearch, type SearchEngine } from './source-search.ts';
import { SOURCES } from './sources-store.ts';
import { isKnown, lookUpTerms, type TermLookup } from './term-lookup.ts';
import { findNearest } from './vectors.ts';
import { readCosinesPostgres, readNearestPostgres } from './vectors-postgres.ts';
import { readCosinesSqlite, readNearestSqlite } from './vectors-sqlite.ts';
import { loadRows, readFacts } from './visible-rows-store.ts';

export const SEARCH_ENGINES: Record<Engine, SearchEngine> = {
  sqlite: {
    postings: postingsSqlite,
    dated: readDatedSqlite,
    nearest: readNearestSqlite,
    cosines: readCosinesSqlite,
  },
  postgres: {
    postings: postingsPostgres,
    dated: readDatedPostgres,
    nearest: readNearestPostgres,
    cosines: readCosinesPostgres,
  },
};

/**
 * Candidates from the full-text index: query terms OR-ed and porter-stemmed, ranked by BM25 over this user's own documents
 * (those of others must change neither recall nor scores), and the neighbors of the best in their conversations. Scores are shares of what a source's terms could reach; otherwise the source with
 * the most documents, whose idf is highest, would outrank the others.
 */
export function createCandidates(words: Words = createWords()): CandidateSearch {
  const engines = {
    sqlite: { ...SEARCH_ENGINES.sqlite, postings: createCachedPostings(postingsSqlite) },
    postgres: { ...SEARCH_ENGINES.postgres, postings: createCachedPostings(postingsPostgres) },
  };
  return {
    async find(reader, query, vector) {
      const types = typesOf(query);
      if ((query.terms.length === 0 && vector === undefined) || types.length === 0) return NO_CANDIDATES;
      const engine = engines[reader.engine];
      const allTotals = await readTotals(reader, query);
      const searches = types.flatMap((type) => {
        const totals = allTotals.get(type);
        if (totals === undefined) return [];
        return createSourceSearch({ reader, query, source: SOURCES[type], engine, totals });
      });
      const pendingNearest = vector && findNearest(searches, vector);
      // Awaited below; if a term lookup fails first, its rejection must not go unhandled.
      pendingNearest?.catch(() => {});
      const lookups: TermLookup[] = [];
      // The table is of English words.
      const hasTable = query.reading === undefined && !query.ownWords;
      const table = hasTable ? await words.table() : NO_WORDS;
      for (const search of searches) lookups.push(await lookUpTerms(search, table));
      const terms = classifyTerms(query.terms, lookups);
      const nearest = await pendingNearest;
      const found: SourceCandidates[] = [];
      for (const lookup of lookups) found.push(await findSourceCandidates(lookup, { ...terms, nearest }));
      const candidates = found.flatMap((one) => one.candidates);
      const related = found.flatMap((one) => one.related);
      const memories = allTotals.get('memory')?.documents ?? 0;
      return { candidates, ...terms, weights: weightsOf(found), related, memories, model: nearest?.vector.model };
    },
    load: loadRows,
    async readHolding(reader, query, type, words) {
      const totals = (await readTotals(reader, query)).get(type);
      if (totals === undefined || words.length === 0) return words.map(() => []);
      const engine = engines[reader.engine];
      const search = createSourceSearch({ reader, query, source: SOURCES[type], engine, totals });
      return (await readPostings(search, words)).words.map(({ rowIds }) => rowIds);
    },
    readFacts: (reader, query, type, rowIds) => readFacts({ reader, query, source: SOURCES[type] }, rowIds),
  };
}

/** Only memories have tags and topics, so a filter by them excludes the other types. */
function typesOf({ types = ITEM_TYPES, filter }: CandidateQuery): readonly ItemType[] {
  const isOfMemories = (filter.tags ?? []).length > 0 || filter.topic !== undefined;
  return isOfMemories ? types.filter((type) => type === 'memory') : types;
}

function classifyTerms(
  terms: readonly string[],
  lookups: readonly TermLookup[],
): Pick<FoundCandidates, 'speakers' | 'unknown'> {
  const speakers = new Set(lookups.flatMap(({ postings }) => [...postings.speakers]));
  return { speakers, unknown: terms.filter((term) => !isKnown(term, lookups) && !speakers.has(term)) };
}

/** The greatest weight of each term in any source, and of related words, reduced by their similarity. */
function weightsOf(found: readonly SourceCandidates[]): Map<string, number> {
  const weights = new Map<string, number>();
  for (const { term, weight } of found.flatMap(({ terms }) => terms)) {
    const root = rootOf(term);
    weights.set(root, Math.max(weight, weights.get(root) ?? 0));
  }
  for (const [term, stems] of found.flatMap(({ forms }) => [...forms])) {
    const weight = weights.get(rootOf(term)) ?? 0;
    for (const stem of stems) weights.set(stem, Math.max(weight, weights.get(stem) ?? 0));
  }
  for (const { term, stem, similarity } of found.flatMap(({ related }) => related)) {
    const weight = similarity * (weights.get(rootOf(term)) ?? 0);
    weights.set(stem, Math.max(weight, weights.get(stem) ?? 0));
  }
  return weights;
}
