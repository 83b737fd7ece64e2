import type { HistogramTime } from '../../contract/memories-stats.ts';
import { EXPIRES_SOON_MS } from '../../contract/memory-filters.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import type { Engine } from '../../db/dialect.ts';
import { blankRows, eraseRows } from '../../db/erase-rows.ts';
import { readLongPage } from '../../db/long-pages.ts';
import { erasedCondition, type Owner } from '../../db/owner.ts';
import { insertRows, listPlaceholders, padToPowerOfTwo, placeholders, valuesOf } from '../../db/values.ts';
import { joinConditions, type ListFilter, selectionOf } from './memory-list-store.ts';
import { leaveSources } from './memory-lookups-store.ts';
import {
  bytesOf,
  MEMORY_COLUMNS,
  MEMORY_TEXTS,
  type MemoryRow,
  memoryRows,
  type NewMemoryRow,
  sourceIdsIn,
} from './memory-row.ts';

/** How many memories have a value; a bucket of the histogram is a date, month or year, as in `2026-11-22`. */
export interface CountRow {
  facet: 'total' | 'user' | 'tag' | 'project' | 'source' | 'client' | 'state' | 'bucket';
  value: string;
  count: number;
}

export interface Counting {
  filter: ListFilter;
  /** The time by which the histogram counts. */
  time: HistogramTime;
  /** The most values of a facet. */
  maxValues: number;
  /** The most tags of memories that are counted: a million need about 0.2 GB while they are sorted. */
  maxTags: number;
  /** The histogram is by day if it spans at most this many days, else by month or by year. */
  maxBuckets: number;
}

const TIMES: Record<HistogramTime, string> = {
  createdAt: 'm.createdAt',
  occurredAt: 'COALESCE(m.occurredAt, m.createdAt)',
};

/**
 * Tags are read from the rows: finding those of each memory in `memoryTags` takes longer. SQLite reads the rows again,
 * because a copy of all tags would fill the memory; PostgreSQL writes a large copy to disk, which is faster than a join, and
 * gives what it reads from JSON the collation of the database.
 */
const TAGS: Record<Engine, { copied: string; tag: string; from: string }> = {
  sqlite: {
    copied: 'm.tenantId, m.number',
    tag: 't.value',
    from: `c CROSS JOIN memories m ON m.number = c.number AND m.tenantId = c.tenantId
      CROSS JOIN json_each(m.tags) t ON TRUE`,
  },
  postgres: {
    copied: 'm.tags',
    tag: 't.value COLLATE "C"',
    from: 'c CROSS JOIN json_array_elements_text(CAST(c.tags AS JSON)) t(value) ON TRUE',
  },
};

/** The date of a day that is counted from 1970. */
const DATES: Record<Engine, string> = {
  sqlite: "date(day * 86400, 'unixepoch')",
  postgres: "to_char(DATE '1970-01-01' + CAST(day AS INTEGER), 'YYYY-MM-DD')",
};

const topOf = (facet: CountRow['facet'], value: string, from = 'c') =>
  `SELECT '${facet}', value, count FROM (SELECT ${value} AS value, COUNT(*) AS count FROM ${from}
    WHERE ${value} IS NOT NULL GROUP BY ${value} ORDER BY count DESC, value LIMIT ?) ${facet}s`;

const stateOf = (name: string, condition: string, from = 'c') =>
  `SELECT 'state', '${name}', COUNT(*) FROM ${from} WHERE ${condition}`;

