import type { ItemType, SearchFilter } from '../../contract/search.ts';
import type { Value } from '../../db/connection.ts';
import type { MessageRow } from '../conversations/conversations.ts';
import type { EpisodeRow } from '../episodes/episodes.ts';
import type { MemoryRow } from '../memories/memories.ts';
import type { TextIndexName } from './text-index-sqlite.ts';

/** What the candidates of each type are made of. */
export interface FoundRows {
  memory: MemoryRow;
  message: MessageRow & { endUser: string; erasedAt: number | null };
  episode: EpisodeRow;
}

export interface CandidateQuery {
  tenantId: string;
  endUser: string;
  scope: number;
  query: string;
  /** All types where none are named. */
  types?: readonly ItemType[];
  filter: SearchFilter & { afterMs?: number | undefined; beforeMs?: number | undefined };
  asOfMs: number | undefined;
  nowMs: number;
  /** How many of each type to find. */
  pool: number;
}

/** A condition on the rows with the value that it is about. */
export type Condition = [sql: string, value: Value];

/** One type of candidate: where its words and its rows are (`m`), and what of them is shown. */
export interface Source<T extends ItemType = ItemType> {
  type: T;
  index: TextIndexName;
  rows: string;
  /** What is read beside the row itself, and the table that it comes from. */
  beside: { columns: string; join: string };
  /** When it happened. */
  at: string;
  /** How many documents a user has, by tenant and user. */
  own: string;
  /** Which parts of the index are asked for a time that has passed. */
  partsThen: readonly ('live' | 'past')[];
  /** What holds for every row that is shown, now or then. */
  shown(query: CandidateQuery): Condition[];
  /** What `asOf` needs beside. */
  joinThen: string;
  /** Whether a row must not be shown now, where the index alone was asked. */
  isHidden(row: FoundRows[T], nowMs: number): boolean;
}

const memory: Source<'memory'> = {
  type: 'memory',
  index: 'memoryText',
  rows: 'memories',
  beside: { columns: '', join: '' },
  at: 'COALESCE(m.occurredAt, m.createdAt)',
  own: 'SELECT COUNT(*) FROM memories WHERE tenantId = ? AND endUser = ?',
  partsThen: ['live', 'past'],
  /** Of `asOf`, the version that was valid then; whether the memory has expired its current version (`c`) tells. */
  shown({ asOfMs, nowMs }) {
    const expiry = asOfMs === undefined ? 'm.expiresAt' : 'c.expiresAt';
    const alive: Condition = [`(${expiry} IS NULL OR ${expiry} > ?)`, Math.max(nowMs, asOfMs ?? nowMs)];
    if (asOfMs === undefined) return [['m.current = ?', 1], alive];
    return [['m.validFrom <= ?', asOfMs], ['(m.validTo IS NULL OR m.validTo > ?)', asOfMs], alive];
  },
  joinThen: 'CROSS JOIN memories c ON c.tenantId = m.tenantId AND c.id = m.id AND c.current = 1',
  isHidden: ({ expiresAt }, nowMs) => expiresAt !== null && expiresAt <= nowMs,
};

const message: Source<'message'> = {
  type: 'message',
  index: 'messageText',
  rows: 'messages',
  beside: {
    columns: ', o.endUser, o.erasedAt',
    join: 'CROSS JOIN conversations o ON o.tenantId = m.tenantId AND o.id = m.conversationId',
  },
  at: 'm.createdAt',
  own: 'SELECT COALESCE(SUM(messageCount), 0) FROM conversations WHERE tenantId = ? AND endUser = ?',
  partsThen: ['live'],
  /** Messages of a conversation that is being erased are gone already. */
  shown: ({ asOfMs }) => [
    ['o.erasedAt IS ?', null],
    ...(asOfMs === undefined ? [] : [['m.createdAt <= ?', asOfMs] satisfies Condition]),
  ],
  joinThen: '',
  isHidden: ({ erasedAt }) => erasedAt !== null,
};

const episode: Source<'episode'> = {
  type: 'episode',
  index: 'episodeText',
  rows: 'episodes',
  beside: { columns: '', join: '' },
  at: 'm.endedAt',
  own: 'SELECT COUNT(*) FROM episodes WHERE tenantId = ? AND endUser = ?',
  partsThen: ['live'],
  shown: ({ asOfMs }) => (asOfMs === undefined ? [] : [['m.endedAt <= ?', asOfMs]]),
  joinThen: '',
  isHidden: () => false,
};

export const SOURCES: { [T in ItemType]: Source<T> } = { memory, message, episode };

/** What a filter asks of the rows of a source. Tags are asked of memories only: nothing else has any. */
export function filterConditions({ at }: Source, { filter }: CandidateQuery): Condition[] {
  const conditions: Condition[] = [];
  for (const tag of filter.tags ?? []) {
    conditions.push(['EXISTS (SELECT 1 FROM json_each(m.tags) WHERE json_each.value = ?)', tag]);
  }
  for (const [name, value] of Object.entries(filter.metadata ?? {})) {
    conditions.push(metadataCondition(name, value));
  }
  if (filter.afterMs !== undefined) conditions.push([`${at} > ?`, filter.afterMs]);
  if (filter.beforeMs !== undefined) conditions.push([`${at} < ?`, filter.beforeMs]);
  return conditions;
}

/** One top-level member that equals a value, type included: one bound value holds both as JSON. */
function metadataCondition(name: string, value: string | number | boolean): Condition {
  const condition = `EXISTS (SELECT 1 FROM json_each(m.metadata) a JOIN json_each(?) b
    ON a.key = b.key AND a.type = b.type AND a.value = b.value)`;
  return [condition, JSON.stringify({ [name]: value })];
}
