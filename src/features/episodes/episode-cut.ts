import type { Connection, Reader } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { ConversationRow, MessageObserver, MessageReading, MessageRow } from '../conversations/conversations.ts';
import type { TextIndex } from '../text/text-index-sqlite.ts';
import type { TextPurge } from '../text/text-purge.ts';
import { EDITED, type EpisodeRow, type NewEpisodeRow } from './episode-row.ts';
import { type Cut, cutMessages, describeStretch } from './episode-segments.ts';
import type { EpisodeWriting } from './episode-writing.ts';
import { deleteCuts, findCutBefore, listEndingAt, updateDetached } from './episodes-store.ts';

/** Cuts conversations into episodes, and keeps what is cut true to the messages. */
export interface EpisodeCutting extends MessageObserver {
  /**
   * Cuts behind what is settled, a window of messages a transaction. `again` begins anew where all cuts were erased.
   * Throws `not_found`.
   */
  cut(tenantId: string, conversationId: string, how?: 'on' | 'again'): Promise<void>;
}

interface Parts {
  db: Database;
  clock: Clock;
  ids: Ids;
  text: TextIndex;
  reading: MessageReading;
  writing: EpisodeWriting;
  purge: TextPurge;
}

/** So many messages are read and cut at once: some ten milliseconds of work. No cut is longer. */
export const WINDOW = 500;

export function createEpisodeCutting({ db, clock, ids, text, reading, writing, purge }: Parts): EpisodeCutting {
  /**
   * The open end: the last cut, where no later message was seen already. Behind one that has a window's length, or
   * whose successor was erased by hand, cutting goes on without it.
   */
  async function openEnd(connection: Connection, conversation: ConversationRow, how: 'on' | 'again') {
    const { tenantId, id, cutThrough } = conversation;
    const last = await findCutBefore(connection, tenantId, id);
    if (!last) return { open: undefined, after: how === 'again' ? 0 : (cutThrough ?? 0) };
    const page = { order: 'oldest', beyond: last.toOrdinal!, limit: 1 } as const;
    const [next] = await reading.readMessages(connection, conversation, page);
    const erasedBehind = next !== undefined && next.ordinal <= (cutThrough ?? 0);
    if (erasedBehind) return { open: undefined, after: cutThrough ?? 0 };
    const full = last.toOrdinal! - last.fromOrdinal! + 1 >= WINDOW;
    return full ? { open: undefined, after: last.toOrdinal! } : { open: last, after: last.fromOrdinal! - 1 };
  }

  /** Cuts one window; returns whether there is more. */
  async function cutWindow(
    connection: Connection,
    conversation: ConversationRow,
    how: 'on' | 'again',
  ): Promise<boolean> {
    const { open, after } = await openEnd(connection, conversation, how);
    const page = { order: 'oldest', beyond: after, limit: WINDOW } as const;
    const messages = await reading.readMessages(connection, conversation, page);
    const nowMs = clock.nowMs();
    const [first, ...others] = cutMessages(messages);
    const changed = first && open && recut(open, first, nowMs);
    if (changed) await writing.update(connection, changed);
    const fresh = first && !open ? [first, ...others] : others;
    await writing.insert(
      connection,
      fresh.map((cut) => cutRow(conversation, cut, ids.next('ep'), nowMs)),
    );
    const more = messages.length === WINDOW;
    await reading.markCut(connection, conversation, more ? messages.at(-1)!.ordinal : conversation.lastOrdinal);
    return more;
  }

  /** The stretch of a cut without a message of its; the cut goes with the last of them. */
  async function describeAgain(connection: Connection, conversation: ConversationRow, row: EpisodeRow): Promise<void> {
    const messages = await messagesOf(connection, conversation, row);
    const changed = messages.length > 0 && recut(row, describeStretch(messages), clock.nowMs());
    if (messages.length === 0) await writing.erase(connection, row);
    else if (changed) await writing.update(connection, changed);
  }

  async function messagesOf(reader: Reader, conversation: ConversationRow, row: EpisodeRow): Promise<MessageRow[]> {
    const page = { order: 'oldest', beyond: row.fromOrdinal! - 1, limit: WINDOW } as const;
    const read = await reading.readMessages(reader, conversation, page);
    return read.filter(({ ordinal }) => ordinal <= row.toOrdinal!);
  }

  /** A span that a person named begins and ends with messages that are there. */
  async function narrow(connection: Connection, conversation: ConversationRow, row: EpisodeRow): Promise<void> {
    const from = { order: 'oldest', beyond: row.fromOrdinal! - 1, limit: 1 } as const;
    const to = { order: 'newest', beyond: row.toOrdinal! + 1, limit: 1 } as const;
    const [first] = await reading.readMessages(connection, conversation, from);
    const [last] = await reading.readMessages(connection, conversation, to);
    const left = first !== undefined && last !== undefined && first.ordinal <= last.ordinal;
    await writing.update(connection, {
      ...row,
      fromOrdinal: left ? first.ordinal : null,
      toOrdinal: left ? last.ordinal : null,
      fromMessageId: left ? first.id : null,
      toMessageId: left ? last.id : null,
      version: row.version + 1,
      updatedAt: clock.nowMs(),
    });
  }

  return {
    async cut(tenantId, conversationId, how = 'on') {
      let begin = how;
      let more: boolean;
      do {
        more = await db.writes.write(async (connection) =>
          cutWindow(connection, await reading.requireConversation(connection, tenantId, conversationId), begin),
        );
        begin = 'on';
      } while (more);
    },
    async removed(connection, conversation, { ordinal }) {
      const { tenantId, id } = conversation;
      const cut = await findCutBefore(connection, tenantId, id, ordinal);
      if (cut && cut.toOrdinal! >= ordinal) await describeAgain(connection, conversation, cut);
      for (const row of await listEndingAt(connection, tenantId, id, ordinal)) {
        await narrow(connection, conversation, row);
      }
    },
    async erased(connection, tenantId, conversationId) {
      await text.remove(connection, await deleteCuts(connection, tenantId, conversationId));
      await updateDetached(connection, tenantId, conversationId, clock.nowMs());
      purge.due();
    },
  };
}

function cutRow(conversation: ConversationRow, cut: Cut, id: string, nowMs: number): NewEpisodeRow {
  return {
    ...cut,
    tenantId: conversation.tenantId,
    id,
    scope: conversation.scope,
    endUser: conversation.endUser,
    outcome: null,
    conversationId: conversation.id,
    memoryIds: '[]',
    metadata: '{}',
    cut: 1,
    edited: 0,
    version: 1,
    createdAt: nowMs,
    updatedAt: nowMs,
  };
}

/**
 * A cut over other messages than before: words that a person wrote stay, svc's own follow. `undefined` where it stays as
 * it is.
 */
function recut(row: EpisodeRow, cut: Cut, nowMs: number): EpisodeRow | undefined {
  const told = {
    ...cut,
    title: row.edited & EDITED.title ? row.title : cut.title,
    summary: row.edited & EDITED.summary ? row.summary : cut.summary,
  };
  const same = (Object.keys(told) as (keyof Cut)[]).every((name) => told[name] === row[name]);
  return same ? undefined : { ...row, ...told, version: row.version + 1, updatedAt: nowMs };
}
