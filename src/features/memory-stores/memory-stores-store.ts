import type { FILE_OPERATIONS } from '../../contract/memory-stores.ts';
import type { Reader, Value } from '../../db/connection.ts';
import { listPlaceholders } from '../../db/values.ts';
import { type MemoryRow, memoryRows } from '../memories/memory-row.ts';

/** The memories of a user with a tag, and the time at which they are read. */
export interface Tagged {
  tenantId: string;
  user: string;
  tag: string;
  nowMs: number;
}

/** A memory and its path. */
export interface FoundFile {
  id: string;
  path: string;
}

const FILES = `memoryTags t JOIN memories m ON m.tenantId = t.tenantId AND m.id = t.memoryId
  WHERE t.tenantId = ? AND t.tag = ? AND m.endUser = ? AND (m.expiresAt IS NULL OR m.expiresAt > ?)`;
const ofTag = ({ tenantId, tag, user, nowMs }: Tagged) => [tenantId, tag, user, nowMs];

/** Lists the valid memories with paths from one up to another, in the order of their paths. */
export async function listFiles(
  reader: Reader,
  tagged: Tagged,
  { from, before, limit }: { from: string; before: string; limit: number },
): Promise<FoundFile[]> {
  return reader.all<FoundFile>(
    `SELECT m.id, m.externalId AS path FROM ${FILES} AND m.current = 1 AND m.validTo IS NULL
       AND m.externalId >= ? AND m.externalId < ? ORDER BY m.externalId LIMIT ?`,
    [...ofTag(tagged), from, before, limit],
  );
}

/** Finds the valid memories of users that have one of some external ids. */
export async function findNamed(
  reader: Reader,
  { tenantId, users, names }: { tenantId: string; users: readonly string[]; names: readonly string[] },
  nowMs: number,
): Promise<FoundFile[]> {
  return reader.all<FoundFile>(
    `SELECT m.id, m.externalId AS path FROM memories m
     WHERE m.tenantId = ? AND m.externalId IN (SELECT value FROM texts(?)) AND m.endUser IN (SELECT value FROM texts(?))
       AND m.externalId IS NOT NULL AND m.current = 1 AND m.validTo IS NULL
       AND (m.expiresAt IS NULL OR m.expiresAt > ?)`,
    [tenantId, JSON.stringify(names), JSON.stringify(users), nowMs],
  );
}

/** A change of a memory. That of a removed one is a version after its last. */
export interface FoundVersion {
  /** Of the row with the content, or with the last one of a removed memory. */
  number: number;
  id: string;
  version: number;
  at: number;
  operation: (typeof FILE_OPERATIONS)[number];
}

/** Selects versions; a page begins after a position. */
export interface VersionsFilter {
  memoryId?: string | undefined;
  version?: number | undefined;
  operation?: string | undefined;
  fromMs?: number | undefined;
  toMs?: number | undefined;
  after?: Pick<FoundVersion, 'at' | 'id' | 'version'> | undefined;
  limit: number;
}

/** Lists versions of memories with a tag, the latest first. */
export async function listFileVersions(
  reader: Reader,
  tagged: Tagged,
  { memoryId, version, operation, fromMs, toMs, after, limit }: VersionsFilter,
): Promise<FoundVersion[]> {
  const ofMemory = memoryId === undefined ? '' : ' AND m.id = ?';
  const values = [...ofTag(tagged), ...(memoryId === undefined ? [] : [memoryId])];
  const conditions: [sql: string, ...values: Value[]][] = [
    ...(version === undefined ? [] : [['v.version = ?', version] as [string, Value]]),
    ...(operation === undefined ? [] : [['v.operation = ?', operation] as [string, Value]]),
    ...(fromMs === undefined ? [] : [['v.at >= ?', fromMs] as [string, Value]]),
    ...(toMs === undefined ? [] : [['v.at <= ?', toMs] as [string, Value]]),
    ...(after
      ? [['(v.at, v.id, v.version) < (?, ?, ?)', after.at, after.id, after.version] as [string, ...Value[]]]
      : []),
  ];
  return reader.all<FoundVersion>(
    `WITH v AS (
       SELECT m.number, m.id, m.version, m.validFrom AS at,
         CASE WHEN m.version = 1 THEN 'created' ELSE 'modified' END AS operation FROM ${FILES}${ofMemory}
       UNION ALL
       SELECT m.number, m.id, m.version + 1, m.validTo, 'deleted' FROM ${FILES}${ofMemory}
         AND m.current = 1 AND m.validTo IS NOT NULL)
     SELECT * FROM v WHERE ${['1 = 1', ...conditions.map(([sql]) => sql)].join(' AND ')}
     ORDER BY v.at DESC, v.id DESC, v.version DESC LIMIT ?`,
    [...values, ...values, ...conditions.flatMap(([, ...given]) => given), limit],
  );
}

/** Finds stored versions by their row numbers. */
export async function findVersionRows(
  reader: Reader,
  tenantId: string,
  numbers: readonly number[],
): Promise<Map<number, MemoryRow>> {
  if (numbers.length === 0) return new Map();
  const rows = await memoryRows.all(
    reader,
    (columns) =>
      `SELECT ${columns} FROM memories m
       WHERE number IN (${listPlaceholders(numbers.length)}) AND (tenantId = ?) IS TRUE`,
    [...numbers, tenantId],
  );
  return new Map(rows.map((row) => [row.number, row]));
}
