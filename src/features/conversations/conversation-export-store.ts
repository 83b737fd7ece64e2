import type { Reader } from '../../db/connection.ts';
import { padToPowerOfTwo, placeholders } from '../../db/values.ts';
import type { ConversationRow, MessageRow } from './message-row.ts';

/** What of a tenant is listed: behind `afterId`, without those that are being erased. */
export interface ConversationPlaceFilter {
  tenantId: string;
  user: string | undefined;
  afterId: string;
  limit: number;
}

/** Conversations in the order of their ids. */
export async function listAllConversations(
  reader: Reader,
  filter: ConversationPlaceFilter,
): Promise<ConversationRow[]> {
  const { tenantId, user, afterId, limit } = filter;
  return reader.all<ConversationRow>(
    `SELECT * FROM conversations WHERE tenantId = ? AND id > ? ${user === undefined ? '' : 'AND endUser = ?'}
     AND erasedAt IS NULL ORDER BY id LIMIT ?`,
    [tenantId, afterId, ...(user === undefined ? [] : [user]), limit],
  );
}

/** Conversations by id, those included that are being erased. */
export async function findStanding(
  reader: Reader,
  tenantId: string,
  ids: readonly string[],
): Promise<ConversationRow[]> {
  if (ids.length === 0) return [];
  const padded = padToPowerOfTwo(ids);
  return reader.all<ConversationRow>(
    `SELECT * FROM conversations WHERE (tenantId, id) IN (VALUES ${placeholders(padded.length, 2)})`,
    padded.flatMap((id) => [tenantId, id]),
  );
}

/** Of these messages, those that are there under their id. */
export async function findMessages(
  reader: Reader,
  tenantId: string,
  ids: readonly string[],
): Promise<Pick<MessageRow, 'id' | 'conversationId' | 'ordinal'>[]> {
  if (ids.length === 0) return [];
  const padded = padToPowerOfTwo(ids);
  return reader.all(
    `SELECT id, conversationId, ordinal FROM messages
     WHERE (tenantId, id) IN (VALUES ${placeholders(padded.length, 2)})`,
    padded.flatMap((id) => [tenantId, id]),
  );
}

/** Of these numbers of messages, those that are given. */
export async function findTaken(reader: Reader, tenantId: string, numbers: readonly number[]): Promise<number[]> {
  const rows = await reader.all<{ number: number }>(
    'SELECT m.number FROM json_each(?) n CROSS JOIN messages m ON m.number = n.value WHERE m.tenantId = ?',
    [JSON.stringify(numbers), tenantId],
  );
  return rows.map(({ number }) => number);
}
