import { speakerOf } from '../../contract/speaker.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import { runInSlices } from '../../lib/time-slices.ts';
import type { ConversationRow, MessageObserver, MessageReading, MessageRow } from '../conversations/conversations.ts';
import { writtenTextOf } from '../conversations/message-content.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import type { Usage } from '../limits/usage.ts';
import { STOP_WORDS } from '../text/stop-words.ts';
import { termsOf } from '../text/terms.ts';
import type { TextIndex } from '../text/text-indices.ts';
import type { TextPurge } from '../text/text-purge.ts';
import { EDITED, type EpisodeRow, type NewEpisodeRow } from './episode-row.ts';
import type { EpisodeWriting } from './episode-writing.ts';
import { deleteCuts, findCutBefore, listEndingWithin, updateDetached, updateProjectOfCuts } from './episodes-store.ts';
import { segmentTurns } from './topic-segmentation.ts';

/** The parts of a message that a summary uses. */
interface Spoken {
  speaker: string;
  content: string;
}

const MAX_SENTENCES = 3;
const MAX_SENTENCE_CHARACTERS = 240;
const TITLE_WORDS = 4;

/**
 * Finds an extractive summary in steps: the most representative sentences in their original order, each with its speaker.
 * SumBasic (Nenkova and Vanderwende 2005): the words of a chosen sentence count less for the next, for diversity. Uses no
 * model; linear in the sentences for each one chosen.
 */
function* summarize(spoken: readonly Spoken[]): Generator<void, string> {
  const sentences: { speaker: string; text: string; bag: string[] }[] = [];
  for (const { speaker, content } of spoken) {
    for (const { text, bag } of sentencesOf(content)) sentences.push({ speaker, text, bag });
    yield;
  }
  const bags = sentences.map(({ bag }) => bag);
  const weights = yield* wordWeights(bags);
  const chosen = new Set<number>();
  while (chosen.size < Math.min(MAX_SENTENCES, sentences.length)) {
    const best = yield* bestSentence(bags, weights, chosen);
    if (best === undefined) break;
    chosen.add(best);
    for (const word of new Set(bags[best])) weights.set(word, weights.get(word)! ** 2);
    yield;
  }
  return [...chosen]
    .sort((a, b) => a - b)
    .map((index) => `${sentences[index]!.speaker}: ${shorten(sentences[index]!.text)}`)
    .join(' ');
}

/** Finds a title in steps: the most frequent words, in the order of their first occurrence. */
function* titleOf(spoken: readonly Spoken[]): Generator<void, string> {
  const speakers = new Set(spoken.flatMap(({ speaker }) => termsOf(speaker)));
  const counts = new Map<string, number>();
  for (const { content } of spoken) {
    for (const word of new Set(contentWords(content))) {
      if (!speakers.has(word) && word.length > 3) counts.set(word, (counts.get(word) ?? 0) + 1);
    }
    yield;
  }
  const top = new Set(mostFrequent(counts, TITLE_WORDS));
  if (top.size === 0) return shorten(spoken[0]?.content ?? 'Episode');
  return [...counts.keys()].filter((word) => top.has(word)).join(', ');
}

/** The words with the highest counts, of equal ones the first. Linear: a hostile conversation has 10,000 words once each. */
function mostFrequent(counts: ReadonlyMap<string, number>, limit: number): string[] {
  const top: [word: string, count: number][] = [];
  for (const [word, count] of counts) {
    if (top.length === limit && count <= top.at(-1)![1]) continue;
    const place = top.findIndex(([, other]) => other < count);
    top.splice(place === -1 ? top.length : place, 0, [word, count]);
    top.length = Math.min(top.length, limit);
  }
  return top.map(([word]) => word);
}

function contentWords(text: string): string[] {
  return termsOf(text).filter((term) => !STOP_WORDS.has(term));
}

/** Sentences of at least three words, with their words. */
function sentencesOf(text: string): { text: string; bag: string[] }[] {
  return text
    .split(/(?<=[.!?。！？])\s+|\n+/u)
    .map((sentence) => sentence.trim())
    .map((sentence) => ({ text: sentence, bag: contentWords(sentence) }))
    .filter(({ bag }) => bag.length >= 3);
}

