import type { Memory } from '../../contract/memories.ts';
import { parseTimestamp } from '../../lib/clock.ts';
import type { RenderOptions } from './memory-card.ts';
import { changedFields, detailFacts } from './memory-facts.ts';
import { formatTimeWithDate } from './relative-time.ts';
import { padToWidth, printable, wrap } from './terminal-text.ts';

const LABEL_WIDTH = 13;

/** Formats a memory in full: its text and every field that is set. */
export function memoryDetail(memory: Memory, { columns, style, nowMs }: RenderOptions): string {
  const width = Math.max(16, Math.min(columns, 100));
  const facts = detailFacts(memory, nowMs).flatMap(([name, value]) => {
    const [first = '', ...rest] = wrap(printable(value), Math.max(12, width - LABEL_WIDTH));
    const margin = ' '.repeat(LABEL_WIDTH);
    return [style.dim(padToWidth(name, LABEL_WIDTH)) + first, ...rest.map((line) => margin + line)];
  });
  return [...wrap(printable(memory.content), width), '', ...facts].join('\n');
}

/** Formats all versions of a memory, newest first, each under a heading with its time. */
export function memoryHistory(versions: readonly Memory[], { columns, style, nowMs }: RenderOptions): string {
  const width = Math.max(16, Math.min(columns, 100)) - 2;
  const blocks = versions.map((memory, index) => {
    const updatedAt = formatTimeWithDate(parseTimestamp(memory.updatedAt) ?? nowMs, nowMs);
    const by = memory.author === null ? '' : ` by ${printable(memory.author)}`;
    const heading = style.bold(`version ${memory.version}`) + style.dim(`  ${updatedAt}${by}`);
    const changes = changedFields(memory, versions[index + 1]);
    const note = changes.length === 0 ? [] : [style.dim(`  changed: ${changes.join(', ')}`)];
    return [heading, ...wrap(printable(memory.content), width).map((line) => `  ${line}`), ...note].join('\n');
  });
  return blocks.join('\n\n');
}
