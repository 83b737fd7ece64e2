import type { Message } from '../../contract/conversations.ts';
import type { MessagePart } from '../../contract/message-content.ts';
import { parseTimestamp } from '../../lib/clock.ts';
import { dateFormat, dayNumber, formatClockTime, localDay } from '../memory/local-day.ts';
import type { RenderOptions } from '../memory/memory-card.ts';
import { oneLine, printable, truncate, wrap } from '../memory/terminal-text.ts';

/** Longer lines are hard to read. */
const MAX_WIDTH = 100;
const MARGIN = '  ';
const DATE = dateFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });

/**
 * Formats messages as a dialogue: the day where it changes, the speaker with the time, and the text below. `previous` is
 * the message shown before them, if any.
 */
export function formatDialogue(messages: readonly Message[], look: RenderOptions, previous?: Message): string {
  let day = previous && dayOf(previous);
  return messages
    .map((message) => {
      const heading = dayOf(message) === day ? '' : `${look.style.dim(DATE(momentOf(message)))}\n\n`;
      day = dayOf(message);
      return `${heading}${formatMessage(message, look)}\n`;
    })
    .join('\n');
}

const momentOf = ({ createdAt }: Message) => parseTimestamp(createdAt) ?? 0;
const dayOf = (message: Message) => dayNumber(localDay(momentOf(message)));

function formatMessage(message: Message, { columns, style }: RenderOptions): string {
  const width = Math.max(16, Math.min(columns, MAX_WIDTH) - MARGIN.length);
  const { role, name, content, author } = message;
  const speaker = truncate(name === null ? role : `${oneLine(name)} (${role})`, width - 7);
  const parts: readonly MessagePart[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const lines = parts.flatMap((part) =>
    part.type === 'text'
      ? wrap(printable(part.text), width)
      : [style.dim(truncate(oneLine(printable(describePart(part))), width))],
  );
  const by = author === null ? '' : ` by ${printable(author)}`;
  const head = `${style.bold(printable(speaker))}  ${style.dim(formatClockTime(momentOf(message)) + by)}`;
  return [head, ...lines.map((line) => (line === '' ? '' : MARGIN + line))].join('\n');
}

/** A part other than text, for one line. */
function describePart(part: Exclude<MessagePart, { type: 'text' }>): string {
  if (part.type === 'tool_call') return `calls ${part.name} ${asText(part.arguments)}`;
  if (part.type === 'tool_result') return `result ${asText(part.content)}`;
  return `image ${part.url.startsWith('data:') ? `in the message (${part.url.length} characters)` : part.url}`;
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
