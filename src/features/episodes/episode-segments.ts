import type { MessageRow } from '../conversations/conversations.ts';
import { segmentTurns } from './segmentation.ts';
import { summarize, titleOf } from './summary.ts';

/** What svc itself says of a stretch of messages. */
export interface Cut {
  title: string;
  summary: string;
  fromOrdinal: number;
  toOrdinal: number;
  fromMessageId: string;
  toMessageId: string;
  startedAt: number;
  endedAt: number;
}

/** Of a longer message, what stands first tells what it is about; the rest would only take time. */
const CHARACTERS_READ = 2000;

/** Cuts consecutive messages into stretches, each with title, summary and span. */
export function cutMessages(messages: readonly MessageRow[]): Cut[] {
  if (messages.length === 0) return [];
  const starts = segmentTurns(
    messages.map(({ content, createdAt }) => ({ content: clip(content), createdAtMs: createdAt })),
  );
  return starts.map((start, index) => describeStretch(messages.slice(start, starts[index + 1] ?? messages.length)));
}

/** Title, summary and span of messages that belong together; at least one. */
export function describeStretch(messages: readonly MessageRow[]): Cut {
  const spoken = messages.map(({ name, role, content }) => ({ speaker: name ?? role, content: clip(content) }));
  const times = messages.map(({ createdAt }) => createdAt);
  const [first] = messages;
  const last = messages.at(-1)!;
  return {
    title: titleOf(spoken),
    summary: summarize(spoken),
    fromOrdinal: first!.ordinal,
    toOrdinal: last.ordinal,
    fromMessageId: first!.id,
    toMessageId: last.id,
    startedAt: Math.min(...times),
    endedAt: Math.max(...times),
  };
}

function clip(content: string): string {
  return content.length <= CHARACTERS_READ ? content : content.slice(0, CHARACTERS_READ).toWellFormed();
}