/** Counts what matches a filter, in one pass over the rows; superseded memories are counted in any case. */
export async function countFacets(
  reader: Reader,
  { filter, time, maxValues, maxTags, maxBuckets }: Counting,
): Promise<CountRow[]> {
  const { engine } = reader;
  const { from, conditions } = selectionOf({ ...filter, includeSuperseded: true }, 'none', engine);
  const { sql, values } = joinConditions(conditions);
  const at = TIMES[time];
  const tags = TAGS[engine];
  return reader.all<CountRow>(
    `WITH s AS MATERIALIZED (SELECT ${tags.copied}, m.endUser, m.project, m.sourceKind, m.client, m.pinned, m.validTo,
        m.expiresAt, (${at} - CASE WHEN ${at} < 0 THEN 86399999 ELSE 0 END) / 86400000 AS day
      FROM ${from} WHERE ${sql}),
    c AS (SELECT * FROM s WHERE ${filter.includeSuperseded ? '1 = 1' : 'validTo IS NULL'}),
    d AS (SELECT day, COUNT(*) AS count FROM c GROUP BY day),
    w AS (SELECT CASE WHEN MAX(day) - MIN(day) < ${maxBuckets} THEN 10
      WHEN MAX(day) - MIN(day) < ${maxBuckets * 30} THEN 7 ELSE 4 END AS width FROM d),
    b AS (SELECT substr(${DATES[engine]}, 1, width) AS date, count FROM d CROSS JOIN w ON TRUE)
    SELECT 'total' AS facet, '' AS value, COUNT(*) AS count FROM c
    UNION ALL ${topOf('user', 'endUser')}
    UNION ALL ${topOf('tag', 'tag', `(SELECT ${tags.tag} AS tag FROM ${tags.from} LIMIT ?) t`)}
    UNION ALL ${topOf('project', 'project')}
    UNION ALL ${topOf('source', 'sourceKind')}
    UNION ALL ${topOf('client', 'client')}
    UNION ALL ${stateOf('current', 'validTo IS NULL')}
    UNION ALL ${stateOf('superseded', 'validTo IS NOT NULL', 's')}
    UNION ALL ${stateOf('pinned', 'pinned = 1')}
    UNION ALL ${stateOf('expiring', 'expiresAt IS NOT NULL')}
    UNION ALL ${stateOf('expiringSoon', 'expiresAt <= ?')}
    UNION ALL SELECT 'bucket', date, SUM(count) FROM b GROUP BY date`,
    [...values, maxValues, maxTags, maxValues, maxValues, maxValues, maxValues, filter.nowMs + EXPIRES_SOON_MS],
  );
}

const INSERT = `INSERT INTO memories (${MEMORY_COLUMNS.join(', ')}, bytes)`;

/** Finds the current version, even if it has expired. */
export async function findMemory(reader: Reader, tenantId: string, id: string): Promise<MemoryRow | undefined> {
  const rows = await memoryRows.all(
    reader,
    (columns) => `SELECT ${columns} FROM memories m WHERE tenantId = ? AND id = ? ORDER BY version DESC LIMIT 1`,
    [tenantId, id],
  );
  return rows[0];
}

/** Finds current versions by tenant and id. */
export async function findMemories(
  reader: Reader,
  keys: readonly { tenantId: string; id: string }[],
): Promise<MemoryRow[]> {
  if (keys.length === 0) return [];
  const padded = padToPowerOfTwo(keys);
  return memoryRows.all(
    reader,
    (columns) =>
      `SELECT ${columns} FROM memories m
       WHERE (tenantId, id) IN (VALUES ${placeholders(padded.length, 2)}) AND current = 1`,
    padded.flatMap(({ tenantId, id }) => [tenantId, id]),
  );
}

/** Finds the currently valid memories with the same content, by tenant, user and content hash. */
export async function findSameContent(
  reader: Reader,
  keys: readonly { tenantId: string; endUser: string; contentHash: string }[],
): Promise<MemoryRow[]> {
  const rows: MemoryRow[] = [];
  for (let start = 0; start < keys.length; start += 64) {
    const chunk = padToPowerOfTwo(keys.slice(start, start + 64));
    const found = await memoryRows.all(
      reader,
      (columns) =>
        `SELECT ${columns} FROM memories m
         WHERE (tenantId, endUser, contentHash) IN (VALUES ${placeholders(chunk.length, 3)})
           AND current = 1 AND validTo IS NULL`,
      chunk.flatMap(({ tenantId, endUser, contentHash }) => [tenantId, endUser, contentHash]),
    );
    rows.push(...found);
  }
  return rows;
}

/** Finds the currently valid memories with external ids, by tenant, user and external id. */
export async function findByExternalId(
  reader: Reader,
  keys: readonly { tenantId: string; endUser: string; externalId: string }[],
): Promise<MemoryRow[]> {
  if (keys.length === 0) return [];
  const padded = padToPowerOfTwo(keys);
  return memoryRows.all(
    reader,
    (columns) =>
      `SELECT ${columns} FROM memories m
       WHERE (tenantId, externalId, endUser) IN (VALUES ${placeholders(padded.length, 3)})
         AND externalId IS NOT NULL AND current = 1 AND validTo IS NULL`,
    padded.flatMap(({ tenantId, externalId, endUser }) => [tenantId, externalId, endUser]),
  );
}

