import type { Message } from '../../contract/conversations.ts';
import { oneLine, withoutFences } from '../../contract/fence.ts';
import { CONTEXT_HEADING, START_SECTIONS } from '../../contract/search.ts';
import { speakerOf } from '../../contract/speaker.ts';
import { toTimestamp } from '../../lib/clock.ts';
import { writtenTextOf } from '../conversations/message-content.ts';

/** The part of a message that the model reads. */
export interface ChunkMessage {
  id: string;
  ordinal: number;
  speaker: string;
  /** The member of a space who wrote it. */
  author: string | null;
  /** UTC day of the message. */
  day: string;
  createdAt: number;
  text: string;
}

/** How far a long message was read. */
interface MessageStart {
  ordinal: number;
  characters: number;
}

/** The part of a conversation that the model reads in one request. */
export interface Chunk {
  /** What was said earlier, for context only. */
  before: ChunkMessage[];
  messages: ChunkMessage[];
  /** Ordinal of the last message scanned. */
  lastOrdinal: number;
  /** Ordinal of the last one scanned to its end, and how many were. */
  throughOrdinal: number;
  seen: number;
  /** How far the next one was read, if it is too long for one request; JSON. */
  partlyRead: string | null;
}

interface SourceMessage {
  id: string;
  ordinal: number;
  role: Message['role'];
  name: string | null;
  author: string | null;
  content: string;
  parts: string | null;
  createdAt: number;
}

/** About 3,000 tokens: models overlook more in longer input. A longer message is read in parts. */
const CHUNK_CHARACTERS = 12_000;
const MAX_HALVINGS = 3;
const CONTEXT_MESSAGES = 4;
const CONTEXT_CHARACTERS = 1000;
const LEFT_OUT = '[…]';

/**
 * Takes as many messages as fit one request, or a part of a longer one: the first of `sources` continues where it was
 * `partlyRead`. Only users and assistants are read: system instructions and tool results, which include svc's own memories,
 * are not statements by anyone. Context blocks that svc put into a prompt are removed from the rest too, because a memory
 * extracted from itself would be reinforced at every recall. Each of the `failures` halves the length, because the input or
 * the output may have been too long for the model.
 */
export function toChunk(
  sources: readonly SourceMessage[],
  earlier: readonly SourceMessage[],
  failures = 0,
  partlyRead: string | null = null,
): Chunk {
  const limit = CHUNK_CHARACTERS >> Math.min(failures, MAX_HALVINGS);
  const started = partlyRead === null ? undefined : (JSON.parse(partlyRead) as MessageStart);
  const before = earlier.flatMap((source) => messagesOf(source, shortened(textOf(source)))).slice(-CONTEXT_MESSAGES);
  const messages: ChunkMessage[] = [];
  let characters = 0;
  let throughOrdinal = 0;
  let seen = 0;
  for (const source of sources) {
    const { ordinal } = source;
    const text = textOf(source);
    const start = ordinal === started?.ordinal ? Math.min(started.characters, text.length) : 0;
    const left = text.length - start;
    if (messages.length > 0 && characters + left > limit) break;
    if (start > 0) before.push(...messagesOf(source, partOf(text, Math.max(0, start - CONTEXT_CHARACTERS), start)));
    const end = start + lengthOfPart(text.slice(start), limit);
    messages.push(...messagesOf(source, partOf(text, start, end)));
    if (end < text.length) {
      const read: MessageStart = { ordinal, characters: end };
      return {
        ...{ before, messages, seen },
        lastOrdinal: ordinal,
        throughOrdinal: ordinal - 1,
        partlyRead: JSON.stringify(read),
      };
    }
    throughOrdinal = ordinal;
    seen += 1;
    characters += left;
  }
  return { before, messages, seen, lastOrdinal: throughOrdinal, throughOrdinal, partlyRead: null };
}

/** Whether every message read is still the same in the `current` chunk, which may have grown. */
export function isUnchanged(chunk: Chunk, current: Chunk): boolean {
  const read = ({ before, messages }: Chunk) => [...before, ...messages].map((message) => JSON.stringify(message));
  const now = new Set(read(current));
  return read(chunk).every((message) => now.has(message));
}

/** Empty unless somebody wrote it. */
function textOf({ role, content, parts }: SourceMessage): string {
  return role === 'user' || role === 'assistant' ? withoutRecalled(writtenTextOf({ content, parts })).trim() : '';
}

function messagesOf({ role, name, ...source }: SourceMessage, text: string): ChunkMessage[] {
  if (text === '') return [];
  const { id, ordinal, createdAt, author } = source;
  const speaker = oneLine(speakerOf({ role, name }));
  return [{ id, ordinal, createdAt, speaker, author, day: toTimestamp(createdAt).slice(0, 10), text }];
}

/** A part of a text, marked where that goes on before or after it. */
function partOf(text: string, start: number, end: number): string {
  if (start === end) return '';
  const part = text.slice(start, end).toWellFormed();
  return `${start > 0 ? `${LEFT_OUT} ` : ''}${part}${end < text.length ? ` ${LEFT_OUT}` : ''}`;
}

/** How much of a text is read at once: to the end of a paragraph, line, sentence or word, if one ends near the limit. */
function lengthOfPart(text: string, limit: number): number {
  if (text.length <= limit) return text.length;
  for (const end of ['\n\n', '\n', '. ', '。', ' ']) {
    const at = text.lastIndexOf(end, limit - end.length);
    if (at >= limit / 2) return at + end.length;
  }
  return text.slice(0, limit).isWellFormed() ? limit : limit - 1;
}

/** Leaves out the middle: people write before or after what they paste. */
function shortened(text: string): string {
  if (text.length <= CONTEXT_CHARACTERS) return text;
  const fromEnd = Math.floor(CONTEXT_CHARACTERS / 3);
  const start = text.slice(0, CONTEXT_CHARACTERS - fromEnd);
  return `${start.toWellFormed()}\n${LEFT_OUT}\n${text.slice(-fromEnd).toWellFormed()}`;
}

const RECALLED_LINE = new RegExp(String.raw`^\s*(?:\[\d+\] |(?:${START_SECTIONS.join('|')}):$)`);

/** Removes fences, and the blocks that `POST /v1/context` produces: their heading and the numbered lines below it. */
export function withoutRecalled(written: string): string {
  const text = withoutFences(written);
  if (!text.includes(CONTEXT_HEADING)) return text;
  const lines: string[] = [];
  let inBlock = false;
  for (const line of text.split('\n')) {
    const heading = line.indexOf(CONTEXT_HEADING);
    if (heading >= 0) {
      inBlock = true;
      lines.push(line.slice(0, heading));
    } else {
      inBlock = inBlock && RECALLED_LINE.test(line);
      if (!inBlock) lines.push(line);
    }
  }
  return lines.join('\n');
}
