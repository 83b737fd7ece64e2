import type { Connection, Reader } from '../../db/connection.ts';
import { eraseRows } from '../../db/erase-rows.ts';
import { readLongPage } from '../../db/long-pages.ts';
import { insertRows, listPlaceholders, valuesOf } from '../../db/values.ts';
import {
  MESSAGE_COLUMNS,
  MESSAGE_TEXTS,
  type MessageRow,
  messageBytesOf,
  messageCodec,
  messageRowId,
  ROW_IDS_PER_CONVERSATION,
} from './message-row.ts';

const INSERT = `INSERT INTO messages (${MESSAGE_COLUMNS.join(', ')}, bytes)`;
const UPDATED = [...messageCodec.changeableColumns, ...(['author', 'traits', 'dates'] as const)];
const UPDATE = `UPDATE messages SET ${UPDATED.map((column) => `${column} = ?`).join(', ')}, bytes = ?
  WHERE tenantId = ? AND number = ?`;

/** A conversation, identified by the number that its messages' row ids are based on. */
interface ConversationKey {
  tenantId: string;
  number: number;
}

type ErasedMessage = Pick<MessageRow, (typeof ERASED_COLUMNS)[number]>;
const ERASED_COLUMNS = ['tenantId', 'scope', 'number', 'id', 'ordinal'] as const;

/** Checks the tenant without using its index: the range of row ids already selects one conversation, in order. */
const IS_OWN = '(tenantId = ?) IS TRUE';

