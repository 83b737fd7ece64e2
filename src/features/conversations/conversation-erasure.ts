import type { Connection } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import type { TextIndex } from '../text/text-index-sqlite.ts';
import { createTextPurge } from '../text/text-purge.ts';
import {
  deleteConversation,
  deleteConversationsOf,
  listHalfErased,
  updateConversation,
  updateErased,
  updateErasedOf,
} from './conversations-store.ts';
import type { ConversationRow, MessageRow } from './message-row.ts';
import { deleteMessage, deleteSomeMessages, deleteSomeMessagesOf, findNewest } from './messages-store.ts';

/** Told in the transaction of each change, so that what is derived from messages stays true. */
export interface MessageObserver {
  appended?(connection: Connection, conversations: readonly ConversationRow[]): Promise<void>;
  removed?(connection: Connection, conversation: ConversationRow, message: MessageRow): Promise<void>;
  erased?(connection: Connection, tenantId: string, conversationId: string): Promise<void>;
}

/** How messages go for good: rows, index entries, kept answers and what was drawn from them. */
export interface ConversationErasing {
  /** One message, in the caller's transaction. */
  eraseMessage(connection: Connection, conversation: ConversationRow, message: MessageRow): Promise<void>;
  /** Gone for everyone with the caller's transaction; `eraseRows` follows. */
  begin(connection: Connection, tenantId: string, id: string): Promise<void>;
  /** The rows of a conversation that is gone, some a transaction, so that others' writes go on between. */
  eraseRows(conversation: Pick<ConversationRow, 'tenantId' | 'id' | 'number'>): Promise<void>;
  /** What an earlier process left, and at times the words of all that was erased, which the index file still holds. */
  sweep(): Promise<void>;
  eraseTenant(tenantId: string): Promise<void>;
}

interface Parts {
  db: Database;
  clock: Clock;
  idempotency: Idempotency;
  text: TextIndex;
  observers: readonly MessageObserver[];
}

const ERASE_ROWS = 200;

export function createConversationErasing({ db, clock, idempotency, text, observers }: Parts): ConversationErasing {
  const purge = createTextPurge({ db, clock, text });

  /** Erases portions until one is not full. */
  async function erasePortions(deleteSome: (connection: Connection) => Promise<number[]>): Promise<void> {
    let erased: number;
    do {
      erased = await db.writes.write(async (connection) => {
        const numbers = await deleteSome(connection);
        await text.remove(connection, numbers);
        return numbers.length;
      });
    } while (erased === ERASE_ROWS);
  }

  async function eraseRows(conversation: Pick<ConversationRow, 'tenantId' | 'id' | 'number'>): Promise<void> {
    const { tenantId, id } = conversation;
    await erasePortions((connection) => deleteSomeMessages(connection, conversation, ERASE_ROWS));
    await db.writes.write((connection) => deleteConversation(connection, tenantId, id));
    purge.due();
  }

  return {
    async eraseMessage(connection, conversation, message) {
      const { number, id } = message;
      const { tenantId } = conversation;
      await deleteMessage(connection, tenantId, number);
      await text.remove(connection, [number]);
      await idempotency.redact(connection, tenantId, id);
      const newest = await findNewest(connection, conversation);
      await updateConversation(connection, {
        ...conversation,
        version: conversation.version + 1,
        messageCount: conversation.messageCount - 1,
        lastMessageAt: newest?.createdAt ?? null,
        updatedAt: clock.nowMs(),
      });
      for (const observer of observers) await observer.removed?.(connection, conversation, message);
      purge.due();
    },
    async begin(connection, tenantId, id) {
      await updateErased(connection, tenantId, id, clock.nowMs());
      for (const observer of observers) await observer.erased?.(connection, tenantId, id);
      await idempotency.redact(connection, tenantId, id);
    },
    eraseRows,
    async sweep() {
      for (const conversation of await listHalfErased(db.readers, 100)) await eraseRows(conversation);
      await purge.sweep();
    },
    async eraseTenant(tenantId) {
      // An append that is under way finds no conversation from now on.
      await db.writes.write((connection) => updateErasedOf(connection, tenantId, clock.nowMs()));
      await erasePortions((connection) => deleteSomeMessagesOf(connection, tenantId, ERASE_ROWS));
      await db.writes.write((connection) => deleteConversationsOf(connection, tenantId));
      purge.dueNow();
    },
  };
}
