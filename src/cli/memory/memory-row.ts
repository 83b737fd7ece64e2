import type { Memory } from '../../contract/memories.ts';
import { oneLine } from './terminal-text.ts';

/**
 * Memories for programs: one line each, fields set apart by tabs, nothing cut or said in words. Id, time (when it
 * happened, else when it was noted), user, tags, content; `extra` fields come after the id.
 */
export function memoryRow(memory: Memory, ...extra: string[]): string {
  const { id, occurredAt, createdAt, user, tags, content } = memory;
  const fields = [id, ...extra, occurredAt ?? createdAt, user, tags.join(','), content];
  return fields.map((field) => oneLine(field)).join('\t');
}
