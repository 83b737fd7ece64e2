import type { Connection, Reader } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import { runInSlices } from '../../lib/time-slices.ts';
import type { ConversationRow, MessageObserver, MessageReading, MessageRow } from '../conversations/conversations.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import type { Usage } from '../limits/usage.ts';
import type { TextIndex } from '../text/text-indices.ts';
import type { TextPurge } from '../text/text-purge.ts';
import { EDITED, type EpisodeRow, type NewEpisodeRow } from './episode-row.ts';
import { describeSegment, type Segment, segmentMessages } from './episode-segments.ts';
import type { EpisodeWriting } from './episode-writing.ts';
import { deleteCuts, findCutBefore, listEndingWithin, updateDetached, updateProjectOfCuts } from './episodes-store.ts';

/** Cuts conversations into episodes and keeps the cuts consistent with the messages. */
export interface EpisodeCutting extends MessageObserver {
  /**
   * Cuts the messages after the last settled cut, one window per transaction. With `restart`, it begins from the first
   * message if all cuts were erased, and throws `quota_exceeded`: without, it follows messages that had room and is not
   * refused. Throws `not_found`.
   */
  cut(tenantId: string, conversationId: string, mode?: CutMode): Promise<void>;
}

/** Consecutive messages to cut, and the last cut if it may still change. */
interface Window {
  conversation: ConversationRow;
  open: EpisodeRow | undefined;
  messages: MessageRow[];
}

type CutMode = 'continue' | 'restart';

interface Parts {
  db: Database;
  clock: Clock;
  ids: Ids;
  usage: Usage;
  idempotency: Pick<Idempotency, 'redact'>;
  text: TextIndex;
  reading: MessageReading;
  writing: EpisodeWriting;
  purge: TextPurge;
}

/** The number of messages cut per transaction, about ten milliseconds of work; also the maximum length of a cut. */
const WINDOW = 500;

/** What the answers with the cuts of a conversation quote, as a whole: a message may have moved to another cut since. */
export const quotedCutsOf = (conversationId: string) => `cuts of ${conversationId}`;