function* wordWeights(bags: readonly string[][]): Generator<void, Map<string, number>> {
  const counts = new Map<string, number>();
  let total = 0;
  for (const bag of bags) {
    for (const word of bag) counts.set(word, (counts.get(word) ?? 0) + 1);
    total += bag.length;
    yield;
  }
  for (const [word, count] of counts) counts.set(word, count / Math.max(1, total));
  return counts;
}

function* bestSentence(
  bags: readonly string[][],
  weights: ReadonlyMap<string, number>,
  chosen: ReadonlySet<number>,
): Generator<void, number | undefined> {
  let best: number | undefined;
  let bestWeight = -1;
  for (const [index, bag] of bags.entries()) {
    if (chosen.has(index)) continue;
    yield;
    const weight = bag.reduce((sum, word) => sum + weights.get(word)!, 0) / bag.length;
    if (weight > bestWeight) {
      best = index;
      bestWeight = weight;
    }
  }
  return best;
}

function shorten(text: string): string {
  const characters = Array.from(text);
  return characters.length <= MAX_SENTENCE_CHARACTERS
    ? text
    : `${characters.slice(0, MAX_SENTENCE_CHARACTERS - 1).join('')}…`;
}

/** A run of consecutive messages with a generated title and summary. */
interface Segment {
  title: string;
  summary: string;
  fromOrdinal: number;
  toOrdinal: number;
  fromMessageId: string;
  toMessageId: string;
  startedAt: number;
  endedAt: number;
}

/** Only the beginning of a long message is read: it says what the message is about, and the rest would cost time. */
const CHARACTERS_READ = 2000;
/** Characters of a segment that are described: a change of a message describes its segment again while other writes wait. */
const CHARACTERS_DESCRIBED = 65_536;

/** Divides consecutive messages into segments, in steps. */
function* segmentMessages(messages: readonly MessageRow[]): Generator<void, Segment[]> {
  if (messages.length === 0) return [];
  const starts = yield* segmentTurns(
    messages.map(({ content, createdAt }) => ({ content: clip(content), createdAtMs: createdAt })),
  );
  const segments: Segment[] = [];
  for (const [index, start] of starts.entries()) {
    segments.push(yield* describeSegment(messages.slice(start, starts[index + 1] ?? messages.length)));
  }
  return segments;
}

/** Finds the title, summary and span of a segment of at least one message, in steps. */
function* describeSegment(messages: readonly MessageRow[]): Generator<void, Segment> {
  const spoken = spokenIn(messages);
  const times = messages.map(({ createdAt }) => createdAt);
  const [first] = messages;
  const last = messages.at(-1)!;
  return {
    title: yield* titleOf(spoken),
    summary: yield* summarize(spoken),
    fromOrdinal: first!.ordinal,
    toOrdinal: last.ordinal,
    fromMessageId: first!.id,
    toMessageId: last.id,
    startedAt: Math.min(...times),
    endedAt: Math.max(...times),
  };
}

/** The messages, without tool calls and their results unless there is nothing else. */
function spokenIn(messages: readonly MessageRow[]): Spoken[] {
  const written = messages.map((message) => ({ ...message, content: writtenTextOf(message) }));
  const said = written.filter(({ content }) => content !== '');
  const read = said.length > 0 ? said : messages;
  const characters = read.reduce((sum, { content }) => sum + Math.min(content.length, CHARACTERS_READ), 0);
  const limit = characters <= CHARACTERS_DESCRIBED ? CHARACTERS_READ : Math.floor(CHARACTERS_DESCRIBED / read.length);
  return read.map(({ name, role, content }) => ({ speaker: speakerOf({ role, name }), content: clip(content, limit) }));
}

function clip(content: string, limit = CHARACTERS_READ): string {
  return content.length <= limit ? content : content.slice(0, limit).toWellFormed();
}

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
