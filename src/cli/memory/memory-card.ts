import type { Memory } from '../../contract/memories.ts';
import { parseTimestamp } from '../../lib/clock.ts';
import { formatRelativeTime } from './relative-time.ts';
import type { MemoryStyle } from './style.ts';
import { displayWidth, padToWidth, printable, truncate, wrap } from './terminal-text.ts';
import { createMatcher } from './word-match.ts';

/** How memories are drawn. */
export interface RenderOptions {
  /** Width of the terminal in columns. */
  columns: number;
  style: MemoryStyle;
  nowMs: number;
}

export interface CardOptions {
  /** What stands in the margin: the short id. */
  label: string;
  /** The words that were asked for are marked. */
  query?: string | undefined;
  /** Lines of the content that are shown at most. */
  maxLines?: number;
  /** Lines beneath, already drawn to the card's inner width. */
  more?: readonly string[];
}

/** Longer lines are hard to read. */
const WIDEST = 100;
const GAP = 2;

/** The width that is left beside the margin. */
export function innerWidth(columns: number, label: string): number {
  return Math.max(16, Math.min(columns, WIDEST) - displayWidth(label) - GAP);
}

/** One memory as a person reads it: short id in the margin, the text, and beneath it when, whose and what about. */
export function memoryCard(memory: Memory, options: CardOptions, { columns, style, nowMs }: RenderOptions): string {
  const { label, query, maxLines = 4, more = [] } = options;
  const width = innerWidth(columns, label);
  const match = query === undefined ? undefined : createMatcher(query);
  const mark = (line: string) =>
    match
      ? match(line)
          .map(({ text, matched }) => (matched ? style.highlight(text) : text))
          .join('')
      : line;
  const content = wrap(printable(memory.content), width, maxLines).map(mark);
  const facts = truncate(memoryFacts(memory, nowMs).join(' · '), width);
  const margin = ' '.repeat(displayWidth(label) + GAP);
  const [first = '', ...rest] = [...content, style.dim(facts), ...more];
  return [style.bold(padToWidth(label, displayWidth(label) + GAP)) + first, ...rest.map((line) => margin + line)].join(
    '\n',
  );
}

/** When, whose and what about, in a few words each. */
export function memoryFacts(memory: Memory, nowMs: number): string[] {
  const said = (timestamp: string) => formatRelativeTime(parseTimestamp(timestamp) ?? nowMs, nowMs);
  const facts = [said(memory.occurredAt ?? memory.createdAt)];
  if (memory.validTo !== null) facts.push(memory.supersededBy ? 'superseded' : `valid until ${said(memory.validTo)}`);
  if (memory.expiresAt !== null) facts.push(`expires ${said(memory.expiresAt)}`);
  if (memory.user !== 'default') facts.push(`of ${printable(memory.user)}`);
  if (memory.tags.length > 0) facts.push(memory.tags.map((tag) => `#${printable(tag)}`).join(' '));
  return facts;
}
