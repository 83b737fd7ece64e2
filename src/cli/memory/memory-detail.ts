import type { Memory } from '../../contract/memories.ts';
import { parseTimestamp } from '../../lib/clock.ts';
import type { RenderOptions } from './memory-card.ts';
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

function detailFacts(memory: Memory, nowMs: number): [string, string][] {
  const formatTime = (timestamp: string | null) =>
    timestamp === null ? '' : formatTimeWithDate(parseTimestamp(timestamp) ?? nowMs, nowMs);
  const facts: [string, string][] = [
    ['id', memory.id],
    ['user', memory.user],
    ['tags', memory.tags.map((tag) => `#${tag}`).join(' ')],
    ['metadata', Object.keys(memory.metadata).length === 0 ? '' : JSON.stringify(memory.metadata)],
    ['source', memory.source === null ? '' : Object.values(memory.source).join(', ')],
    ['occurred', formatTime(memory.occurredAt)],
    ['created', formatTime(memory.createdAt)],
    ['updated', memory.version > 1 ? `${formatTime(memory.updatedAt)}, version ${memory.version}` : ''],
    ['expires', formatTime(memory.expiresAt)],
    ['valid until', formatTime(memory.validTo)],
    ['replaced by', memory.supersededBy ?? ''],
  ];
  return facts.filter(([, value]) => value !== '');
}

/** Formats all versions of a memory, newest first, each under a heading with its time. */
export function memoryHistory(versions: readonly Memory[], { columns, style, nowMs }: RenderOptions): string {
  const width = Math.max(16, Math.min(columns, 100)) - 2;
  const blocks = versions.map((memory, index) => {
    const updatedAt = formatTimeWithDate(parseTimestamp(memory.updatedAt) ?? nowMs, nowMs);
    const heading = style.bold(`version ${memory.version}`) + style.dim(`  ${updatedAt}`);
    const changes = changedFields(memory, versions[index + 1]);
    const note = changes.length === 0 ? [] : [style.dim(`  changed: ${changes.join(', ')}`)];
    return [heading, ...wrap(printable(memory.content), width).map((line) => `  ${line}`), ...note].join('\n');
  });
  return blocks.join('\n\n');
}

function changedFields(memory: Memory, before: Memory | undefined): string[] {
  if (!before) return [];
  const fields = ['content', 'tags', 'metadata', 'occurredAt', 'expiresAt'] as const;
  return fields.filter((field) => JSON.stringify(memory[field]) !== JSON.stringify(before[field]));
}
