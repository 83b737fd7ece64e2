import type { Database } from '../../db/open.ts';
import type { QueryVector } from '../embeddings/embeddings.ts';
import type { MemoryRow } from '../memories/memories.ts';
import type { CandidateQuery, CandidateSearch } from './candidate.ts';
import { parseQuery, withWordings } from './parsed-query.ts';
import { matchesOf, rankMatches } from './ranking.ts';

/** A memory like a text, with the cosine of their vectors if the text has one. */
interface SimilarMemory {
  row: MemoryRow;
  cosine?: number | undefined;
}

interface SimilarTo {
  text: string;
  /** Vector of the text. Without it, only the words of the text are searched for. */
  vector?: QueryVector | undefined;
  /** Other words in which a memory like it may have been told. */
  wordings?: readonly string[];
  /** Least weight of the words that both share, without a vector: about 1 for one rare word. Related words are not shared. */
  minShared?: number;
  filter?: CandidateQuery['filter'];
  limit: number;
  nowMs: number;
}

/** Finds the memories of a user that are most like a text, best first; not counted as a query, not remembered. */
export type SimilarMemories = (
  user: Pick<CandidateQuery, 'tenantId' | 'endUser' | 'scope'>,
  to: SimilarTo,
) => Promise<SimilarMemory[]>;

const MIN_POOL = 40;
const MAX_QUERY_CHARACTERS = 2000;

export function createSimilarMemories({
  db,
  candidates,
}: {
  db: Database;
  candidates: CandidateSearch;
}): SimilarMemories {
  return ({ tenantId, endUser, scope }, { text, vector, wordings, minShared, filter = {}, limit, nowMs }) => {
    const parsed = withWordings(parseQuery(text.slice(0, MAX_QUERY_CHARACTERS), nowMs), wordings);
    const query: CandidateQuery = {
      ...{ tenantId, endUser, scope, filter, nowMs, types: ['memory'], asOfMs: undefined },
      ...(vector === undefined
        ? { terms: parsed.terms, phrases: parsed.phrases, months: parsed.months }
        : { terms: [], months: [] }),
      ownWords: minShared !== undefined,
      pool: Math.max(MIN_POOL, limit),
    };
    return db.readers.together(tenantId, async (reader) => {
      const found = await candidates.find(reader, query, vector && Promise.resolve(vector));
      const best =
        vector === undefined
          ? rankMatches(matchesOf(found, parsed, nowMs), 'default')
              .ranked.map(({ item }) => item)
              .filter(({ coverage }) => coverage.information >= (minShared ?? 0))
          : found.candidates.toSorted((a, b) => (b.scores.vector ?? -1) - (a.scores.vector ?? -1));
      const chosen = best.slice(0, limit);
      const rows = await candidates.load(
        reader,
        query,
        'memory',
        chosen.map(({ facts }) => facts.rowId),
      );
      return chosen.flatMap(({ facts, scores }) => {
        const row = rows.get(facts.rowId);
        return row ? [{ row, cosine: scores.vector }] : [];
      });
    });
  };
}
