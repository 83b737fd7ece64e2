import type { Memory } from '../../contract/memories.ts';
import type { Database } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';
import { type MemoryRow, toMemory } from '../memories/memories.ts';
import type { Scopes } from '../text/scopes.ts';
import type { CandidateSearch } from './candidate.ts';
import { rankCandidates } from './learned-order.ts';
import { readQuestion } from './question.ts';
import type { CandidateQuery } from './sources-sqlite.ts';

/** What is known about the matter of some texts: counted as no query, and nothing is learned from it. */
export type RelatedMemories = (
  place: { tenantId: string; endUser: string },
  texts: readonly string[],
) => Promise<Memory[]>;

const A_TEXT = 6;
const IN_ALL = 40;
const POOL = 40;
const QUERY_CHARACTERS = 2000;

/** The best few for each text by the default ranking, best first, none twice. */
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
  async function relatedTo(place: { tenantId: string; endUser: string }, scope: number, text: string) {
    const nowMs = clock.nowMs();
    const question = readQuestion(text.slice(0, QUERY_CHARACTERS), nowMs);
    const { terms, months } = question;
    const asked = { terms, months, types: ['memory'] as const, filter: {}, asOfMs: undefined };
    const query: CandidateQuery = { ...place, ...asked, scope, nowMs, pool: POOL };
    const found = await candidates.find(db.readers, query);
    const { ranked } = rankCandidates(found, question, nowMs, 'default', undefined);
    const numbers = ranked.slice(0, A_TEXT).map(({ item }) => item.facts.number);
    const rows = await candidates.load(db.readers, query, 'memory', numbers);
    return numbers.flatMap((number) => rows.get(number) ?? []) as MemoryRow[];
  }

  return async (place, texts) => {
    const scope = await scopes.find(db.readers, place);
    if (scope === undefined) return [];
    const found = new Map<string, Memory>();
    for (const text of texts) {
      if (found.size >= IN_ALL) break;
      for (const row of await relatedTo(place, scope, text)) found.set(row.id, toMemory(row));
    }
    return [...found.values()].slice(0, IN_ALL);
  };
}
