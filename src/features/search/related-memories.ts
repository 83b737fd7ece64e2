import type { Memory } from '../../contract/memories.ts';
import type { Database } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';
import type { UserKey } from '../learning/learning.ts';
import { type MemoryRow, toMemory } from '../memories/memories.ts';
import type { Scopes } from '../text/scopes.ts';
import type { CandidateQuery, CandidateSearch } from './candidate.ts';
import { parseQuery } from './parsed-query.ts';
import { rankCandidates } from './ranking.ts';

/**
 * Finds memories about the same subject as some texts, of a project or of none if one is given; not counted as a query,
 * not remembered for learning.
 */
export type RelatedMemories = (
  owner: UserKey & { project: string | null },
  texts: readonly string[],
) => Promise<Memory[]>;

const MAX_PER_TEXT = 6;
const MAX_MEMORIES = 40;
const POOL = 40;
const MAX_QUERY_CHARACTERS = 2000;

/** Takes the best few for each text by the default ranking, best first, without duplicates. */
export function createRelatedMemories({
  db,
  clock,
  scopes,
  candidates,
}: {
  db: Database;
  clock: Clock;
  scopes: Scopes;
  candidates: CandidateSearch;
}): RelatedMemories {
  async function relatedTo(user: UserKey, scope: number, filter: CandidateQuery['filter'], text: string) {
    const nowMs = clock.nowMs();
    const parsed = parseQuery(text.slice(0, MAX_QUERY_CHARACTERS), nowMs);
    const { terms, months } = parsed;
    const query: CandidateQuery = {
      ...{ ...user, scope, terms, months, types: ['memory'] },
      ...{ filter, asOfMs: undefined, nowMs, pool: POOL },
    };
    return db.readers.together(user.tenantId, async (reader) => {
      const found = await candidates.find(reader, query);
      const { ranked } = rankCandidates(found, parsed, nowMs, 'default', undefined);
      const rowIds = ranked.slice(0, MAX_PER_TEXT).map(({ item }) => item.facts.rowId);
      const rows = await candidates.load(reader, query, 'memory', rowIds);
      return rowIds.flatMap((rowId) => rows.get(rowId) ?? []) as MemoryRow[];
    });
  }

  return async ({ project, ...user }, texts) => {
    const scope = await scopes.find(db.lookups, user);
    if (scope === undefined) return [];
    const filter = project === null ? {} : { project: { name: project, only: false } };
    const found = new Map<string, Memory>();
    for (const text of texts) {
      if (found.size >= MAX_MEMORIES) break;
      for (const row of await relatedTo(user, scope, filter, text)) found.set(row.id, toMemory(row));
    }
    return [...found.values()].slice(0, MAX_MEMORIES);
  };
}