export async function insertMessages(connection: Connection, rows: readonly MessageRow[]): Promise<void> {
  await insertRows(
    connection,
    INSERT,
    rows.map((row) => [...valuesOf(row, MESSAGE_COLUMNS), messageBytesOf(row)]),
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

/** Finds those of the messages that exist, by id, in any conversation, with the user of it. */
export async function findMessagesById(
  reader: Reader,
  tenantId: string,
  ids: readonly string[],
): Promise<{ id: string; conversationId: string; content: string; author: string | null; endUser: string }[]> {
  return reader.all(
    `SELECT m.id, m.conversationId, m.content, m.author, c.endUser FROM texts(?) t
       CROSS JOIN messages m ON m.tenantId = ? AND m.id = t.value
       CROSS JOIN conversations c ON c.tenantId = ? AND c.id = m.conversationId
     WHERE c.erasedAt IS NULL`,
    [JSON.stringify(ids), tenantId, tenantId],
  );
}

/** Finds those of the rows that exist, by row number. */
export async function findMessageRows(
  reader: Reader,
  tenantId: string,
  numbers: readonly number[],
): Promise<MessageRow[]> {
  if (numbers.length === 0) return [];
  return reader.all<MessageRow>(
    `SELECT * FROM messages WHERE number IN (${listPlaceholders(numbers.length)}) AND ${IS_OWN} ORDER BY number`,
    [...numbers, tenantId],
  );
}

/** Lists messages after (oldest first) or before (newest first) the ordinal `beyond`. */
export async function listMessages(
  reader: Reader,
  { tenantId, number }: ConversationKey,
  page: { order: 'newest' | 'oldest'; beyond: number; limit: number },
): Promise<MessageRow[]> {
  const oldest = page.order === 'oldest';
  const beyond = messageRowId(number, Math.min(page.beyond, ROW_IDS_PER_CONVERSATION));
  return readLongPage<MessageRow>(page.limit, (last, limit) =>
    reader.all(
      `SELECT * FROM messages WHERE number > ? AND number < ? AND ${IS_OWN}
       ORDER BY number ${oldest ? 'ASC' : 'DESC'} LIMIT ?`,
      [
        oldest ? (last?.number ?? beyond) : messageRowId(number, 0),
        oldest ? messageRowId(number, ROW_IDS_PER_CONVERSATION) : (last?.number ?? beyond),
        tenantId,
        limit,
      ],
    ),
  );
}

/** Messages of a conversation among which `findOpenings` looks. */
const OPENING_MESSAGES = 20;
/** More than a preview shows, as spaces are left out. */
const OPENING_CHARACTERS = 400;

/** Finds how the first message of a user begins, by the number of the conversation. */
export async function findOpenings(
  reader: Reader,
  tenantId: string,
  numbers: readonly number[],
): Promise<Map<number, string>> {
  if (numbers.length === 0) return new Map();
  const rows = await reader.all<{ number: number; text: string | null }>(
    `SELECT n.value AS number, (
       SELECT SUBSTR(content, 1, ${OPENING_CHARACTERS}) FROM messages
       WHERE messages.number > n.value * ${ROW_IDS_PER_CONVERSATION}
         AND messages.number <= n.value * ${ROW_IDS_PER_CONVERSATION} + ${OPENING_MESSAGES}
         AND ${IS_OWN} AND role = 'user' AND content <> '' ORDER BY messages.number LIMIT 1) AS text
     FROM numbers(?) n`,
    [tenantId, JSON.stringify(numbers)],
  );
  return new Map(rows.flatMap(({ number, text }) => (text === null ? [] : [[number, text] as const])));
}

/** Counts messages after `fromOrdinal`, up to and including `toOrdinal`. */
export async function countMessages(
  reader: Reader,
  { tenantId, number }: ConversationKey,
  { fromOrdinal, toOrdinal }: { fromOrdinal: number; toOrdinal: number },
): Promise<number> {
  const row = await reader.get<{ messages: number }>(
    `SELECT COUNT(*) AS messages FROM messages WHERE number > ? AND number <= ? AND ${IS_OWN}`,
    [messageRowId(number, fromOrdinal), messageRowId(number, toOrdinal), tenantId],
  );
  return row!.messages;
}

/** Finds the newest remaining message. */
export async function findNewest(
  reader: Reader,
  { tenantId, number }: ConversationKey,
): Promise<{ createdAt: number } | undefined> {
  return reader.get(
    `SELECT createdAt FROM messages WHERE number > ? AND number < ? AND ${IS_OWN}
     ORDER BY number DESC LIMIT 1`,
    [messageRowId(number, 0), messageRowId(number, ROW_IDS_PER_CONVERSATION), tenantId],
  );
}

/** Updates the mutable columns of a message. */
export async function updateMessage(connection: Connection, row: MessageRow): Promise<void> {
  await connection.run(UPDATE, [...valuesOf(row, UPDATED), messageBytesOf(row), row.tenantId, row.number]);
}

export async function deleteMessage(connection: Connection, tenantId: string, number: number): Promise<void> {
  await connection.run('DELETE FROM messages WHERE tenantId = ? AND number = ?', [tenantId, number]);
}

/** Deletes the oldest messages of a conversation, at most `limit` and up to an ordinal, and returns them. */
export async function deleteSomeMessages(
  connection: Connection,
  { tenantId, number }: ConversationKey,
  { throughOrdinal, limit }: { throughOrdinal: number; limit: number },
): Promise<ErasedMessage[]> {
  const rows = await connection.all<ErasedMessage>(
    `SELECT ${ERASED_COLUMNS} FROM messages WHERE number > ? AND number <= ? AND ${IS_OWN} ORDER BY number LIMIT ?`,
    [messageRowId(number, 0), messageRowId(number, throughOrdinal), tenantId, limit],
  );
  return eraseMessages(connection, tenantId, rows);
}

/** Deletes up to `limit` messages of a tenant that is being erased and returns them. */
export async function deleteSomeMessagesOf(
  connection: Connection,
  tenantId: string,
  limit: number,
): Promise<ErasedMessage[]> {
  const rows = await connection.all<ErasedMessage>(
    `SELECT ${ERASED_COLUMNS} FROM messages WHERE tenantId = ? LIMIT ?`,
    [tenantId, limit],
  );
  return eraseMessages(connection, tenantId, rows);
}

async function eraseMessages(
  connection: Connection,
  tenantId: string,
  rows: ErasedMessage[],
): Promise<ErasedMessage[]> {
  const rowIds = rows.map(({ number }) => number);
  await eraseRows(connection, { table: 'messages', texts: MESSAGE_TEXTS, tenantId, rowIds });
  return rows;
}
