import type { ProjectFilter } from '../../contract/project.ts';
import type { Connection, Reader, Value } from '../../db/connection.ts';
import { eraseRows } from '../../db/erase-rows.ts';
import { erasedCondition, type Owner } from '../../db/owner.ts';
import { insertRows, padToPowerOfTwo, placeholders, projectConditions, valuesOf } from '../../db/values.ts';
import {
  bytesOf,
  derivedOf,
  EPISODE_COLUMNS,
  EPISODE_TEXTS,
  type EpisodeRow,
  episodeCodec,
  type NewEpisodeRow,
} from './episode-row.ts';

const DERIVED = ['traits', 'dates', 'bytes'];
const UPDATED = [
  ...episodeCodec.changeableColumns,
  ...(['conversationId', 'fromOrdinal', 'toOrdinal', 'fromMessageId', 'toMessageId'] as const),
  ...(['edited', 'version', 'updatedAt'] as const),
];
const INSERT = `INSERT INTO episodes (${[...EPISODE_COLUMNS, ...DERIVED].join(', ')})`;
const UPDATE = `UPDATE episodes SET ${[...UPDATED, ...DERIVED].map((column) => `${column} = ?`).join(', ')}
  WHERE tenantId = ? AND id = ?`;

/** Selects episodes of a tenant. */
export interface EpisodeFilter {
  tenantId: string;
  user: string | undefined;
  project?: ProjectFilter | undefined;
  conversationId: string | undefined;
  afterMs: number | undefined;
  beforeMs: number | undefined;
}

/** A page of a list by id, after the last id of the previous page. */
export interface IdPage {
  order: 'asc' | 'desc';
  afterId: string | undefined;
  limit: number;
}

export async function findEpisode(reader: Reader, tenantId: string, id: string): Promise<EpisodeRow | undefined> {
  return reader.get<EpisodeRow>('SELECT * FROM episodes WHERE tenantId = ? AND id = ?', [tenantId, id]);
}

/** Finds episodes by their row numbers, by ascending number. */
export async function findEpisodeRows(
  reader: Reader,
  tenantId: string,
  numbers: readonly number[],
): Promise<EpisodeRow[]> {
  return reader.all<EpisodeRow>(
    `SELECT * FROM episodes WHERE tenantId = ? AND number IN (SELECT value FROM numbers(?)) ORDER BY number`,
    [tenantId, JSON.stringify(numbers)],
  );
}

export async function listEpisodes(
  reader: Reader,
  filter: EpisodeFilter,
  { order, afterId, limit }: IdPage,
): Promise<EpisodeRow[]> {
  const terms = termsOf(filter);
  if (afterId !== undefined) terms.push([`id ${order === 'desc' ? '<' : '>'} ?`, afterId]);
  return reader.all<EpisodeRow>(
    `SELECT * FROM episodes WHERE ${terms.map(([condition]) => condition).join(' AND ')} ORDER BY id ${order} LIMIT ?`,
    [...terms.map(([, value]) => value), limit],
  );
}

export async function countEpisodes(reader: Reader, filter: EpisodeFilter): Promise<number> {
  const terms = termsOf(filter);
  const row = await reader.get<{ total: number }>(
    `SELECT COUNT(*) AS total FROM episodes WHERE ${terms.map(([condition]) => condition).join(' AND ')}`,
    terms.map(([, value]) => value),
  );
  return row!.total;
}

function termsOf(filter: EpisodeFilter): [string, Value][] {
  const terms: [string, Value][] = [['tenantId = ?', filter.tenantId]];
  if (filter.conversationId !== undefined) terms.push(['conversationId = ?', filter.conversationId]);
  if (filter.user !== undefined) terms.push(['endUser = ?', filter.user]);
  terms.push(...projectConditions(filter.project, 'project'));
  if (filter.afterMs !== undefined) terms.push(['endedAt > ?', filter.afterMs]);
  if (filter.beforeMs !== undefined) terms.push(['startedAt < ?', filter.beforeMs]);
  return terms;
}

/** Lists the first cuts of a conversation, in order. */
export async function listCuts(
  reader: Reader,
  tenantId: string,
  conversationId: string,
  limit: number,
): Promise<EpisodeRow[]> {
  return reader.all<EpisodeRow>(
    'SELECT * FROM episodes WHERE tenantId = ? AND conversationId = ? AND cut = 1 ORDER BY fromOrdinal LIMIT ?',
    [tenantId, conversationId, limit],
  );
}

/** Finds the last cut that begins at or before an ordinal; by default the last cut of the conversation. */
export async function findCutBefore(
  reader: Reader,
  tenantId: string,
  conversationId: string,
  ordinal = Number.MAX_SAFE_INTEGER,
): Promise<EpisodeRow | undefined> {
  return reader.get<EpisodeRow>(
    `SELECT * FROM episodes WHERE tenantId = ? AND conversationId = ? AND cut = 1 AND fromOrdinal <= ?
     ORDER BY fromOrdinal DESC LIMIT 1`,
    [tenantId, conversationId, ordinal],
  );
}

