import type { Memory } from '../../contract/memories.ts';
import type { Reader } from '../../db/connection.ts';
import { findMemory } from './memories-store.ts';
import { listSupersededBy } from './memory-links-store.ts';
import { listMemories } from './memory-list-store.ts';
import { hasExpired, type MemoryRow } from './memory-row.ts';

/** How a memory is linked to another one: by superseding, or by an id in the source of both. */
export interface MemoryLink {
  relation: 'supersededBy' | 'supersedes' | 'source' | 'episode';
  row: MemoryRow;
}

/** How many times in a row memories are followed to those that superseded them, or that they superseded. */
const MAX_CHAIN = 20;

/** Finds at most `limit` memories of the same user by each relation, the closest first. */
export async function findMemoryLinks(
  reader: Reader,
  memory: MemoryRow,
  { nowMs, limit }: { nowMs: number; limit: number },
): Promise<MemoryLink[]> {
  const { tenantId, endUser } = memory;
  const source: NonNullable<Memory['source']> = memory.source === null ? {} : JSON.parse(memory.source);

  async function superseding(): Promise<MemoryRow[]> {
    const found: MemoryRow[] = [];
    for (let id = memory.supersededBy; id !== null && found.length < Math.min(limit, MAX_CHAIN); ) {
      const row = await findMemory(reader, tenantId, id);
      if (!row || row.endUser !== endUser || hasExpired(row, nowMs)) break;
      found.push(row);
      id = row.supersededBy;
    }
    return found;
  }

  async function superseded(): Promise<MemoryRow[]> {
    const found: MemoryRow[] = [];
    let ids = [memory.id];
    for (let step = 0; ids.length > 0 && found.length < limit && step < MAX_CHAIN; step += 1) {
      const rows = await listSupersededBy(reader, memory, ids, { nowMs, limit: limit - found.length });
      found.push(...rows);
      ids = rows.map(({ id }) => id);
    }
    return found;
  }

  /** One more than the limit, because the memory itself is among them. */
  const ofSource = (id: string | undefined): Promise<MemoryRow[]> => {
    if (id === undefined) return Promise.resolve([]);
    const filter = { tenantId, user: endUser, source: id, includeSuperseded: false, nowMs };
    return listMemories(reader, filter, { orderBy: 'createdAt', order: 'desc', limit: limit + 1 });
  };

  const found = [
    ...(await superseding()).map((row) => ({ relation: 'supersededBy', row }) as const),
    ...(await superseded()).map((row) => ({ relation: 'supersedes', row }) as const),
    ...(await ofSource(source.messageId)).map((row) => ({ relation: 'source', row }) as const),
    ...(await ofSource(source.conversationId)).map((row) => ({ relation: 'source', row }) as const),
    ...(await ofSource(source.episodeId)).map((row) => ({ relation: 'episode', row }) as const),
  ];
  return firstOfEach(memory.id, found, limit);
}

/** The first link to each other memory, at most `limit` of a relation. */
function firstOfEach(ownId: string, links: readonly MemoryLink[], limit: number): MemoryLink[] {
  const known = new Set([ownId]);
  const counts = new Map<string, number>();
  return links.filter(({ relation, row }) => {
    const count = counts.get(relation) ?? 0;
    if (known.has(row.id) || count === limit) return false;
    known.add(row.id);
    counts.set(relation, count + 1);
    return true;
  });
}
