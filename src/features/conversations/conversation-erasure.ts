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

/** Called in the transaction of each change, to keep data derived from messages consistent. */
export interface MessageObserver {
  appended?(connection: Connection, conversations: readonly ConversationRow[]): Promise<void>;
  removed?(connection: Connection, conversation: ConversationRow, message: MessageRow): Promise<void>;
  /** The conversation was moved here from another project. */
  moved?(connection: Connection, conversation: ConversationRow, from: string | null): Promise<void>;
  erased?(connection: Connection, tenantId: string, conversationId: string): Promise<void>;
}

/** Permanent deletion of messages: rows, index entries, stored answers and derived data. */
export interface ConversationErasing {
  /** Erases a message in the caller's transaction. */
  eraseMessage(connection: Connection, conversation: ConversationRow, message: MessageRow): Promise<void>;
  /** Hides a conversation in the caller's transaction; call `eraseRows` afterwards. */
  begin(connection: Connection, tenantId: string, id: string): Promise<void>;
  /** Deletes the rows of a hidden conversation in small transactions, so that other writes can interleave. */
  eraseRows(conversation: Pick<ConversationRow, 'tenantId' | 'id' | 'number'>): Promise<void>;
  /** Finishes interrupted erasures and, when due, purges erased words from the index file. */
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

  /** Deletes rows in batches until a batch is not full. */
  async function eraseInBatches(
    tenantId: string,
    deleteSome: (connection: Connection) => Promise<number[]>,
  ): Promise<void> {
    let erased: number;
    do {
      erased = await db.writes.write(tenantId, async (connection) => {
        const numbers = await deleteSome(connection);
        await text.remove(connection, numbers);
        return numbers.length;
      });
    } while (erased === ERASE_ROWS);
  }

  async function eraseRows(conversation: Pick<ConversationRow, 'tenantId' | 'id' | 'number'>): Promise<void> {
    const { tenantId, id } = conversation;
    await eraseInBatches(tenantId, (connection) => deleteSomeMessages(connection, conversation, ERASE_ROWS));
    await db.writes.write(tenantId, (connection) => deleteConversation(connection, tenantId, id));
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
      // From here on, appends in progress find no conversation.
      await db.writes.write(tenantId, (connection) => updateErasedOf(connection, tenantId, clock.nowMs()));
      await eraseInBatches(tenantId, (connection) => deleteSomeMessagesOf(connection, tenantId, ERASE_ROWS));
      await db.writes.write(tenantId, (connection) => deleteConversationsOf(connection, tenantId));
      purge.dueNow();
    },
  };
}
