import type { Memory } from '../../contract/memories.ts';
import type { Database } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';
import type { UserKey } from '../learning/learning.ts';
import { toMemory } from '../memories/memories.ts';
import type { Scopes } from '../text/scopes.ts';
import type { SimilarMemories } from './similar-memories.ts';

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

/** Takes the best few for each text by the default ranking, best first, without duplicates. */
export function createRelatedMemories({
  db,
  clock,
  scopes,
  similar,
}: {
  db: Database;
  clock: Clock;
  scopes: Scopes;
  similar: SimilarMemories;
}): RelatedMemories {
  return async ({ project, ...user }, texts) => {
    const scope = await scopes.find(db.lookups, user);
    if (scope === undefined) return [];
    const filter = project === null ? {} : { project: { name: project, only: false } };
    const found = new Map<string, Memory>();
    for (const text of texts) {
      if (found.size >= MAX_MEMORIES) break;
      const to = { text, filter, limit: MAX_PER_TEXT, nowMs: clock.nowMs() };
      for (const { row } of await similar({ ...user, scope }, to)) found.set(row.id, toMemory(row));
    }
    return [...found.values()].slice(0, MAX_MEMORIES);
  };
}
