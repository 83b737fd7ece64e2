import type { Memory } from '../../contract/memories.ts';
import type { Database } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';
import type { UserKey } from '../learning/learning.ts';
import { type FindRelated, toMemory } from '../memories/memories.ts';
import type { Scopes } from '../text/scopes.ts';
import type { SimilarMemories } from './similar-memories.ts';

/**
 * Finds memories about the same subject as some texts, of a project or of none if one is given; not counted as a query,
 * not remembered for learning.
 */
export type RelatedMemories = (
  owner: UserKey & { project: string | null },
  texts: readonly string[],
  wanted?: Pick<Parameters<SimilarMemories>[1], 'wordings' | 'minShared'> & { perText?: number },
) => Promise<Memory[]>;

const MAX_PER_TEXT = 6;
const MAX_MEMORIES = 40;
/** Of what shares less with a new memory, hardly any is replaced by it (decision 0109). */
const MIN_SHARED = 0.8;

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
  return async ({ project, ...user }, texts, { perText = MAX_PER_TEXT, ...wanted } = {}) => {
    const scope = await scopes.find(db.lookups, user);
    if (scope === undefined) return [];
    const filter = project === null ? {} : { project: { name: project, only: false } };
    const found = new Map<string, Memory>();
    for (const text of texts) {
      if (found.size >= MAX_MEMORIES) break;
      const to = { ...wanted, text, filter, limit: perText, nowMs: clock.nowMs() };
      for (const { row } of await similar({ ...user, scope }, to)) found.set(row.id, toMemory(row));
    }
    return [...found.values()].slice(0, MAX_MEMORIES);
  };
}

/** Finds what a new memory may replace: by its text, and by its tags as other wordings of it. */
export function findRelatedBy(related: RelatedMemories): FindRelated {
  return ({ tenantId }, { content, tags = [], user: endUser = 'default', project = null }, limit) =>
    related({ tenantId, endUser, project }, [content], { wordings: tags, minShared: MIN_SHARED, perText: limit });
}
