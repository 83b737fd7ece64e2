import { LAST_ORDINAL } from '../../contract/conversations.ts';
import type { Connection } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import type { Owner } from '../../db/owner.ts';
import type { Clock } from '../../lib/clock.ts';
import { eraseEach } from '../erasure/erasure.ts';
import { type Idempotency, STREAMED } from '../idempotency/idempotency.ts';
import type { UserKey } from '../text/scopes.ts';
import type { IndexedRow, TextIndex } from '../text/text-indices.ts';
import { createTextPurge } from '../text/text-purge.ts';
import {
  deleteConversation,
  deleteConversationsOf,
  listConversationsToErase,
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
  /** The message says something else, or somebody else says it. */
  changed?(connection: Connection, conversation: ConversationRow, message: MessageRow): Promise<void>;
  removed?(connection: Connection, conversation: ConversationRow, messages: RemovedMessages): Promise<void>;
  /** The conversation was moved here from another project. */
  moved?(connection: Connection, conversation: ConversationRow, from: string | null): Promise<void>;
  erased?(connection: Connection, tenantId: string, conversationId: string): Promise<void>;
}

/** The messages that were erased: all that the conversation had between two ordinals, both included. */
interface RemovedMessages {
  fromOrdinal: number;
  toOrdinal: number;
  ids: readonly string[];
}

/** Permanent deletion of messages: rows, index entries, stored answers and derived data. */
export interface ConversationErasing {
  /** Erases a message in the caller's transaction. */
  eraseMessage(connection: Connection, conversation: ConversationRow, message: MessageRow): Promise<void>;
  /**
   * Erases the oldest messages, up to an ordinal, in the caller's transaction; returns whether more are left. Derived data
   * is consistent after each portion.
   */
  eraseSomeMessages(connection: Connection, conversation: ConversationRow, throughOrdinal: number): Promise<boolean>;
  /** Hides a conversation in the caller's transaction; call `eraseRows` afterwards. */
  begin(connection: Connection, tenantId: string, id: string): Promise<void>;
  /** Deletes the rows of a hidden conversation in small transactions, so that other writes can interleave. */
  eraseRows(conversation: Pick<ConversationRow, 'tenantId' | 'id' | 'number'>): Promise<void>;
  /** Finishes interrupted erasures and, when due, purges erased words from the index file. */
  sweep(): Promise<void>;
  /** Erases all conversations of an owner in small transactions, so that other writes can interleave. */
  erase(owner: Owner): Promise<void>;
}

interface Parts {
  db: Database;
  clock: Clock;
  idempotency: Idempotency;
  text: TextIndex;
  observers: readonly MessageObserver[];
}

const ERASE_ROWS = 200;
const ERASE_CONVERSATIONS = 50;

export function createConversationErasing({ db, clock, idempotency, text, observers }: Parts): ConversationErasing {
  const purge = createTextPurge({ db, clock, text });

  /** Deletes rows in batches until a batch is not full. */
  async function eraseInBatches(
    tenantId: string,
    deleteSome: (connection: Connection) => Promise<IndexedRow[]>,
  ): Promise<void> {
    let erased: number;
    do {
      erased = await db.writes.write(tenantId, async (connection) => {
        const rows = await deleteSome(connection);
        await text.remove(connection, rows);
        return rows.length;
      });
    } while (erased === ERASE_ROWS);
  }

  async function eraseRows(conversation: Pick<ConversationRow, 'tenantId' | 'id' | 'number'>): Promise<void> {
    const { tenantId, id } = conversation;
    const page = { throughOrdinal: LAST_ORDINAL, limit: ERASE_ROWS };
    await eraseInBatches(tenantId, (connection) => deleteSomeMessages(connection, conversation, page));
    await db.writes.write(tenantId, (connection) => deleteConversation(connection, tenantId, id));
    purge.due();
  }

  /** Erases what is left of deleted messages, which are all that the conversation had between the first and the last. */
  async function forgetMessages(
    connection: Connection,
    conversation: ConversationRow,
    messages: readonly (IndexedRow & Pick<MessageRow, 'id' | 'ordinal'>)[],
  ): Promise<void> {
    const ids = messages.map(({ id }) => id);
    await text.remove(connection, messages);
    await idempotency.redact(connection, conversation.tenantId, [...ids, STREAMED]);
    const newest = await findNewest(connection, conversation);
    await updateConversation(connection, {
      ...conversation,
      version: conversation.version + 1,
      messageCount: conversation.messageCount - messages.length,
      lastMessageAt: newest?.createdAt ?? null,
      updatedAt: clock.nowMs(),
    });
    const removed = { fromOrdinal: messages[0]!.ordinal, toOrdinal: messages.at(-1)!.ordinal, ids };
    for (const observer of observers) await observer.removed?.(connection, conversation, removed);
    purge.due();
  }

  async function begin(connection: Connection, tenantId: string, id: string): Promise<void> {
    await updateErased(connection, tenantId, id, clock.nowMs());
    for (const observer of observers) await observer.erased?.(connection, tenantId, id);
    await idempotency.redact(connection, tenantId, [id, STREAMED]);
  }

  async function eraseTenant(tenantId: string): Promise<void> {
    // From here on, appends in progress find no conversation.
    await db.writes.write(tenantId, (connection) => updateErasedOf(connection, tenantId, clock.nowMs()));
    await eraseInBatches(tenantId, (connection) => deleteSomeMessagesOf(connection, tenantId, ERASE_ROWS));
    await db.writes.write(tenantId, (connection) => deleteConversationsOf(connection, tenantId));
  }

  async function eraseUser(user: UserKey): Promise<void> {
    const { tenantId } = user;
    const beginSome = async (connection: Connection) => {
      const conversations = await listConversationsToErase(connection, user, ERASE_CONVERSATIONS);
      for (const { id, erasedAt } of conversations) if (erasedAt === null) await begin(connection, tenantId, id);
      return conversations;
    };
    let begun: Awaited<ReturnType<typeof beginSome>>;
    do {
      begun = await db.writes.write(tenantId, beginSome);
      for (const conversation of begun) await eraseRows(conversation);
    } while (begun.length > 0);
  }

  return {
    async eraseMessage(connection, conversation, message) {
      await deleteMessage(connection, conversation.tenantId, message.number);
      await forgetMessages(connection, conversation, [message]);
    },
    async eraseSomeMessages(connection, conversation, throughOrdinal) {
      const page = { throughOrdinal, limit: ERASE_ROWS };
      const messages = await deleteSomeMessages(connection, conversation, page);
      if (messages.length > 0) await forgetMessages(connection, conversation, messages);
      return messages.length === ERASE_ROWS;
    },
    begin,
    eraseRows,
    async sweep() {
      await eraseEach(await listHalfErased(db.readers, 100), eraseRows).finally(purge.sweep);
    },
    async erase({ tenantId, endUser }) {
      if (endUser === undefined) await eraseTenant(tenantId);
      else await eraseUser({ tenantId, endUser });
      purge.dueNow();
    },
  };
}
