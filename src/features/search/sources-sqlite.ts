import type { ItemType, SearchFilter } from '../../contract/search.ts';
import type { Value } from '../../db/connection.ts';
import type { MessageRow } from '../conversations/conversations.ts';
import type { EpisodeRow } from '../episodes/episodes.ts';
import type { MemoryRow } from '../memories/memories.ts';
import type { TextIndexName } from '../text/text-index-sqlite.ts';
import { STRETCH } from './lexical.ts';

/** What the candidates of each type are made of. */
export interface FoundRows {
  memory: MemoryRow;
  message: MessageRow & { endUser: string };
  episode: EpisodeRow;
}

export interface CandidateQuery {
  tenantId: string;
  endUser: string;
  scope: number;
  /** The words to look up, folded. */
  terms: readonly string[];
  /** The months asked for, as terms: what is of them may be meant whatever its words are. */
  months: readonly string[];
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
  /** When it began and ended. */
  at: string;
  until: string;
  /** Who said it, how long it is, and the traits of what was said before it. */
  facts: { speaker: string; length: string; traitsBefore: string; join: string };
  /** How many documents a user has and how many stretches of conversation they make, by tenant and user. */
  own: string;
  stretches: string;
  /** Which parts of the index are asked for a time that has passed. */
  partsThen: readonly ('live' | 'past')[];
  /** What holds for every row that is shown, now or then. */
  shown(query: CandidateQuery): Condition[];
  /** What `asOf` needs beside. */
  joinThen: string;
}

const ALONE = { speaker: 'NULL', traitsBefore: '0', join: '' };
const NO_STRETCHES = 'SELECT 0 WHERE ? <> ?';

const memory: Source<'memory'> = {
  type: 'memory',
  index: 'memoryText',
  rows: 'memories',
  beside: { columns: '', join: '' },
  at: 'COALESCE(m.occurredAt, m.createdAt)',
  until: 'COALESCE(m.occurredAt, m.createdAt)',
  facts: { ...ALONE, length: 'LENGTH(m.content)' },
  own: 'SELECT COUNT(*) FROM memories WHERE tenantId = ? AND endUser = ?',
  stretches: NO_STRETCHES,
  partsThen: ['live', 'past'],
  /** Of `asOf`, the version that was valid then; whether the memory has expired its current version (`c`) tells. */
  shown({ asOfMs, nowMs }) {
    const expiry = asOfMs === undefined ? 'm.expiresAt' : 'c.expiresAt';
    const alive: Condition = [`(${expiry} IS NULL OR ${expiry} > ?)`, Math.max(nowMs, asOfMs ?? nowMs)];
    if (asOfMs === undefined) return [['m.current = ?', 1], alive];
    return [['m.validFrom <= ?', asOfMs], ['(m.validTo IS NULL OR m.validTo > ?)', asOfMs], alive];
  },
  joinThen: 'CROSS JOIN memories c ON c.tenantId = m.tenantId AND c.id = m.id AND c.current = 1',
};

const message: Source<'message'> = {
  type: 'message',
  index: 'messageText',
  rows: 'messages',
  beside: {
    columns: ', o.endUser',
    join: 'CROSS JOIN conversations o ON o.tenantId = m.tenantId AND o.id = m.conversationId',
  },
  at: 'm.createdAt',
  until: 'm.createdAt',
  facts: {
    speaker: 'm.name',
    length: 'LENGTH(m.content)',
    traitsBefore: 'COALESCE(b.traits, 0)',
    join: 'LEFT JOIN messages b ON b.number = m.number - 1 AND b.tenantId = m.tenantId',
  },
  own: 'SELECT COALESCE(SUM(messageCount), 0) FROM conversations WHERE tenantId = ? AND endUser = ?',
  stretches: `SELECT COALESCE(SUM((lastOrdinal + ${STRETCH - 1}) / ${STRETCH}), 0) FROM conversations
    WHERE tenantId = ? AND endUser = ?`,
  partsThen: ['live'],
  /** Messages of a conversation that is being erased are gone already. */
  shown: ({ asOfMs }) => [
    ['o.erasedAt IS ?', null],
    ...(asOfMs === undefined ? [] : [['m.createdAt <= ?', asOfMs] satisfies Condition]),
  ],
  joinThen: '',
};

const episode: Source<'episode'> = {
  type: 'episode',
  index: 'episodeText',
  rows: 'episodes',
  beside: { columns: '', join: '' },
  at: 'm.startedAt',
  until: 'm.endedAt',
  facts: { ...ALONE, length: `LENGTH(m.title || COALESCE(m.summary, ''))` },
  own: 'SELECT COUNT(*) FROM episodes WHERE tenantId = ? AND endUser = ?',
  stretches: NO_STRETCHES,
  partsThen: ['live'],
  shown: ({ asOfMs }) => (asOfMs === undefined ? [] : [['m.endedAt <= ?', asOfMs]]),
  joinThen: '',
};

export const SOURCES: { [T in ItemType]: Source<T> } = { memory, message, episode };

/** What holds for every row that this query may show: it is the tenant's, it is valid, and the filter lets it through. */
export function shownConditions(source: Source, query: CandidateQuery): Condition[] {
  return [['m.tenantId = ?', query.tenantId], ...source.shown(query), ...filterConditions(source, query)];
}

/** Tags are asked of memories only: nothing else has any. */
function filterConditions({ until }: Source, { filter }: CandidateQuery): Condition[] {
  const conditions: Condition[] = [];
  for (const tag of filter.tags ?? []) {
    conditions.push(['EXISTS (SELECT 1 FROM json_each(m.tags) WHERE json_each.value = ?)', tag]);
  }
  for (const [name, value] of Object.entries(filter.metadata ?? {})) {
    conditions.push(metadataCondition(name, value));
  }
  if (filter.afterMs !== undefined) conditions.push([`${until} > ?`, filter.afterMs]);
  if (filter.beforeMs !== undefined) conditions.push([`${until} < ?`, filter.beforeMs]);
  return conditions;
}

/** One top-level member that equals a value, type included: one bound value holds both as JSON. */
function metadataCondition(name: string, value: string | number | boolean): Condition {
  const condition = `EXISTS (SELECT 1 FROM json_each(m.metadata) a JOIN json_each(?) b
    ON a.key = b.key AND a.type = b.type AND a.value = b.value)`;
  return [condition, JSON.stringify({ [name]: value })];
}
