import type { Memory } from '../../contract/memories.ts';
import { ORIGIN_TITLES } from '../../contract/origin.ts';
import type { SearchResult } from '../../contract/search.ts';
import { parseTimestamp } from '../../lib/clock.ts';
import { formatRelativeTime, formatTimeWithDate } from './relative-time.ts';
import { printable } from './terminal-text.ts';

/** The fields of a memory that lists show; a search result of another type has only the required ones. */
export type ListedMemory = Pick<Memory, 'id' | 'content' | 'user' | 'tags' | 'occurredAt' | 'createdAt'> &
  Partial<Memory & Pick<SearchResult, 'restatedBy' | 'possiblySupersededBy'>>;

/** The time, author in a space, validity, user and tags, in a few words each. */
export function memoryFacts(memory: ListedMemory, nowMs: number): string[] {
  const formatTime = (timestamp: string) => formatRelativeTime(parseTimestamp(timestamp) ?? nowMs, nowMs);
  const facts = [formatTime(memory.occurredAt ?? memory.createdAt)];
  if (memory.author) facts.push(`by ${printable(memory.author)}`);
  if (memory.pinned) facts.unshift('pinned');
  if (memory.validTo) facts.push(memory.supersededBy ? 'superseded' : `valid until ${formatTime(memory.validTo)}`);
  if (memory.restatedBy || memory.possiblySupersededBy) facts.push('older');
  if (memory.expiresAt) facts.push(`expires ${formatTime(memory.expiresAt)}`);
  if (memory.user !== 'default') facts.push(`user ${printable(memory.user)}`);
  if (memory.project) facts.push(`project ${printable(memory.project)}`);
  if (memory.tags.length > 0) facts.push(memory.tags.map((tag) => `#${printable(tag)}`).join(' '));
  return facts;
}

/** Every field that is set, with its label. */
export function detailFacts(memory: Memory, nowMs: number): [string, string][] {
  const formatTime = (timestamp: string | null) =>
    timestamp === null ? '' : formatTimeWithDate(parseTimestamp(timestamp) ?? nowMs, nowMs);
  const facts: [string, string][] = [
    ['id', memory.id],
    ['user', memory.user],
    ['project', memory.project ?? ''],
    ['external id', memory.externalId ?? ''],
    ['tags', memory.tags.map((tag) => `#${tag}`).join(' ')],
    ['metadata', Object.keys(memory.metadata).length === 0 ? '' : JSON.stringify(memory.metadata)],
    ['stored by', memory.client ?? ''],
    ['author', memory.author ?? ''],
    ['said by', memory.origin === null ? '' : ORIGIN_TITLES[memory.origin]],
    ['source', memory.source === null ? '' : Object.values(memory.source).join(', ')],
    ['pinned', memory.pinned ? 'yes' : ''],
    ['occurred', formatTime(memory.occurredAt)],
    ['created', formatTime(memory.createdAt)],
    ['said again', formatTime(memory.saidAt ?? null)],
    ['updated', memory.version > 1 ? `${formatTime(memory.updatedAt)}, version ${memory.version}` : ''],
    ['expires', formatTime(memory.expiresAt)],
    ['valid until', formatTime(memory.validTo)],
    ['replaced by', memory.supersededBy ?? ''],
  ];
  return facts.filter(([, value]) => value !== '');
}

/** Fields that always differ between two versions. */
const VERSION_FIELDS = new Set<string>(['version', 'saidAt', 'validFrom', 'validTo', 'supersededBy', 'updatedAt']);

/** The fields that a version changed; none for the first. */
export function changedFields(memory: Memory, before: Memory | undefined): string[] {
  if (!before) return [];
  const fields = (Object.keys(memory) as (keyof Memory)[]).filter((field) => !VERSION_FIELDS.has(field));
  return fields.filter((field) => JSON.stringify(memory[field]) !== JSON.stringify(before[field]));
}