/** Lists the written episodes whose span begins or ends between two ordinals, both included. */
export async function listEndingWithin(
  reader: Reader,
  tenantId: string,
  conversationId: string,
  { fromOrdinal, toOrdinal }: { fromOrdinal: number; toOrdinal: number },
): Promise<EpisodeRow[]> {
  return reader.all<EpisodeRow>(
    `SELECT * FROM episodes WHERE tenantId = ? AND conversationId = ? AND cut = 0
     AND (fromOrdinal BETWEEN ? AND ? OR toOrdinal BETWEEN ? AND ?)`,
    [tenantId, conversationId, fromOrdinal, toOrdinal, fromOrdinal, toOrdinal],
  );
}

/** Inserts episodes and returns the row numbers by id. */
export async function insertEpisodes(
  connection: Connection,
  rows: readonly NewEpisodeRow[],
): Promise<Map<string, number>> {
  const inserted = await insertRows<{ id: string; number: number }>(
    connection,
    INSERT,
    rows.map((row) => [...valuesOf(row, EPISODE_COLUMNS), ...derivedOf(row), bytesOf(row)]),
    'RETURNING id, number',
  );
  return new Map(inserted.map(({ id, number }) => [id, number]));
}

/** Updates the mutable columns of an episode. */
export async function updateEpisode(connection: Connection, row: EpisodeRow): Promise<void> {
  await connection.run(UPDATE, [...valuesOf(row, UPDATED), ...derivedOf(row), bytesOf(row), row.tenantId, row.id]);
}

export async function deleteEpisode(connection: Connection, tenantId: string, id: string): Promise<void> {
  await connection.run('DELETE FROM episodes WHERE tenantId = ? AND id = ?', [tenantId, id]);
}

type ErasedEpisode = Pick<EpisodeRow, 'tenantId' | 'scope' | 'number' | 'id'>;

/** Deletes the cuts of a conversation and returns them. */
export async function deleteCuts(
  connection: Connection,
  tenantId: string,
  conversationId: string,
): Promise<ErasedEpisode[]> {
  const rows = await connection.all<ErasedEpisode>(
    'SELECT tenantId, scope, number, id FROM episodes WHERE tenantId = ? AND conversationId = ? AND cut = 1',
    [tenantId, conversationId],
  );
  await eraseEpisodes(connection, tenantId, rows);
  return rows;
}

/** Moves the cuts of a conversation that are in the project `from` to another. */
export async function updateProjectOfCuts(
  connection: Connection,
  { tenantId, id, project }: { tenantId: string; id: string; project: string | null },
  from: string | null,
  nowMs: number,
): Promise<void> {
  await connection.run(
    `UPDATE episodes SET project = ?, version = version + 1, updatedAt = ?
     WHERE tenantId = ? AND conversationId = ? AND cut = 1 AND COALESCE(project, '') = ?`,
    [project, nowMs, tenantId, id, from ?? ''],
  );
}

/** Detaches the written episodes of a conversation from it. */
export async function updateDetached(
  connection: Connection,
  tenantId: string,
  conversationId: string,
  nowMs: number,
): Promise<void> {
  await connection.run(
    `UPDATE episodes SET conversationId = NULL, fromOrdinal = NULL, toOrdinal = NULL, fromMessageId = NULL,
       toMessageId = NULL, version = version + 1, updatedAt = ?
     WHERE tenantId = ? AND conversationId = ? AND cut = 0`,
    [nowMs, tenantId, conversationId],
  );
}

/** Deletes up to `limit` episodes of an owner that is being erased and returns them. */
export async function deleteSomeEpisodesOf(
  connection: Connection,
  owner: Owner,
  limit: number,
): Promise<ErasedEpisode[]> {
  const own = erasedCondition(owner);
  const rows = await connection.all<ErasedEpisode>(
    `SELECT tenantId, scope, number, id FROM episodes WHERE ${own.sql} LIMIT ?`,
    [...own.values, limit],
  );
  await eraseEpisodes(connection, owner.tenantId, rows);
  return rows;
}

async function eraseEpisodes(
  connection: Connection,
  tenantId: string,
  rows: readonly { number: number }[],
): Promise<void> {
  const rowIds = rows.map(({ number }) => number);
  await eraseRows(connection, { table: 'episodes', texts: EPISODE_TEXTS, tenantId, rowIds });
}

/** Selects a page of a tenant's episodes after `afterId`. */
export interface EpisodeExportFilter {
  tenantId: string;
  user: string | undefined;
  afterId: string;
  limit: number;
}

/** Lists episodes ordered by id. */
export async function listAllEpisodes(reader: Reader, filter: EpisodeExportFilter): Promise<EpisodeRow[]> {
  const { tenantId, user, afterId, limit } = filter;
  return reader.all<EpisodeRow>(
    `SELECT * FROM episodes WHERE tenantId = ? AND id > ? ${user === undefined ? '' : 'AND endUser = ?'}
     ORDER BY id LIMIT ?`,
    [tenantId, afterId, ...(user === undefined ? [] : [user]), limit],
  );
}

/** Returns those of the given ids that exist. */
export async function findEpisodeIds(reader: Reader, tenantId: string, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const padded = padToPowerOfTwo(ids);
  const rows = await reader.all<{ id: string }>(
    `SELECT id FROM episodes WHERE (tenantId, id) IN (VALUES ${placeholders(padded.length, 2)})`,
    padded.flatMap((id) => [tenantId, id]),
  );
  return rows.map(({ id }) => id);
}
