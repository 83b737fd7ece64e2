import type { ListedMemory } from './memory-facts.ts';
import { oneLine } from './terminal-text.ts';

/**
 * Formats a memory as one line for programs, with tab-separated fields and nothing truncated: id, time (when it
 * occurred, otherwise when it was created), user, tags, content; `extra` fields follow the id.
 */
export function memoryRow(memory: ListedMemory, ...extra: string[]): string {
  const { id, occurredAt, createdAt, user, tags, content } = memory;
  const fields = [id, ...extra, occurredAt ?? createdAt, user, tags.join(','), content];
  return fields.map((field) => oneLine(field)).join('\t');
}
