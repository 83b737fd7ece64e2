import type { MEMORY_ORDERS } from '../../contract/memories.ts';
import { EXPIRES_SOON_MS, type Expiry, type SourceKind } from '../../contract/memory-filters.ts';
import type { ProjectFilter } from '../../contract/project.ts';
import type { Reader, Value } from '../../db/connection.ts';
import type { Engine } from '../../db/dialect.ts';
import { readLongPage } from '../../db/long-pages.ts';
import { listPlaceholders, projectConditions } from '../../db/values.ts';
import { type MemoryRow, memoryRows } from './memory-row.ts';

/** Selects a tenant's current memories; all conditions must hold. */
export interface ListFilter {
  tenantId: string;
  user?: string | undefined;
  project?: ProjectFilter | undefined;
  tags?: readonly string[];
  /** Top-level members of the metadata with their values as text. */
  metadata?: readonly (readonly [name: string, value: string])[];
  source?: string | undefined;
  sourceKind?: SourceKind | undefined;
  client?: string | undefined;
  externalId?: string | undefined;
  afterMs?: number | undefined;
  beforeMs?: number | undefined;
  pinned?: boolean | undefined;
  expires?: Expiry | undefined;
  includeSuperseded: boolean;
  nowMs: number;
}

/** The position of a memory in an order; `value` is `null` without `occurredAt`, and unused by `createdAt`. */
export interface ListPosition {
  value: number | null;
  id: string;
}

/** A page of a list, after the position of the last memory of the previous page. */
export interface ListPage {
  /** Ids are minted in the order of creation, so `createdAt` is the order of ids. */
  orderBy: (typeof MEMORY_ORDERS)[number];
  order: 'asc' | 'desc';
  after?: ListPosition | undefined;
  limit: number;
}

type Condition = readonly [sql: string, ...values: Value[]];

/** Lists a page of memories. Memories without `occurredAt` come last in that order, whatever its direction. */
export async function listMemories(reader: Reader, filter: ListFilter, page: ListPage): Promise<MemoryRow[]> {
  const { orderBy, after, limit } = page;
  if (orderBy === 'createdAt') return readPage(reader, filter, page, []);
  // These conditions are those of the partial indexes.
  if (orderBy === 'updatedAt') return readPage(reader, filter, page, [['m.updatedAt > 0']]);
  const isPastDated = after !== undefined && after.value === null;
  const dated = isPastDated ? [] : await readPage(reader, filter, page, [['m.occurredAt IS NOT NULL']]);
  if (dated.length === limit) return dated;
  const rest = {
    ...page,
    orderBy: 'createdAt',
    after: isPastDated ? after : undefined,
    limit: limit - dated.length,
  } as const;
  return [...dated, ...(await readPage(reader, filter, rest, [['m.occurredAt IS NULL']]))];
}

/** Lists the ids of at most `limit` matching memories, of those `among` some if given, oldest first. */
export async function listMemoryIds(
  reader: Reader,
  filter: ListFilter,
  limit: number,
  among?: readonly string[],
): Promise<string[]> {
  const { from, id, conditions } = selectionOf(filter, 'none', reader.engine);
  const some: Condition[] = among ? [[`${id} IN (${listPlaceholders(among.length)})`, ...among]] : [];
  const { sql, values } = joinConditions([...conditions, ...some]);
  const rows = await reader.all<{ id: string }>(`SELECT m.id FROM ${from} WHERE ${sql} LIMIT ?`, [...values, limit]);
  return rows.map((row) => row.id).sort();
}

export async function countMemories(reader: Reader, filter: ListFilter): Promise<number> {
  const { from, conditions } = selectionOf(filter, 'none', reader.engine);
  const { sql, values } = joinConditions(conditions);
  const row = await reader.get<{ total: number }>(`SELECT COUNT(*) AS total FROM ${from} WHERE ${sql}`, values);
  return row!.total;
}

function readPage(
  reader: Reader,
  filter: ListFilter,
  page: ListPage,
  more: readonly Condition[],
): Promise<MemoryRow[]> {
  return readLongPage<MemoryRow>(page.limit, (last, limit) => {
    const after = last ? { value: last[page.orderBy]!, id: last.id } : page.after;
    return readPortion(reader, filter, { ...page, after, limit }, more);
  });
}

async function readPortion(
  reader: Reader,
  filter: ListFilter,
  { orderBy, order, after, limit }: ListPage,
  more: readonly Condition[],
): Promise<MemoryRow[]> {
  const { from, id, conditions } = selectionOf(filter, orderBy, reader.engine);
  const beyond = order === 'desc' ? '<' : '>';
  const keys = orderBy === 'createdAt' ? [id] : [`m.${orderBy}`, id];
  const position: Condition[] = after
    ? [
        [
          keys.length === 1 ? `${id} ${beyond} ?` : `(${keys.join(', ')}) ${beyond} (?, ?)`,
          ...positionOf(after, keys.length),
        ],
      ]
    : [];
  const { sql, values } = joinConditions([...conditions, ...more, ...position]);
  return memoryRows.all(
    reader,
    (columns) =>
      `SELECT ${columns} FROM ${from} WHERE ${sql} ORDER BY ${keys.map((key) => `${key} ${order}`).join(', ')} LIMIT ?`,
    [...values, limit],
    filter.tenantId,
  );
}