export function createEpisodeCutting(parts: Parts): EpisodeCutting {
  const { db, clock, ids, usage, idempotency, text, reading, writing, purge } = parts;

  /**
   * Finds where cutting continues. The last cut is open, so it is cut again with the messages that follow, unless it has
   * the maximum length or the cut after it was erased by a caller.
   */
  async function findOpenEnd(reader: Reader, conversation: ConversationRow, mode: CutMode) {
    const { tenantId, id, cutThrough } = conversation;
    const last = await findCutBefore(reader, tenantId, id);
    if (!last) return { open: undefined, after: mode === 'restart' ? 0 : (cutThrough ?? 0) };
    const page = { order: 'oldest', beyond: last.toOrdinal!, limit: 1 } as const;
    const [next] = await reading.readMessages(reader, conversation, page);
    const isNextErased = next !== undefined && next.ordinal <= (cutThrough ?? 0);
    if (isNextErased) return { open: undefined, after: cutThrough ?? 0 };
    const isFull = last.toOrdinal! - last.fromOrdinal! + 1 >= WINDOW;
    return isFull ? { open: undefined, after: last.toOrdinal! } : { open: last, after: last.fromOrdinal! - 1 };
  }

  /** Reads the messages to cut next. */
  async function readWindow(reader: Reader, conversation: ConversationRow, mode: CutMode): Promise<Window> {
    const { open, after } = await findOpenEnd(reader, conversation, mode);
    const page = { order: 'oldest', beyond: after, limit: WINDOW } as const;
    return { conversation, open, messages: await reading.readMessages(reader, conversation, page) };
  }

  /** Stores the segments of a window; returns whether there is more. */
  async function storeCuts(connection: Connection, window: Window, segments: readonly Segment[]): Promise<boolean> {
    const { conversation, open, messages } = window;
    const nowMs = clock.nowMs();
    const [first, ...others] = segments;
    const changed = first && open && recut(open, first, nowMs);
    if (changed) await writing.update(connection, changed);
    const added = first && !open ? [first, ...others] : others;
    await writing.insert(
      connection,
      added.map((segment) => cutRow(conversation, segment, ids.next('ep'), nowMs)),
    );
    const more = messages.length === WINDOW;
    await reading.markCut(connection, conversation, more ? messages.at(-1)!.ordinal : conversation.lastOrdinal);
    return more;
  }

  /**
   * Cuts one window; returns whether there is more. Segments are found before the transaction, so that no other write
   * waits for them, and again in it if the messages have changed since.
   */
  async function cutWindow(
    tenantId: string,
    conversationId: string,
    mode: CutMode,
    isMetered: boolean,
  ): Promise<boolean> {
    const read = async (reader: Reader) =>
      readWindow(reader, await reading.requireConversation(reader, tenantId, conversationId), mode);
    const before = await read(db.readers.of(tenantId));
    const found = await runInSlices(segmentMessages(before.messages), tenantId);
    return db.writes.write(tenantId, async (connection) => {
      const window = await read(connection);
      const segments = isSame(before, window) ? found : await runInSlices(segmentMessages(window.messages), 'urgent');
      const store = () => storeCuts(connection, window, segments);
      return isMetered ? usage.storage.within(connection, tenantId, store) : store();
    });
  }

  /** Updates the cuts of messages that were changed or erased, and redacts stored answers that may quote them. */
  async function updateCuts(
    connection: Connection,
    conversation: ConversationRow,
    fromOrdinal: number,
    toOrdinal: number,
  ): Promise<void> {
    const { tenantId, id } = conversation;
    await idempotency.redact(connection, tenantId, [quotedCutsOf(id)]);
    let cut = await findCutBefore(connection, tenantId, id, toOrdinal);
    while (cut && cut.toOrdinal! >= fromOrdinal) {
      await updateCut(connection, conversation, cut);
      cut = await findCutBefore(connection, tenantId, id, cut.fromOrdinal! - 1);
    }
  }

  /** Updates a cut after a message of it was changed or erased; erases the cut with its last message. */
  async function updateCut(connection: Connection, conversation: ConversationRow, row: EpisodeRow): Promise<void> {
    const messages = await messagesOf(connection, conversation, row);
    const changed =
      messages.length > 0 && recut(row, await runInSlices(describeSegment(messages), 'urgent'), clock.nowMs());
    if (messages.length === 0) await writing.erase(connection, row);
    else if (changed) await writing.update(connection, changed);
  }

  async function messagesOf(reader: Reader, conversation: ConversationRow, row: EpisodeRow): Promise<MessageRow[]> {
    const page = { order: 'oldest', beyond: row.fromOrdinal! - 1, limit: WINDOW } as const;
    const read = await reading.readMessages(reader, conversation, page);
    return read.filter(({ ordinal }) => ordinal <= row.toOrdinal!);
  }

  /** Narrows the span of a written episode to messages that still exist. */
  async function narrowSpan(connection: Connection, conversation: ConversationRow, row: EpisodeRow): Promise<void> {
    const from = { order: 'oldest', beyond: row.fromOrdinal! - 1, limit: 1 } as const;
    const to = { order: 'newest', beyond: row.toOrdinal! + 1, limit: 1 } as const;
    const [first] = await reading.readMessages(connection, conversation, from);
    const [last] = await reading.readMessages(connection, conversation, to);
    const hasMessages = first !== undefined && last !== undefined && first.ordinal <= last.ordinal;
    await writing.update(connection, {
      ...row,
      fromOrdinal: hasMessages ? first.ordinal : null,
      toOrdinal: hasMessages ? last.ordinal : null,
      fromMessageId: hasMessages ? first.id : null,
      toMessageId: hasMessages ? last.id : null,
      version: row.version + 1,
      updatedAt: clock.nowMs(),
    });
  }

  return {
    async cut(tenantId, conversationId, mode = 'continue') {
      let windowMode = mode;
      let more: boolean;
      do {
        more = await cutWindow(tenantId, conversationId, windowMode, mode === 'restart');
        windowMode = 'continue';
      } while (more);
    },
    changed: (connection, conversation, { ordinal }) => updateCuts(connection, conversation, ordinal, ordinal),
    async removed(connection, conversation, { fromOrdinal, toOrdinal }) {
      const { tenantId, id } = conversation;
      await updateCuts(connection, conversation, fromOrdinal, toOrdinal);
      for (const row of await listEndingWithin(connection, tenantId, id, { fromOrdinal, toOrdinal })) {
        await narrowSpan(connection, conversation, row);
      }
    },
    moved: (connection, conversation, from) => updateProjectOfCuts(connection, conversation, from, clock.nowMs()),
    async erased(connection, tenantId, conversationId) {
      await text.remove(connection, await deleteCuts(connection, tenantId, conversationId));
      await updateDetached(connection, tenantId, conversationId, clock.nowMs());
      purge.due();
    },
  };
}

/** Whether the same segments follow from both. */
function isSame(one: Window, other: Window): boolean {
  return (
    one.messages.length === other.messages.length &&
    one.messages.every((message, index) => isSameMessage(message, other.messages[index]!))
  );
}

function isSameMessage(one: MessageRow, other: MessageRow): boolean {
  const { id, content, parts, name } = other;
  return one.id === id && one.content === content && one.parts === parts && one.name === name;
}

function cutRow(conversation: ConversationRow, segment: Segment, id: string, nowMs: number): NewEpisodeRow {
  return {
    ...segment,
    tenantId: conversation.tenantId,
    id,
    scope: conversation.scope,
    endUser: conversation.endUser,
    project: conversation.project,
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

/** Returns a cut updated to a segment, without overwriting an edited title or summary; `undefined` if it is the same. */
function recut(row: EpisodeRow, segment: Segment, nowMs: number): EpisodeRow | undefined {
  const next = {
    ...segment,
    title: row.edited & EDITED.title ? row.title : segment.title,
    summary: row.edited & EDITED.summary ? row.summary : segment.summary,
  };
  const isSame = (Object.keys(next) as (keyof Segment)[]).every((name) => next[name] === row[name]);
  return isSame ? undefined : { ...row, ...next, version: row.version + 1, updatedAt: nowMs };
}
