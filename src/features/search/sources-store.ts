import type { ItemType } from '../../contract/search.ts';
import type { Value } from '../../db/connection.ts';
import type { Engine } from '../../db/dialect.ts';
import { projectConditions } from '../../db/values.ts';
import type { CandidateQuery } from './candidate.ts';

/**
 * An SQL condition on the rows with its bound value. What never changes is written out: SQLite prepares a statement again
 * before each run if it compares a bound value with a column that a partial index is restricted by.
 */
export type Condition = [sql: string, value?: Value];

/** Looks up a row of `rows` as `as` for each row before it, by columns that equal something of that row. */
export interface Lookup {
  rows: string;
  as: string;
  by: Record<string, string>;
  /** Whether a row without one stays. */
  isOptional?: true;
}

/** One type of candidate: its rows (`m`) and which of them a query may show. */
export interface Source {
  type: ItemType;
  rows: string;
  /** Columns from another table that belong to a whole row. */
  extra: { columns: string; lookup?: Lookup };
  project: string;
  /** Start and end. */
  at: string;
  until: string;
  /** The indexed text, as an SQL expression. */
  text: string;
  /** Speaker and role, length in characters, and traits of the preceding message. */
  facts: { speaker: string; role: string; length: string; traitsBefore: string; lookup?: Lookup };
  /** Index partitions to search under `asOf`, or with superseded memories. */
  partsThen: readonly ('live' | 'past')[];
  /** Conditions on rows that are valid now, or were under `asOf`. */
  visible(query: CandidateQuery): Condition[];
  /** The lookup that `visible` needs under `asOf`. */
  lookupThen?: Lookup;
}

const ALONE = { speaker: 'NULL', role: 'NULL', traitsBefore: '0' };

const memory: Source = {
  type: 'memory',
  rows: 'memories',
  extra: { columns: '' },
  project: 'm.project',
  at: 'COALESCE(m.occurredAt, m.createdAt)',
  until: 'COALESCE(m.occurredAt, m.createdAt)',
  text: 'm.content',
  facts: { ...ALONE, length: 'LENGTH(m.content)' },
  partsThen: ['live', 'past'],
  /**
   * The latest version: whether superseded ones are among them depends on the partitions that are searched. Under `asOf`, the
   * version valid then; its expiry is that of the current version (`c`).
   */
  visible({ asOfMs, nowMs }) {
    const expiry = asOfMs === undefined ? 'm.expiresAt' : 'c.expiresAt';
    const alive: Condition = [`(${expiry} IS NULL OR ${expiry} > ?)`, Math.max(nowMs, asOfMs ?? nowMs)];
    if (asOfMs === undefined) return [['m.current = 1'], alive];
    return [['m.validFrom <= ?', asOfMs], ['(m.validTo IS NULL OR m.validTo > ?)', asOfMs], alive];
  },
  lookupThen: { rows: 'memories', as: 'c', by: { tenantId: 'm.tenantId', id: 'm.id', current: '1' } },
};

const message: Source = {
  type: 'message',
  rows: 'messages',
  extra: {
    columns: ', o.endUser, o.project',
    lookup: { rows: 'conversations', as: 'o', by: { tenantId: 'm.tenantId', id: 'm.conversationId' } },
  },
  project: 'o.project',
  at: 'm.createdAt',
  until: 'm.createdAt',
  text: 'm.content',
  facts: {
    speaker: 'm.name',
    role: 'm.role',
    length: 'LENGTH(m.content)',
    traitsBefore: 'COALESCE(b.traits, 0)',
    lookup: { rows: 'messages', as: 'b', by: { number: 'f.previous', tenantId: 'm.tenantId' }, isOptional: true },
  },
  partsThen: ['live'],
  /** Hides conversations whose erasure is still in progress. */
  visible: ({ asOfMs }) => [
    ['o.erasedAt IS NULL'],
    ...(asOfMs === undefined ? [] : [['m.createdAt <= ?', asOfMs] satisfies Condition]),
  ],
};

const EPISODE_TEXT = `m.title || COALESCE(m.summary, '')`;

const episode: Source = {
  type: 'episode',
  rows: 'episodes',
  extra: { columns: '' },
  project: 'm.project',
  at: 'm.startedAt',
  until: 'm.endedAt',
  text: EPISODE_TEXT,
  facts: { ...ALONE, length: `LENGTH(${EPISODE_TEXT})` },
  partsThen: ['live'],
  visible: ({ asOfMs }) => (asOfMs === undefined ? [] : [['m.endedAt <= ?', asOfMs]]),
};

export const SOURCES: Record<ItemType, Source> = { memory, message, episode };

/** Conditions on rows that the query may show: the tenant's own, valid, and passing the filter. */
export function visibleConditions(source: Source, query: CandidateQuery, engine: Engine): Condition[] {
  return [['m.tenantId = ?', query.tenantId], ...source.visible(query), ...filterConditions(source, query, engine)];
}

/** Only memories have tags and topics; `typesOf` drops the other types where those are given. */
function filterConditions({ until, project }: Source, { filter }: CandidateQuery, engine: Engine): Condition[] {
  const conditions: Condition[] = [...projectConditions(filter.project, project)];
  const { hasTag, hasMember } = JSON_CONDITIONS[engine];
  for (const tag of filter.tags ?? []) conditions.push([hasTag, JSON.stringify([tag])]);
  for (const [name, value] of Object.entries(filter.metadata ?? {})) {
    conditions.push([hasMember, JSON.stringify({ [name]: value })]);
  }
  if (filter.topic !== undefined) conditions.push([HAS_TOPIC, filter.topic]);
  if (filter.afterMs !== undefined) conditions.push([`${until} > ?`, filter.afterMs]);
  if (filter.beforeMs !== undefined) conditions.push([`${until} < ?`, filter.beforeMs]);
  return conditions;
}

const HAS_TOPIC = `EXISTS
  (SELECT 1 FROM topicMentions t WHERE t.tenantId = m.tenantId AND t.topicId = ? AND t.memoryId = m.id)`;

/**
 * Whether the tags have the one of a bound list, and whether the metadata has the top-level member of a bound object, by
 * value and type. PostgreSQL compares the JSON texts, which one function has written: it cannot decode every text.
 */
const JSON_CONDITIONS: Record<Engine, { hasTag: string; hasMember: string }> = {
  sqlite: {
    hasTag: 'EXISTS (SELECT 1 FROM json_each(m.tags) a JOIN json_each(?) b ON a.value = b.value)',
    hasMember: `EXISTS (SELECT 1 FROM json_each(m.metadata) a JOIN json_each(?) b
      ON a.key = b.key AND a.type = b.type AND a.value = b.value)`,
  },
  postgres: {
    hasTag: `EXISTS (SELECT 1 FROM json_array_elements(CAST(m.tags AS json)) a
      JOIN json_array_elements(CAST(? AS json)) b ON CAST(a.value AS text) = CAST(b.value AS text))`,
    hasMember: `EXISTS (SELECT 1 FROM json_each(CAST(m.metadata AS json)) a JOIN json_each(CAST(? AS json)) b
      ON a.key = b.key AND CAST(a.value AS text) = CAST(b.value AS text))`,
  },
};
