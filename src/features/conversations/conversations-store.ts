import type { ProjectFilter } from '../../contract/project.ts';
import type { Connection, Reader, Value } from '../../db/connection.ts';
import { erasedCondition } from '../../db/owner.ts';
import { insertRows, padToPowerOfTwo, placeholders, projectConditions, valuesOf } from '../../db/values.ts';
import { CONVERSATION_COLUMNS, type ConversationRow, conversationBytesOf, conversationCodec } from './message-row.ts';

const UPDATED = [
  ...conversationCodec.changeableColumns,
  ...(['version', 'messageCount', 'lastOrdinal', 'lastMessageAt', 'updatedAt'] as const),
];
const INSERT = `INSERT INTO conversations (${CONVERSATION_COLUMNS.join(', ')}, bytes)`;
const UPDATE = `UPDATE conversations SET ${UPDATED.map((column) => `${column} = ?`).join(', ')}, bytes = ?
  WHERE tenantId = ? AND id = ?`;

/** Selects conversations of a tenant. */
export interface ConversationFilter {
  tenantId: string;
  user: string | undefined;
  project?: ProjectFilter | undefined;
  afterMs: number | undefined;
  beforeMs: number | undefined;
}

/** A page of a list by id, after the last id of the previous page. */
export interface IdPage {
  order: 'asc' | 'desc';
  afterId: string | undefined;
  limit: number;
}

export async function findConversation(
  reader: Reader,
  tenantId: string,
  id: string,
): Promise<ConversationRow | undefined> {
  return reader.get<ConversationRow>('SELECT * FROM conversations WHERE tenantId = ? AND id = ? AND erasedAt IS NULL', [
    tenantId,
    id,
  ]);
}

export async function findConversations(
  reader: Reader,
  keys: readonly { tenantId: string; id: string }[],
): Promise<ConversationRow[]> {
  if (keys.length === 0) return [];
  const padded = padToPowerOfTwo(keys);
  return reader.all<ConversationRow>(
    `SELECT * FROM conversations WHERE (tenantId, id) IN (VALUES ${placeholders(padded.length, 2)})
     AND erasedAt IS NULL`,
    padded.flatMap(({ tenantId, id }) => [tenantId, id]),
  );
}

export async function listConversations(
  reader: Reader,
  filter: ConversationFilter,
  { order, afterId, limit }: IdPage,
): Promise<ConversationRow[]> {
  const terms = termsOf(filter);
  if (afterId !== undefined) terms.push([`id ${order === 'desc' ? '<' : '>'} ?`, afterId]);
  return reader.all<ConversationRow>(
    `SELECT * FROM conversations WHERE ${terms.map(([condition]) => condition).join(' AND ')}
     AND erasedAt IS NULL ORDER BY id ${order} LIMIT ?`,
    [...terms.map(([, value]) => value), limit],
  );
}

export async function countConversations(reader: Reader, filter: ConversationFilter): Promise<number> {
  const terms = termsOf(filter);
  const row = await reader.get<{ total: number }>(
    `SELECT COUNT(*) AS total FROM conversations WHERE ${terms.map(([condition]) => condition).join(' AND ')}
     AND erasedAt IS NULL`,
    terms.map(([, value]) => value),
  );
  return row!.total;
}

function termsOf(filter: ConversationFilter): [string, Value][] {
  const terms: [string, Value][] = [['tenantId = ?', filter.tenantId]];
  if (filter.user !== undefined) terms.push(['endUser = ?', filter.user]);
  terms.push(...projectConditions(filter.project, 'project'));
  if (filter.afterMs !== undefined) terms.push(['COALESCE(lastMessageAt, createdAt) > ?', filter.afterMs]);
  if (filter.beforeMs !== undefined) terms.push(['createdAt < ?', filter.beforeMs]);
  return terms;
}

/** Returns the numbers for that many new conversations; numbers are shared by all tenants. */
export async function nextNumbers(connection: Connection, count: number): Promise<number[]> {
  if (connection.engine === 'postgres') {
    const sql = `SELECT nextval('"conversationNumbers"') AS number FROM generate_series(1, ?)`;
    return (await connection.all<{ number: number }>(sql, [count])).map(({ number }) => number);
  }
  const row = await connection.get<{ last: number }>('SELECT COALESCE(MAX(number), 0) AS last FROM conversations');
  return Array.from({ length: count }, (_, index) => row!.last + 1 + index);
}