/** Finds those of the rows that exist, by row number. */
export async function findMemoryRows(
  reader: Reader,
  tenantId: string,
  numbers: readonly number[],
): Promise<MemoryRow[]> {
  if (numbers.length === 0) return [];
  return memoryRows.all(
    reader,
    (columns) =>
      `SELECT ${columns} FROM memories m
       WHERE number IN (${listPlaceholders(numbers.length)}) AND (tenantId = ?) IS TRUE ORDER BY number`,
    [...numbers, tenantId],
  );
}

/** Lists the versions of a memory below one, newest first. */
export async function listVersionsBelow(
  reader: Reader,
  { tenantId, id }: { tenantId: string; id: string },
  { below, limit }: { below: number; limit: number },
): Promise<MemoryRow[]> {
  return readLongPage<MemoryRow>(limit, (last, count) =>
    memoryRows.all(
      reader,
      (columns) =>
        `SELECT ${columns} FROM memories m WHERE tenantId = ? AND id = ? AND version < ? ORDER BY version DESC LIMIT ?`,
      [tenantId, id, last?.version ?? below, count],
    ),
  );
}

/** Inserts at most one version per id and returns the row numbers by id. */
export async function insertMemories(
  connection: Connection,
  rows: readonly NewMemoryRow[],
): Promise<Map<string, number>> {
  const inserted = await insertVersions(connection, rows);
  return new Map(inserted.map(({ id, number }) => [id, number]));
}

/** Inserts versions and returns their row numbers. */
export async function insertVersions(
  connection: Connection,
  rows: readonly NewMemoryRow[],
): Promise<{ id: string; version: number; number: number }[]> {
  return insertRows(
    connection,
    INSERT,
    rows.map((row) => [...valuesOf(row, MEMORY_COLUMNS), bytesOf(row)]),
    'RETURNING id, version, number',
  );
}

/** Ends the validity of a memory, which another may take the place of. */
export async function updateSuperseded(
  connection: Connection,
  {
    tenantId,
    id,
    validTo,
    supersededBy,
    nowMs,
  }: { tenantId: string; id: string; validTo: number; supersededBy: string | null; nowMs: number },
): Promise<void> {
  await connection.run(
    `UPDATE memories SET validTo = ?, supersededBy = ?, updatedAt = ?
     WHERE tenantId = ? AND id = ? AND current = 1`,
    [validTo, supersededBy, nowMs, tenantId, id],
  );
}

/** Makes the current version of a closed memory valid again. */
export async function updateReopened(
  connection: Connection,
  { tenantId, id, nowMs }: { tenantId: string; id: string; nowMs: number },
): Promise<void> {
  await connection.run(
    `UPDATE memories SET validTo = NULL, supersededBy = NULL, updatedAt = ?
     WHERE tenantId = ? AND id = ? AND current = 1`,
    [nowMs, tenantId, id],
  );
}

/** Overwrites what a version says. */
export async function updateRedacted(connection: Connection, row: MemoryRow): Promise<void> {
  const { tenantId, number } = row;
  await blankRows(connection, { table: 'memories', texts: MEMORY_TEXTS, tenantId, rowIds: [number] });
  const columns = [...MEMORY_TEXTS, 'externalId', 'occurredAt', 'saidAt', 'contentHash', 'traits', 'dates'] as const;
  const set = columns.map((column) => `${column} = ?`).join(', ');
  const values = [...valuesOf(row, columns), bytesOf(row), tenantId, number];
  await connection.run(`UPDATE memories SET ${set}, bytes = ? WHERE tenantId = ? AND number = ?`, values);
}

/** Notes when the current version of a memory was said again. */
export async function updateSaid(
  connection: Connection,
  { tenantId, id, saidAt }: Pick<NewMemoryRow, 'tenantId' | 'id' | 'saidAt'>,
): Promise<void> {
  await connection.run('UPDATE memories SET saidAt = ? WHERE tenantId = ? AND id = ? AND current = 1', [
    saidAt,
    tenantId,
    id,
  ]);
}

