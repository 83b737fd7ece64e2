import type { MemoriesQuery, Memory, MemoryFilter } from '../../contract/memories.ts';
import { projectFilterOf } from '../../contract/project.ts';
import type { Database } from '../../db/open.ts';
import { parseInstant } from '../../db/row-codec.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Principal } from '../keys/keys.ts';
import type { Cursors } from '../text/page-cursor.ts';
import { countMemories, type ListFilter, type ListPage, type ListPosition, listMemories } from './memory-list-store.ts';
import { toMemory } from './memory-row.ts';

interface MemoryPageAnswer {
  data: Memory[];
  nextCursor: string | null;
  total?: number;
}

/** Lists the memories of a tenant page by page. `path` is where the filter is in the request. */
export type ListMemories = (principal: Principal, query: MemoriesQuery, path?: string) => Promise<MemoryPageAnswer>;

export function createMemoryList({
  db,
  clock,
  cursors,
}: {
  db: Database;
  clock: Clock;
  cursors: Cursors;
}): ListMemories {
  return async ({ tenantId }, query, path = '') => {
    const { limit = 50, cursor, orderBy = 'createdAt', order = 'desc', total = false, ...filter } = query;
    // By name alone: a member of `metadata` may be called `toString`.
    const conditions = Object.entries(filter).sort(([a], [b]) => (a < b ? -1 : 1));
    const boundTo = ['memories', tenantId, orderBy, order, conditions];
    const after = cursor === undefined ? undefined : positionIn(cursors.read(cursor, boundTo));
    const selection = listFilterOf(tenantId, filter, path, clock.nowMs());
    const reader = db.readers.of(tenantId);
    const [rows, count] = await Promise.all([
      listMemories(reader, selection, { orderBy, order, after, limit: limit + 1 }),
      total ? countMemories(reader, selection) : undefined,
    ]);
    const page = cursors.page(rows, limit, boundTo, (row) => toPosition(row, orderBy));
    return { ...page, data: page.data.map(toMemory), ...(count !== undefined && { total: count }) };
  };
}

/** Converts a filter for the store. Throws `invalid_request`. */
export function listFilterOf(tenantId: string, filter: MemoryFilter, path: string, nowMs: number): ListFilter {
  const {
    project,
    projectOnly,
    tag,
    tags = [],
    metadata = {},
    after,
    before,
    includeSuperseded = false,
    ...same
  } = filter;
  return {
    ...same,
    tenantId,
    project: projectFilterOf({ project, projectOnly }, path),
    tags: [...new Set([...(tag === undefined ? [] : [tag]), ...tags])],
    metadata: Object.entries(metadata).map(([name, value]) => [name, String(value)] as const),
    afterMs: parseInstant(after, `${path}after`),
    beforeMs: parseInstant(before, `${path}before`),
    includeSuperseded,
    nowMs,
  };
}

function toPosition(
  row: { id: string; occurredAt: number | null; updatedAt: number },
  orderBy: ListPage['orderBy'],
): string {
  return orderBy === 'createdAt' ? row.id : `${row[orderBy] ?? ''} ${row.id}`;
}

function positionIn(text: string): ListPosition {
  const [value, id] = text.includes(' ') ? text.split(' ') : ['', text];
  return { value: value === '' ? null : Number(value), id: id! };
}
