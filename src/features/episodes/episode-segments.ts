import { speakerOf } from '../../contract/speaker.ts';
import type { MessageRow } from '../conversations/conversations.ts';
import { writtenTextOf } from '../conversations/message-content.ts';
import { type Spoken, summarize, titleOf } from './summary.ts';
import { segmentTurns } from './topic-segmentation.ts';

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
  return (said.length > 0 ? said : messages).map(({ name, role, content }) => ({
    speaker: speakerOf({ role, name }),
    content: clip(content),
  }));
}

function clip(content: string): string {
  return content.length <= CHARACTERS_READ ? content : content.slice(0, CHARACTERS_READ).toWellFormed();
}