export async function insertConversations(connection: Connection, rows: readonly ConversationRow[]): Promise<void> {
  await insertRows(
    connection,
    INSERT,
    rows.map((row) => [...valuesOf(row, CONVERSATION_COLUMNS), conversationBytesOf(row)]),
  );
}

/** Updates the mutable columns of a conversation. */
export async function updateConversation(connection: Connection, row: ConversationRow): Promise<void> {
  await connection.run(UPDATE, [...valuesOf(row, UPDATED), conversationBytesOf(row), row.tenantId, row.id]);
}

/** Hides a conversation whose rows are about to be deleted. */
export async function updateErased(connection: Connection, tenantId: string, id: string, nowMs: number): Promise<void> {
  await connection.run('UPDATE conversations SET erasedAt = ? WHERE tenantId = ? AND id = ?', [nowMs, tenantId, id]);
}

/** Lists conversations of all tenants whose erasure was interrupted, for the background sweep. */
export async function listHalfErased(
  reader: Reader,
  limit: number,
): Promise<{ tenantId: string; id: string; number: number }[]> {
  return reader.all('SELECT tenantId, id, number FROM conversations WHERE erasedAt IS NOT NULL LIMIT ?', [limit]);
}

/** Lists conversations of a user that is being erased, including those whose rows are being deleted. */
export async function listConversationsToErase(
  reader: Reader,
  user: { tenantId: string; endUser: string },
  limit: number,
): Promise<Pick<ConversationRow, 'tenantId' | 'id' | 'number' | 'erasedAt'>[]> {
  const own = erasedCondition(user);
  return reader.all(`SELECT tenantId, id, number, erasedAt FROM conversations WHERE ${own.sql} LIMIT ?`, [
    ...own.values,
    limit,
  ]);
}

/** Hides all conversations of a tenant. */
export async function updateErasedOf(connection: Connection, tenantId: string, nowMs: number): Promise<void> {
  await connection.run('UPDATE conversations SET erasedAt = ? WHERE tenantId = ? AND erasedAt IS NULL', [
    nowMs,
    tenantId,
  ]);
}

export async function deleteConversation(connection: Connection, tenantId: string, id: string): Promise<void> {
  await connection.run('DELETE FROM conversations WHERE tenantId = ? AND id = ?', [tenantId, id]);
}

export async function deleteConversationsOf(connection: Connection, tenantId: string): Promise<void> {
  await connection.run('DELETE FROM conversations WHERE tenantId = ?', [tenantId]);
}

export async function updateCutThrough(
  connection: Connection,
  tenantId: string,
  id: string,
  cutThrough: number | null,
): Promise<void> {
  await connection.run('UPDATE conversations SET cutThrough = ? WHERE tenantId = ? AND id = ?', [
    cutThrough,
    tenantId,
    id,
  ]);
}

/** With the condition of the partial index. */
const IS_UNCUT = 'cutThrough IS NOT NULL AND cutThrough < lastOrdinal AND erasedAt IS NULL';

/**
 * Lists conversations with messages that are not cut into episodes yet, for the background job: the same share of each
 * tenant, beginning after `afterTenant` and wrapping around.
 */
export async function listUncut(
  reader: Reader,
  limit: number,
  afterTenant = '',
): Promise<{ tenantId: string; id: string }[]> {
  const following = await listUncutTenants(reader, afterTenant, limit);
  const isAtEnd = following.length === 0 && afterTenant !== '';
  const tenants = isAtEnd ? await listUncutTenants(reader, '', limit) : following;
  const share = Math.ceil(limit / Math.max(1, tenants.length));
  const sql = `SELECT tenantId, id FROM conversations WHERE tenantId = ? AND ${IS_UNCUT} ORDER BY id LIMIT ?`;
  const shares = await Promise.all(
    tenants.map((tenantId) => reader.all<{ tenantId: string; id: string }>(sql, [tenantId, share])),
  );
  return shares.flat().slice(0, limit);
}

/** Lists the next tenants with such a conversation, at one index lookup each. */
async function listUncutTenants(reader: Reader, afterTenant: string, limit: number): Promise<string[]> {
  const tenants: string[] = [];
  const sql = `SELECT tenantId FROM conversations WHERE tenantId > ? AND ${IS_UNCUT} ORDER BY tenantId LIMIT 1`;
  while (tenants.length < limit) {
    const next = await reader.get<{ tenantId: string }>(sql, [tenants.at(-1) ?? afterTenant]);
    if (!next) break;
    tenants.push(next.tenantId);
  }
  return tenants;
}
