import type { Message } from '../../contract/conversations.ts';
import { CONTEXT_HEADING } from '../../contract/search.ts';
import { toTimestamp } from '../../lib/clock.ts';

/** A message as far as memories may be drawn from it. */
export interface ChunkMessage {
  id: string;
  ordinal: number;
  speaker: string;
  /** UTC day on which it was said. */
  day: string;
  createdAt: number;
  text: string;
}

/** What a model reads at once. */
export interface Chunk {
  /** Said before it: to understand the rest, not to draw from. */
  before: ChunkMessage[];
  messages: ChunkMessage[];
  /** The place of the last message that was looked at, and how many were. */
  throughOrdinal: number;
  seen: number;
}

interface SourceMessage {
  id: string;
  ordinal: number;
  role: Message['role'];
  name: string | null;
  content: string;
  createdAt: number;
}

/** Some 3,000 tokens: models overlook more in longer ones. A longer message is read as far as this. */
const CHUNK_CHARACTERS = 12_000;
const MAX_HALVINGS = 3;
const CONTEXT_MESSAGES = 4;
const CONTEXT_CHARACTERS = 1000;

/**
 * As many of the messages as are read at once. Only people and assistants are: instructions and what tools returned,
 * svc's own memories among that, are nobody's word. What svc put into a prompt is cut out of the rest too: a memory that
 * was drawn from itself would grow stronger each time it is recalled. After each of the `failures` it is half as long: it
 * may have been too much for the model, or for its answer.
 */
export function toChunk(sources: readonly SourceMessage[], earlier: readonly SourceMessage[], failures = 0): Chunk {
  const messages: ChunkMessage[] = [];
  const limit = CHUNK_CHARACTERS >> Math.min(failures, MAX_HALVINGS);
  let characters = 0;
  let last: SourceMessage | undefined;
  let seen = 0;
  for (const source of sources) {
    const message = toChunkMessage(source, limit);
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

/** Whether all that was read is there as it is `now`; more may have come. */
export function isUnchanged(chunk: Chunk, current: Chunk): boolean {
  const idsOf = ({ before, messages }: Chunk) => [...before, ...messages].map(({ id }) => id);
  const currentIds = new Set(idsOf(current));
  return idsOf(chunk).every((id) => currentIds.has(id));
}

function toChunkMessage(
  { role, name, content, ...source }: SourceMessage,
  characters: number,
): ChunkMessage | undefined {
  if (role !== 'user' && role !== 'assistant') return undefined;
  const text = withoutRecalled(content).trim().slice(0, characters).toWellFormed();
  if (text === '') return undefined;
  const { id, ordinal, createdAt } = source;
  return { id, ordinal, createdAt, speaker: name ?? role, day: toTimestamp(createdAt).slice(0, 10), text };
}

const RECALLED_LINE = /^\s*\[\d+\] \(\d{4}-\d\d-\d\d\) /;

/** Without the blocks that `POST /v1/context` makes: their heading and the numbered lines below it. */
export function withoutRecalled(text: string): string {
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