/** Marks the current version as past, before its successor is inserted. */
export async function updateReplaced(
  connection: Connection,
  tenantId: string,
  number: number,
  validTo: number,
): Promise<void> {
  await connection.run('UPDATE memories SET current = 0, validTo = ? WHERE tenantId = ? AND number = ?', [
    validTo,
    tenantId,
    number,
  ]);
}

/** Deletes how often erased memories were shown and used. */
export async function deleteUses(connection: Connection, tenantId: string, ids: readonly string[]): Promise<void> {
  await connection.run('DELETE FROM memoryUses WHERE tenantId = ? AND memoryId IN (SELECT value FROM texts(?))', [
    tenantId,
    JSON.stringify(ids),
  ]);
}

type ErasedVersion = Pick<MemoryRow, 'tenantId' | 'scope' | 'number'>;

/** Deletes a memory with all versions and tags; memories it superseded stay closed. Returns the deleted versions. */
export async function deleteMemory(
  connection: Connection,
  tenantId: string,
  id: string,
): Promise<(ErasedVersion & Pick<MemoryRow, 'metadata'>)[]> {
  const rows = await connection.all<ErasedVersion & Pick<MemoryRow, 'metadata' | 'source' | 'current'>>(
    'DELETE FROM memories WHERE tenantId = ? AND id = ? RETURNING tenantId, scope, number, metadata, source, current',
    [tenantId, id],
  );
  const sourceIds = rows.flatMap(({ current, source }) => (current === 1 ? sourceIdsIn(source) : []));
  await leaveSources(connection, { tenantId, id }, sourceIds);
  await deleteUses(connection, tenantId, [id]);
  await connection.run('UPDATE memories SET supersededBy = NULL WHERE tenantId = ? AND supersededBy = ?', [
    tenantId,
    id,
  ]);
  return rows;
}

/** Deletes up to `limit` versions of an owner that is being erased and returns them. */
export async function deleteSomeOf(
  connection: Connection,
  owner: Owner,
  limit: number,
): Promise<(ErasedVersion & Pick<MemoryRow, 'id'>)[]> {
  const own = erasedCondition(owner);
  const rows = await connection.all<ErasedVersion & Pick<MemoryRow, 'id'>>(
    `SELECT tenantId, scope, number, id FROM memories WHERE ${own.sql} LIMIT ?`,
    [...own.values, limit],
  );
  const rowIds = rows.map(({ number }) => number);
  await eraseRows(connection, { table: 'memories', texts: MEMORY_TEXTS, tenantId: owner.tenantId, rowIds });
  return rows;
}

/** Lists expired memories of all tenants, for the background sweep. */
export async function listExpired(
  reader: Reader,
  nowMs: number,
  limit: number,
): Promise<{ tenantId: string; id: string }[]> {
  return reader.all(
    'SELECT tenantId, id FROM memories WHERE expiresAt IS NOT NULL AND expiresAt <= ? AND current = 1 LIMIT ?',
    [nowMs, limit],
  );
}

export async function isExpired(
  reader: Reader,
  { tenantId, id }: { tenantId: string; id: string },
  nowMs: number,
): Promise<boolean> {
  const row = await reader.get(
    'SELECT 1 FROM memories WHERE tenantId = ? AND id = ? AND expiresAt IS NOT NULL AND expiresAt <= ? AND current = 1',
    [tenantId, id, nowMs],
  );
  return row !== undefined;
}

/** Lists the memories of a user that were superseded by some others, newest first, without expired ones. */
export async function listSupersededBy(
  reader: Reader,
  { tenantId, endUser }: { tenantId: string; endUser: string },
  ids: readonly string[],
  { nowMs, limit }: { nowMs: number; limit: number },
): Promise<MemoryRow[]> {
  return memoryRows.all(
    reader,
    (columns) =>
      `SELECT ${columns} FROM texts(?) t
         CROSS JOIN memories m ON m.tenantId = ? AND m.supersededBy = t.value AND m.supersededBy IS NOT NULL
       WHERE m.current = 1 AND (m.endUser = ?) IS TRUE AND (m.expiresAt IS NULL OR m.expiresAt > ?)
       ORDER BY m.id DESC LIMIT ?`,
    [JSON.stringify(ids), tenantId, endUser, nowMs, limit],
  );
}
