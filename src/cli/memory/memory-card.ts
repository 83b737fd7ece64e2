import { type ListedMemory, memoryFacts } from './memory-facts.ts';
import type { MemoryStyle } from './style.ts';
import { displayWidth, padToWidth, printable, truncate, wrap } from './terminal-text.ts';
import { createMatcher } from './word-match.ts';

/** How text is laid out and styled. */
export interface RenderOptions {
  /** Width of the terminal in columns. */
  columns: number;
  style: MemoryStyle;
  nowMs: number;
}

export interface CardOptions {
  /** The text in the margin: the short id. */
  label: string;
  /** Words of this query are highlighted. */
  query?: string | undefined;
  /** Maximum number of content lines. */
  maxLines?: number;
  /** Lines below, already formatted to the card's inner width. */
  more?: readonly string[];
}

/** Longer lines are hard to read. */
const MAX_WIDTH = 100;
const GAP = 2;

/** Returns the width left beside the margin. */
export function innerWidth(columns: number, label: string): number {
  return Math.max(16, Math.min(columns, MAX_WIDTH) - displayWidth(label) - GAP);
}

/** Formats a memory: the short id in the margin, the text, and below it the time, user and tags. */
export function memoryCard(
  memory: ListedMemory,
  options: CardOptions,
  { columns, style, nowMs }: RenderOptions,
): string {
  const { label, query, maxLines = 4, more = [] } = options;
  const width = innerWidth(columns, label);
  const match = query === undefined ? undefined : createMatcher(query);
  const highlight = (line: string) =>
    match
      ? match(line)
          .map(({ text, matched }) => (matched ? style.highlight(text) : text))
          .join('')
      : line;
  const content = wrap(printable(memory.content), width, maxLines).map(highlight);
  const facts = truncate(memoryFacts(memory, nowMs).join(' · '), width);
  const margin = ' '.repeat(displayWidth(label) + GAP);
  const [first = '', ...rest] = [...content, style.dim(facts), ...more];
  return [style.bold(padToWidth(label, displayWidth(label) + GAP)) + first, ...rest.map((line) => margin + line)].join(
    '\n',
  );
}
