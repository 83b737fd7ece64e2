import type { Reader, Value } from '../connection.ts';
import type { MovedTable } from './moved-tables.ts';

/** A row of a table. */
export interface MovedRow {
  /** Empty for a row that belongs to no tenant. */
  tenantId: string;
  /** Values in the order of the table's `columns`. */
  values: Value[];
  /** Equal for equal rows, whichever engine stores them. */
  canonical: string;
}

/** Page size; smaller if rows are long. */
const MAX_PAGE_ROWS = 1000;
const MIN_PAGE_ROWS = 20;
const PAGE_CHARACTERS = 8_000_000;

/**
 * Reads the rows of a table by ascending key: of these tenants, in their order, or of all. While the caller works with
 * rows, the next ones are read.
 */
export async function* rowsOf(
  reader: Reader,
  table: MovedTable,
  tenantIds?: readonly string[],
): AsyncGenerator<MovedRow> {
  for await (const portion of portionsOf(reader, table, tenantIds)) yield* rowsOfPortion(reader, table, portion);
}

/** The beginning of a key. */
type Portion = readonly Value[];

async function* rowsOfPortion(reader: Reader, table: MovedTable, portion: Portion): AsyncGenerator<MovedRow> {
  const hasTenant = table.key[0] === 'tenantId';
  let limit = MAX_PAGE_ROWS;
  let reading = readPage(reader, table, portion, undefined, limit);
  for (;;) {
    const page = (await reading).map((values): MovedRow => {
      const tenantId = hasTenant ? (values[0] as string) : '';
      return { tenantId, values, canonical: canonicalOf(values) };
    });
    const last = page.length < limit ? undefined : page.at(-1)!.values.slice(portion.length, table.key.length);
    if (last !== undefined) {
      const characters = page.reduce((sum, { canonical }) => sum + canonical.length, 0);
      const fitting = Math.floor((limit * PAGE_CHARACTERS) / Math.max(1, characters));
      limit = Math.max(MIN_PAGE_ROWS, Math.min(MAX_PAGE_ROWS, fitting));
      reading = readPage(reader, table, portion, last, limit);
      // A caller that stops here does not wait for it.
      reading.catch(() => {});
    }
    yield* page;
    if (last === undefined) return;
  }
}

async function readPage(
  reader: Reader,
  { name, key, columns }: MovedTable,
  portion: Portion,
  after: readonly Value[] | undefined,
  limit: number,
): Promise<Value[][]> {
  const rest = key.slice(portion.length);
  const conditions = key.slice(0, portion.length).map((column) => `${column} = ?`);
  if (after !== undefined) conditions.push(`(${rest.join(', ')}) > (${rest.map(() => '?').join(', ')})`);
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  const order = rest.length === 0 ? '' : `ORDER BY ${rest.join(', ')}`;
  const rows = await reader.all(`SELECT ${columns.join(', ')} FROM ${name} ${where} ${order} LIMIT ?`, [
    ...portion,
    ...(after ?? []),
    limit,
  ]);
  return rows.map((row) => columns.map((column) => storable(row[column]!)));
}

/** PostgreSQL cannot store the character U+0000, which becomes U+FFFD; SQLite can. */
function storable(value: Value): Value {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value;
}

function canonicalOf(values: readonly Value[]): string {
  return JSON.stringify(values.map((value) => (Buffer.isBuffer(value) ? [value.toString('base64')] : value)));
}

/** Orders rows by their keys as both engines do: texts by their bytes in UTF-8. */
export function compareKeys({ key }: MovedTable, a: MovedRow, b: MovedRow): number {
  for (let index = 0; index < key.length; index += 1) {
    const order = compareValues(a.values[index]!, b.values[index]!);
    if (order !== 0) return order;
  }
  return 0;
}

/** Orders ids of tenants like `compareKeys`. */
export function compareValues(a: Value, b: Value): number {
  if (a === b) return 0;
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)));
}

async function* portionsOf(
  reader: Reader,
  table: MovedTable,
  tenantIds: readonly string[] | undefined,
): AsyncGenerator<Portion> {
  if (table.portion === undefined) {
    const isWhole = tenantIds === undefined || table.key[0] !== 'tenantId';
    yield* isWhole ? [[]] : tenantIds.map((tenantId) => [tenantId]);
    return;
  }
  const models = await reader.all<{ tenantId: string; id: number }>(
    'SELECT tenantId, id FROM embeddingModels ORDER BY id',
  );
  if (models.length === 0) return;
  for await (const tenantId of tenantIds ?? listTenantIds(reader)) {
    const own = models.filter((model) => model.tenantId === '' || model.tenantId === tenantId);
    const scopes = table.portion === 'model' ? [[]] : (await listScopes(reader, tenantId)).map((scope) => [scope]);
    for (const scope of scopes) yield* own.map(({ id }) => [tenantId, ...scope, id]);
  }
}

async function listScopes(reader: Reader, tenantId: string): Promise<number[]> {
  const rows = await reader.all<{ scope: number }>('SELECT scope FROM scopes WHERE tenantId = ? ORDER BY scope', [
    tenantId,
  ]);
  return rows.map(({ scope }) => scope);
}

async function* listTenantIds(reader: Reader): AsyncGenerator<string> {
  let after = '';
  for (;;) {
    const rows = await reader.all<{ tenantId: string }>(
      'SELECT tenantId FROM tenants WHERE tenantId > ? ORDER BY tenantId LIMIT ?',
      [after, MAX_PAGE_ROWS],
    );
    yield* rows.map(({ tenantId }) => tenantId);
    if (rows.length < MAX_PAGE_ROWS) return;
    after = rows.at(-1)!.tenantId;
  }
}
