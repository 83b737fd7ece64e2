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
  /** UTC day of the message. */
  day: string;
  createdAt: number;
  text: string;
}

/** The part of a conversation that the model reads in one request. */
export interface Chunk {
  /** Earlier messages, for context only. */
  before: ChunkMessage[];
  messages: ChunkMessage[];
  /** Ordinal of the last message scanned, and how many were scanned. */
  throughOrdinal: number;
  seen: number;
}

interface SourceMessage {
  id: string;
  ordinal: number;
  role: Message['role'];
  name: string | null;
  content: string;
  parts: string | null;
  createdAt: number;
}

/** About 3,000 tokens: models overlook more in longer input. A longer message is truncated to this. */
const CHUNK_CHARACTERS = 12_000;
const MAX_HALVINGS = 3;
const CONTEXT_MESSAGES = 4;
const CONTEXT_CHARACTERS = 1000;
const LEFT_OUT = '\n[…]\n';

/**
 * Takes as many messages as fit one request. Only users and assistants are read: system instructions and tool results,
 * which include svc's own memories, are not statements by anyone. Context blocks that svc put into a prompt are removed
 * from the rest too, because a memory extracted from itself would be reinforced at every recall. Each of the `failures`
 * halves the length, because the input or the output may have been too long for the model. A message itself is cut only
 * after `lengthFailures`, in its middle: people write before or after what they paste. What is left out is never read.
 */
export function toChunk(
  sources: readonly SourceMessage[],
  earlier: readonly SourceMessage[],
  failures = 0,
  lengthFailures = 0,
): Chunk {
  const messages: ChunkMessage[] = [];
  const limit = CHUNK_CHARACTERS >> Math.min(failures, MAX_HALVINGS);
  const messageLimit = CHUNK_CHARACTERS >> Math.min(lengthFailures, MAX_HALVINGS);
  let characters = 0;
  let last: SourceMessage | undefined;
  let seen = 0;
  for (const source of sources) {
    const message = toChunkMessage(source, messageLimit);
    if (message && messages.length > 0 && characters + message.text.length > limit) break;
    last = source;
    seen += 1;
    if (!message) continue;
    characters += message.text.length;
    messages.push(message);
  }
  const before = earlier.flatMap((source) => toChunkMessage(source, CONTEXT_CHARACTERS) ?? []).slice(-CONTEXT_MESSAGES);
  return { before, messages, throughOrdinal: last?.ordinal ?? 0, seen };
}

/** Whether every message read is still the same in the `current` chunk, which may have grown. */
export function isUnchanged(chunk: Chunk, current: Chunk): boolean {
  const read = ({ before, messages }: Chunk) => [...before, ...messages].map((message) => JSON.stringify(message));
  const now = new Set(read(current));
  return read(chunk).every((message) => now.has(message));
}

function toChunkMessage(
  { role, name, content, parts, ...source }: SourceMessage,
  characters: number,
): ChunkMessage | undefined {
  if (role !== 'user' && role !== 'assistant') return undefined;
  const text = shortened(withoutRecalled(writtenTextOf({ content, parts })).trim(), characters);
  if (text === '') return undefined;
  const { id, ordinal, createdAt } = source;
  return {
    id,
    ordinal,
    createdAt,
    speaker: oneLine(speakerOf({ role, name })),
    day: toTimestamp(createdAt).slice(0, 10),
    text,
  };
}

function shortened(text: string, characters: number): string {
  if (text.length <= characters) return text;
  const fromEnd = Math.floor(characters / 3);
  const start = text.slice(0, characters - fromEnd - LEFT_OUT.length);
  return `${start.toWellFormed()}${LEFT_OUT}${text.slice(-fromEnd).toWellFormed()}`;
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
