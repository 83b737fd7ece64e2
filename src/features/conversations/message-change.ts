import type { MessageChange } from '../../contract/conversations.ts';
import type { Connection } from '../../db/connection.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import { type PreparedTerms, requireTerms } from '../text/prepared-terms.ts';
import type { TextIndex } from '../text/text-indices.ts';
import { deriveFrom } from '../text/traits.ts';
import type { MessageObserver } from './conversation-erasure.ts';
import { updateConversation } from './conversations-store.ts';
import { storedContentOf } from './message-content.ts';
import { type ConversationRow, type MessageRow, messageCodec, textEntryOf } from './message-row.ts';
import { updateMessage } from './messages-store.ts';

interface Parts {
  text: TextIndex;
  terms: PreparedTerms;
  idempotency: Idempotency;
  observers: readonly MessageObserver[];
}

/**
 * Overwrites a message, its index entry, and what was derived from or quotes its old text, in the caller's transaction. A
 * change without effect writes nothing. Throws `invalid_request` for a value that cannot be stored, and `TermsMissing`.
 */
export async function changeMessage(
  connection: Connection,
  { text, terms, idempotency, observers }: Parts,
  { conversation, message }: { conversation: ConversationRow; message: MessageRow },
  change: MessageChange,
  nowMs: number,
): Promise<MessageRow> {
  const next = changedRow(message, change);
  if (next === undefined) return message;
  requireTerms(terms, [[next.content]]);
  await updateMessage(connection, next);
  if (next.content !== message.content || next.name !== message.name) {
    await text.remove(connection, [next]);
    await text.insert(connection, [textEntryOf(next)], terms);
  }
  await idempotency.redact(connection, next.tenantId, [next.id]);
  await updateConversation(connection, { ...conversation, version: conversation.version + 1, updatedAt: nowMs });
  for (const observer of observers) await observer.changed?.(connection, conversation, next);
  return next;
}

function changedRow(row: MessageRow, { content, ...others }: MessageChange): MessageRow | undefined {
  const changed = messageCodec.changed(row, {
    ...others,
    ...(content !== undefined && storedContentOf(content, '/content')),
  });
  return changed && { ...changed, ...deriveFrom(changed.content, changed.createdAt) };
}
