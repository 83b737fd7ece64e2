import { speakerOf } from '../../contract/speaker.ts';
import type { MessageRow } from '../conversations/conversations.ts';
import { writtenTextOf } from '../conversations/message-content.ts';
import { STOP_WORDS } from '../text/stop-words.ts';
import { termsOf } from '../text/terms.ts';
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
export interface Segment {
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
export function* segmentMessages(messages: readonly MessageRow[]): Generator<void, Segment[]> {
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
export function* describeSegment(messages: readonly MessageRow[]): Generator<void, Segment> {
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