function positionOf({ value, id }: ListPosition, keys: number): Value[] {
  return keys === 1 ? [id] : [value, id];
}

/**
 * The relations and conditions of a filter, and the id to order by. A source selects few memories, so its lookup is read
 * first; that of a tag is if its order is the order of the page. CROSS JOIN makes SQLite keep that order.
 */
export function selectionOf(
  filter: ListFilter,
  orderBy: ListPage['orderBy'] | 'none',
  engine: Engine,
): { from: string; id: string; conditions: Condition[] } {
  const { tenantId, source, tags = [] } = filter;
  const [tag, ...others] = tags;
  const isById = orderBy !== 'occurredAt' && orderBy !== 'updatedAt';
  const byTag = source === undefined && tag !== undefined && isById;
  const exists = (byTag ? others : tags).map((name): Condition => [HAS_TAG, name]);
  const origin = originConditions(filter, isById && source === undefined && !byTag);
  const conditions = [...conditionsOf(filter, engine), ...origin, ...exists];
  if (source === undefined && !byTag) return { from: 'memories m', id: 'm.id', conditions };
  const [lookup, key, value] = byTag ? ['memoryTags', 'tag', tag!] : ['memorySources', 'sourceId', source!];
  const joined: Condition[] = [
    ['f.tenantId = ?', tenantId],
    [`f.${key} = ?`, value],
  ];
  const from = `${lookup} f CROSS JOIN memories m ON m.tenantId = f.tenantId AND m.id = f.memoryId`;
  return { from, id: 'f.memoryId', conditions: [...joined, ...conditions] };
}

const HAS_TAG = `EXISTS (SELECT 1 FROM memoryTags t WHERE t.tenantId = m.tenantId AND t.tag = ? AND t.memoryId = m.id)`;
/** Compares JSON values as they are written, and strings by what they say. SQLite formats numbers in another way. */
const HAS_MEMBER: Record<Engine, string> = {
  sqlite: `EXISTS (SELECT 1 FROM json_each(m.metadata) a WHERE a.key = ? AND a.type NOT IN ('object', 'array', 'null')
    AND CASE WHEN a.type = 'text' THEN a.value ELSE m.metadata -> a.fullkey END = ?)`,
  postgres: `EXISTS (SELECT 1 FROM json_each(CAST(m.metadata AS JSON)) a WHERE a.key = ?
    AND json_typeof(a.value) NOT IN ('object', 'array', 'null') AND a.value #>> '{}' = ?)`,
};

function conditionsOf(filter: ListFilter, engine: Engine): Condition[] {
  const { tenantId, user, externalId, afterMs, beforeMs, pinned, includeSuperseded, nowMs, metadata = [] } = filter;
  const at = 'COALESCE(m.occurredAt, m.createdAt)';
  return [
    ['m.tenantId = ?', tenantId],
    ['m.current = 1'],
    ...optional('m.endUser = ?', user),
    ...optional('m.externalId = ?', externalId),
    ...projectConditions(filter.project, 'm.project'),
    ...optional(`${at} > ?`, afterMs),
    ...optional(`${at} < ?`, beforeMs),
    ...metadata.map(([name, value]): Condition => [HAS_MEMBER[engine], name, value]),
    ['(m.expiresAt IS NULL OR m.expiresAt > ?)', nowMs],
    ...(includeSuperseded ? [] : [['m.validTo IS NULL'] as const]),
    // A literal, because SQLite does not use the partial index with a bound value.
    ...(pinned === undefined ? [] : [[`m.pinned = ${pinned ? 1 : 0}`] as const]),
  ];
}

/**
 * Conditions on client, kind of source and expiry. With `byIndex` SQLite may read the memories through one of their indexes,
 * unless that of the user has fewer.
 */
function originConditions({ user, client, sourceKind, expires, nowMs }: ListFilter, byIndex: boolean): Condition[] {
  const equals = (column: string, mayLead: boolean) =>
    byIndex && mayLead ? `${column} = ?` : `(${column} = ?) IS TRUE`;
  return [
    ...optional(equals('m.client', user === undefined), client),
    ...optional(equals('m.sourceKind', user === undefined && client === undefined), sourceKind),
    // The condition of the partial index.
    ...(sourceKind === undefined || sourceKind === 'none' ? [] : [[`m.sourceKind <> 'none'`] as const]),
    ...(expires === undefined ? [] : [['m.expiresAt IS NOT NULL'] as const]),
    // Avoid a range on SQLite, which would read it from the index of all tenants.
    ...optional('(m.expiresAt <= ?) IS TRUE', expires === 'soon' ? nowMs + EXPIRES_SOON_MS : undefined),
  ];
}

function optional(sql: string, value: Value | undefined): Condition[] {
  return value === undefined ? [] : [[sql, value]];
}

export function joinConditions(conditions: readonly Condition[]): { sql: string; values: Value[] } {
  return {
    sql: conditions.map(([sql]) => sql).join(' AND '),
    values: conditions.flatMap(([, ...values]) => values),
  };
}
