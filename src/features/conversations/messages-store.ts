import type { Connection, Reader } from '../../db/connection.ts';
import { insertRows } from '../../db/values.ts';
import type { MessageRow, NewMessageRow } from './message-row.ts';

interface Place {
  tenantId: string;
  conversationId: string;
}

/** Inserts messages and returns the number that each id got. */
export async function insertMessages(
  connection: Connection,
  rows: readonly NewMessageRow[],
): Promise<Map<string, number>> {
  const inserted = await insertRows<{ id: string; number: number }>(
    connection,
    'INSERT INTO messages (tenantId, conversationId, ordinal, id, scope, role, name, content, metadata, createdAt)',
    rows.map((row) => [
      row.tenantId,
      row.conversationId,
      row.ordinal,
      row.id,
      row.scope,
      row.role,
      row.name,
      row.content,
      row.metadata,
      row.createdAt,
    ]),
    'RETURNING id, number',
  );
  return new Map(inserted.map(({ id, number }) => [id, number]));
}

export async function findMessage(
  reader: Reader,
  { tenantId, conversationId }: Place,
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
  { tenantId, conversationId }: Place,
  page: { order: 'newest' | 'oldest'; beyond: number; limit: number },
): Promise<MessageRow[]> {
  const [sign, direction] = page.order === 'oldest' ? ['>', 'ASC'] : ['<', 'DESC'];
  return reader.all<MessageRow>(
    `SELECT * FROM messages WHERE tenantId = ? AND conversationId = ? AND ordinal ${sign} ?
     ORDER BY ordinal ${direction} LIMIT ?`,
    [tenantId, conversationId, page.beyond, page.limit],
  );
}

/** The newest message that is left. */
export async function findNewest(
  reader: Reader,
  { tenantId, conversationId }: Place,
): Promise<{ createdAt: number } | undefined> {
  return reader.get(
    'SELECT createdAt FROM messages WHERE tenantId = ? AND conversationId = ? ORDER BY ordinal DESC LIMIT 1',
    [tenantId, conversationId],
  );
}

export async function deleteMessage(connection: Connection, tenantId: string, number: number): Promise<void> {
  await connection.run('DELETE FROM messages WHERE tenantId = ? AND number = ?', [tenantId, number]);
}

/** Removes up to `limit` messages of a conversation that is being erased; returns their numbers. */
export async function deleteSomeMessages(
  connection: Connection,
  { tenantId, conversationId }: Place,
  limit: number,
): Promise<number[]> {
  const rows = await connection.all<{ number: number }>(
    `DELETE FROM messages WHERE tenantId = ? AND number IN
       (SELECT number FROM messages WHERE tenantId = ? AND conversationId = ? LIMIT ?) RETURNING number`,
    [tenantId, tenantId, conversationId, limit],
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
