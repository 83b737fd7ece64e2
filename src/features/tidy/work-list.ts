import { lastSaid } from '../../contract/memories.ts';
import type { Suggestion } from '../../contract/suggestions.ts';
import { MAX_TIDY_CHARACTERS, type TidyMemory } from '../../contract/tidy.ts';
import type { Database } from '../../db/open.ts';
import { type Clock, toTimestamp } from '../../lib/clock.ts';
import { createTenantLimiter } from '../limits/tenant-limiter.ts';
import type { Memories, MemoryRow } from '../memories/memories.ts';
import type { SimilarMemories } from '../search/similar-memories.ts';
import { MAX_COMPARED_CHARACTERS, queriesFor } from '../suggestions/pair-rules.ts';
import type { Suggestions } from '../suggestions/suggestions.ts';
import type { Scopes } from '../text/scopes.ts';
import { listIdsToTidy, type TidyOwner, tidyFilterOf } from './tidy-store.ts';

/** The most memories of a cluster. */
export const MAX_CLUSTER = 12;

/**
 * Groups the items of a portion with their neighbors, which are best first. An item stands in one cluster; one without
 * neighbors in none. Items whose neighbors' cluster is full form further ones with others like that; the last of those, if
 * it would stand alone, makes a cluster one longer.
 */
export function clustersOf(neighborsOf: ReadonlyMap<string, readonly string[]>): string[][] {
  const clusters: string[][] = [];
  const clusterOf = new Map<string, string[]>();
  const put = (id: string, cluster: string[]) => {
    cluster.push(id);
    clusterOf.set(id, cluster);
  };
  /** The items that found no room, by the full cluster of their nearest neighbor. */
  const left = new Map<string[], string[]>();
  for (const [id, neighbors] of neighborsOf) {
    if (neighbors.length === 0) continue;
    const cluster = clusterOf.get(id) ?? roomFor(neighbors, clusterOf);
    if (cluster === undefined) {
      const full = clusterOf.get(neighbors[0]!)!;
      left.set(full, [...(left.get(full) ?? []), id]);
      continue;
    }
    if (cluster.length === 0) clusters.push(cluster);
    if (!clusterOf.has(id)) put(id, cluster);
    for (const one of neighbors) {
      if (cluster.length < MAX_CLUSTER && !clusterOf.has(one)) put(one, cluster);
    }
  }
  for (const [full, all] of left) {
    const ids = all.filter((id) => !clusterOf.has(id));
    let last = full;
    while (ids.length > 1) {
      last = ids.splice(0, MAX_CLUSTER);
      clusters.push(last);
    }
    last.push(...ids);
  }
  return clusters;
}

/** The first cluster of some neighbors that has room; a new one if a neighbor stands in none; `undefined` if all are full. */
function roomFor(neighbors: readonly string[], clusterOf: ReadonlyMap<string, string[]>): string[] | undefined {
  for (const one of neighbors) {
    const cluster = clusterOf.get(one);
    if (cluster === undefined) return [];
    if (cluster.length < MAX_CLUSTER) return cluster;
  }
  return undefined;
}

/** A portion of the memories of a user, as a model reads it. */
export interface Portion {
  /** Memories that are about the same, oldest first. */
  clusters: TidyMemory[][];
  /** Open suggestions about them. */
  suggestions: Suggestion[];
  /** How many memories were looked at. */
  read: number;
  /** The last one of them, if there are more. */
  afterId: string | null;
}

/** Reads the portion after a memory. Throws `unavailable` if too many of the tenant wait. */
export type ReadPortion = (owner: TidyOwner, page: { afterId: string; limit: number }) => Promise<Portion>;

const MAX_WAITING = 16;
const MAX_NEIGHBORS = 6;
const MAX_SUGGESTIONS = 50;
/** Memories that share only a frequent word, such as a name, are not neighbors. */
const MIN_SHARED = 0.6;

interface Parts {
  db: Database;
  clock: Clock;
  scopes: Scopes;
  memories: Pick<Memories, 'findRowsWithin'>;
  similar: SimilarMemories;
  suggestions: Pick<Suggestions, 'openAbout'>;
}

/** Reads memories with their nearest neighbors, which the index finds: a portion costs the same in a large store. */
export function createWorkList({ db, clock, scopes, memories, similar, suggestions }: Parts): ReadPortion {
  const limiter = createTenantLimiter({ maxActive: 1, maxWaiting: MAX_WAITING, of: 'requests for memories to tidy' });

  async function neighborsOf(row: MemoryRow, project: string | null): Promise<MemoryRow[]> {
    const { tenantId, endUser } = row;
    const scope = await scopes.find(db.lookups, { tenantId, endUser });
    if (scope === undefined) return [];
    const filter = project === null ? {} : { project: { name: project, only: false } };
    const found = new Map<string, MemoryRow>();
    const { content } = row;
    const texts = content.length > MAX_COMPARED_CHARACTERS ? [content] : queriesFor(content);
    for (const [index, text] of texts.entries()) {
      const minShared = index === 0 ? MIN_SHARED : 0;
      const wanted = { text, filter, minShared, limit: MAX_NEIGHBORS + 1, nowMs: clock.nowMs() };
      for (const one of await similar({ tenantId, endUser, scope }, wanted)) found.set(one.row.id, one.row);
    }
    found.delete(row.id);
    return [...found.values()];
  }

  async function read(owner: TidyOwner, page: { afterId: string; limit: number }) {
    const { tenantId, project } = owner;
    const reader = db.readers.of(tenantId);
    const filter = tidyFilterOf(owner, clock.nowMs());
    const ids = await listIdsToTidy(reader, filter, { ...page, limit: page.limit + 1 });
    const rows = await memories.findRowsWithin(reader, tenantId, ids.slice(0, page.limit));
    const byId = new Map(rows.map((row) => [row.id, row]));
    const neighbors = new Map<string, string[]>();
    for (const row of rows.toSorted((one, other) => (one.id < other.id ? -1 : 1))) {
      const near = await neighborsOf(row, project ?? row.project);
      neighbors.set(
        row.id,
        near.map(({ id }) => id),
      );
      for (const one of near) byId.set(one.id, one);
    }
    const clusters = clustersOf(neighbors).map((cluster) =>
      cluster
        .map((id) => byId.get(id)!)
        .toSorted(byTime)
        .map(toTidyMemory),
    );
    const about = clusters.flat().map(({ id }) => id);
    const read = Math.min(ids.length, page.limit);
    return {
      clusters,
      suggestions: await suggestions.openAbout(reader, tenantId, about, MAX_SUGGESTIONS),
      read,
      afterId: ids.length > page.limit ? ids[page.limit - 1]! : null,
    };
  }

  return (owner, page) => limiter.run(owner.tenantId, () => read(owner, page));
}

function byTime(one: MemoryRow, other: MemoryRow): number {
  return lastSaid(one) - lastSaid(other) || (one.id < other.id ? -1 : 1);
}

/** A memory as a model reads it. */
export function toTidyMemory(row: MemoryRow): TidyMemory {
  const { id, project, author, content } = row;
  const isCut = content.length > MAX_TIDY_CHARACTERS;
  const shown = isCut ? content.slice(0, MAX_TIDY_CHARACTERS).replace(/[\uD800-\uDBFF]$/, '') : content;
  return { id, project, at: toTimestamp(lastSaid(row)), author, content: shown, isCut };
}
