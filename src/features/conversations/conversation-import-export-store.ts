import type { Reader } from '../../db/connection.ts';
import { padToPowerOfTwo, placeholders } from '../../db/values.ts';
import type { ConversationRow, MessageRow } from './message-row.ts';

/** Selects a page of a tenant's conversations after `afterId`, without those being erased. */
export interface ConversationExportFilter {
  tenantId: string;
  user: string | undefined;
  afterId: string;
  limit: number;
}

/** Lists conversations ordered by id. */
export async function listAllConversations(
  reader: Reader,
  filter: ConversationExportFilter,
): Promise<ConversationRow[]> {
  const { tenantId, user, afterId, limit } = filter;
  return reader.all<ConversationRow>(
    `SELECT * FROM conversations WHERE tenantId = ? AND id > ? ${user === undefined ? '' : 'AND endUser = ?'}
     AND erasedAt IS NULL ORDER BY id LIMIT ?`,
    [tenantId, afterId, ...(user === undefined ? [] : [user]), limit],
  );
}

/** Finds conversations by id, including those being erased. */
export async function findConversationsById(
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

/** Finds messages by id. */
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

/** Returns those of the given message row ids that are in use. */
export async function findUsedRowIds(reader: Reader, tenantId: string, numbers: readonly number[]): Promise<number[]> {
  const rows = await reader.all<{ number: number }>(
    'SELECT m.number FROM numbers(?) n CROSS JOIN messages m ON m.number = n.value WHERE m.tenantId = ?',
    [JSON.stringify(numbers), tenantId],
  );
  return rows.map(({ number }) => number);
}
