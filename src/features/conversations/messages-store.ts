import type { Connection, Reader } from '../../db/connection.ts';
import { insertRows, valuesOf } from '../../db/values.ts';
import { MESSAGE_COLUMNS, type MessageRow, messageRowId, ROW_IDS_PER_CONVERSATION } from './message-row.ts';

const INSERT = `INSERT INTO messages (${MESSAGE_COLUMNS.join(', ')})`;

/** A conversation, by the number under which its messages stand. */
interface Place {
  tenantId: string;
  number: number;
}

/** The tenant, in a form that leads to no index: the numbers already name one conversation, in its order. */
const OWN = '(tenantId = ?) IS TRUE';

export async function insertMessages(connection: Connection, rows: readonly MessageRow[]): Promise<void> {
  await insertRows(
    connection,
    INSERT,
    rows.map((row) => valuesOf(row, MESSAGE_COLUMNS)),
  );
}

export async function findMessage(
  reader: Reader,
  { tenantId, conversationId }: { tenantId: string; conversationId: string },
  id: string,
): Promise<MessageRow | undefined> {
  return reader.get<MessageRow>('SELECT * FROM messages WHERE tenantId = ? AND id = ? AND conversationId = ?', [
    tenantId,
    id,
    conversationId,
  ]);
}

/** Messages after (oldest first) or before (newest first) a place in their conversation. */
export async function listMessages(
  reader: Reader,
  { tenantId, number }: Place,
  page: { order: 'newest' | 'oldest'; beyond: number; limit: number },
): Promise<MessageRow[]> {
  const oldest = page.order === 'oldest';
  const beyond = Math.min(page.beyond, ROW_IDS_PER_CONVERSATION);
  return reader.all<MessageRow>(
    `SELECT * FROM messages WHERE number > ? AND number < ? AND ${OWN}
     ORDER BY number ${oldest ? 'ASC' : 'DESC'} LIMIT ?`,
    [
      messageRowId(number, oldest ? beyond : 0),
      messageRowId(number, oldest ? ROW_IDS_PER_CONVERSATION : beyond),
      tenantId,
      page.limit,
    ],
  );
}

/** How many messages stand behind the one place and up to the other. */
export async function countMessages(
  reader: Reader,
  { tenantId, number }: Place,
  { fromOrdinal, toOrdinal }: { fromOrdinal: number; toOrdinal: number },
): Promise<number> {
  const row = await reader.get<{ messages: number }>(
    `SELECT COUNT(*) AS messages FROM messages WHERE number > ? AND number <= ? AND ${OWN}`,
    [messageRowId(number, fromOrdinal), messageRowId(number, toOrdinal), tenantId],
  );
  return row!.messages;
}

/** The newest message that is left. */
export async function findNewest(
  reader: Reader,
  { tenantId, number }: Place,
): Promise<{ createdAt: number } | undefined> {
  return reader.get(
    `SELECT createdAt FROM messages WHERE number > ? AND number < ? AND ${OWN}
     ORDER BY number DESC LIMIT 1`,
    [messageRowId(number, 0), messageRowId(number, ROW_IDS_PER_CONVERSATION), tenantId],
  );
}

export async function deleteMessage(connection: Connection, tenantId: string, number: number): Promise<void> {
  await connection.run('DELETE FROM messages WHERE tenantId = ? AND number = ?', [tenantId, number]);
}

/** Removes up to `limit` messages of a conversation that is being erased; returns their numbers. */
export async function deleteSomeMessages(
  connection: Connection,
  { tenantId, number }: Place,
  limit: number,
): Promise<number[]> {
  const rows = await connection.all<{ number: number }>(
    `DELETE FROM messages WHERE tenantId = ? AND number IN
       (SELECT number FROM messages WHERE number > ? AND number < ? LIMIT ?) RETURNING number`,
    [tenantId, messageRowId(number, 0), messageRowId(number, ROW_IDS_PER_CONVERSATION), limit],
  );
  return rows.map(({ number }) => number);
}

/** Removes up to `limit` messages of a tenant that is being erased; returns their numbers. */
export async function deleteSomeMessagesOf(connection: Connection, tenantId: string, limit: number): Promise<number[]> {
  const rows = await connection.all<{ number: number }>(
    `DELETE FROM messages WHERE tenantId = ? AND number IN
       (SELECT number FROM messages WHERE tenantId = ? LIMIT ?) RETURNING number`,
    [tenantId, tenantId, limit],
  );
  return rows.map(({ number }) => number);
}
