import type { ActivityEntry, ActivityQuery, ActivityStats, ActivityStatsQuery } from '../../contract/activity.ts';
import type { StoredPortion } from '../../contract/extraction-portions.ts';
import { FORMER_MEMBER } from '../../contract/spaces.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import { parseInstant } from '../../db/row-codec.ts';
import { type Clock, toTimestamp, utcDay } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Erasable } from '../erasure/erasure.ts';
import type { Principal } from '../keys/keys.ts';
import type { Cursors } from '../text/page-cursor.ts';
import {
  type ActivityDayRow,
  type ActivityFilter,
  type ActivityRow,
  deleteActivityThrough,
  deleteSomeActivityOf,
  deleteSomeOld,
  findAddressesInUse,
  findLastSequences,
  insertActivity,
  listActivity,
  listActivityClients,
  listActivityDays,
  listTenantsWithOld,
} from './activity-store.ts';

/** The ids of the items that an answer is about. */
export interface AnswerIds {
  /** 20 at most. */
  ids: string[];
  /** How many items it is about. */
  itemCount: number;
  searchId: string | null;
}

const MAX_IDS = 20;
const ID = /^(?:mem|conv|msg|ep|job|pk|whk|whd)_[0-9a-f]{32}$/;
const SEARCH_ID = /^srch_[0-9a-f]{32}$/;

/** The fields of answers that hold ids or items with ids. */
interface Answer {
  id?: unknown;
  searchId?: unknown;
  conversationId?: unknown;
  messageIds?: unknown;
  jobId?: unknown;
  data?: unknown;
  results?: unknown;
  citations?: unknown;
  updated?: unknown;
  deleted?: unknown;
}

/** Returns the ids of svc's own that an answer carries: those of its items, or else its own; and how many there are. */
export function idsOfAnswer(answer: unknown): AnswerIds {
  if (typeof answer !== 'object' || answer === null) return { ids: [], itemCount: 0, searchId: null };
  const { id, searchId, conversationId, messageIds, jobId, data, results, citations, updated, deleted } =
    answer as Answer;
  const items = [data, results, citations].find(Array.isArray) ?? [];
  const own = id === undefined ? [conversationId, jobId, ...(Array.isArray(messageIds) ? messageIds : [])] : [id];
  const found = ownIds(
    items.length > 0 ? items.map((item) => (item as Answer | null)?.id) : [...own, ...changedBy(answer)],
  );
  // Bulk calls count the items without naming them.
  const counted = [updated, deleted].find((count) => typeof count === 'number') ?? 0;
  return { ids: found.slice(0, MAX_IDS), itemCount: found.length || counted, searchId: searchIdOf(searchId) };
}

/** The memories that a model stored of a portion, and those that it superseded. */
function changedBy(answer: object): unknown[] {
  const { decisions, replaced } = answer as Partial<StoredPortion>;
  const stored = Array.isArray(decisions) ? decisions.map(({ memoryId }) => memoryId) : [];
  const superseded = Array.isArray(replaced) ? replaced.filter(({ error }) => error === null) : [];
  return [...stored, ...superseded.map(({ older }) => older)];
}

/** Returns the ids of svc's own in the path of a request. */
export function idsOfPath(parameters: unknown): AnswerIds {
  const { id, messageId, searchId } = (parameters ?? {}) as Answer & { messageId?: unknown };
  const ids = ownIds([messageId ?? id]);
  return { ids, itemCount: ids.length, searchId: searchIdOf(searchId) };
}

function ownIds(values: readonly unknown[]): string[] {
  const ids = values.filter((value): value is string => typeof value === 'string' && ID.test(value));
  return [...new Set(ids)];
}

function searchIdOf(value: unknown): string | null {
  return typeof value === 'string' && SEARCH_ID.test(value) ? value : null;
}

/** Requests that are not written yet. */
interface PendingActivity {
  /** Drops and counts the request if too many are pending. */
  add(tenantId: string, row: ActivityRow): void;
  /** Writes all pending requests; failures are logged and counted as dropped. Never throws. */
  flush(): Promise<void>;
  forget(tenantId: string): void;
  /** How many were dropped since the process started. */
  dropped(): number;
}

/** Over all tenants. */
const MAX_PENDING = 20_000;
/** Requests per write, so that a transaction of several tenants stays short. */
const PENDING_ACTIVITY_PORTION = 200;

interface Portion {
  tenantId: string;
  rows: ActivityRow[];
}

interface PendingActivityParts {
  db: Database;
  log: Log;
  /** How many requests of a tenant are stored: the latest. */
  maxStored: number;
}

/** Collects requests in memory and writes them in batches, each in its tenant's turn. */
function createPendingActivity({ db, log, maxStored }: PendingActivityParts): PendingActivity {
  const pending = new Map<string, ActivityRow[]>();
  let count = 0;
  let droppedCount = 0;
  let running: Promise<void> = Promise.resolve();

  const store = db.writes.grouped<Portion, void>(
    async (connection, portions) => {
      await storePortions(connection, portions, maxStored);
      return portions.map(() => ({ ok: undefined }));
    },
    ({ tenantId, rows }) => ({ tenantId, rows: rows.length, characters: 0 }),
    { isBookkeeping: true },
  );

  async function writeAll(): Promise<void> {
    const taken = new Map(pending);
    pending.clear();
    count = 0;
    const portions = [...taken].flatMap(([tenantId, rows]) => portionsOf(tenantId, rows));
    const named = withoutErased(db.lookups, taken);
    const outcomes = await Promise.allSettled(portions.map((portion) => named.then(() => store(portion))));
    const failed = outcomes.flatMap((outcome, index) =>
      outcome.status === 'rejected' ? [{ error: outcome.reason, requests: portions[index]!.rows.length }] : [],
    );
    if (failed.length === 0) return;
    const requests = failed.reduce((sum, one) => sum + one.requests, 0);
    droppedCount += requests;
    log.warn({ error: failed[0]!.error, requests }, 'could not store the activity of some requests');
  }

  return {
    add(tenantId, row) {
      if (count >= MAX_PENDING) {
        droppedCount += 1;
        return;
      }
      count += 1;
      const rows = pending.get(tenantId);
      if (rows) rows.push(row);
      else pending.set(tenantId, [row]);
    },
    flush() {
      running = running.then(writeAll);
      return running;
    },
    forget(tenantId) {
      count -= pending.get(tenantId)?.length ?? 0;
      pending.delete(tenantId);
    },
    dropped: () => droppedCount,
  };
}

function portionsOf(tenantId: string, rows: ActivityRow[]): Portion[] {
  return Array.from({ length: Math.ceil(rows.length / PENDING_ACTIVITY_PORTION) }, (_, index) => ({
    tenantId,
    rows: rows.slice(index * PENDING_ACTIVITY_PORTION, (index + 1) * PENDING_ACTIVITY_PORTION),
  }));
}

/** Takes the addresses off requests of accounts that were erased since. */
async function withoutErased(reader: Reader, pending: ReadonlyMap<string, ActivityRow[]>): Promise<void> {
  const rows = [...pending.values()].flat();
  const authors = new Set(rows.flatMap(({ author }) => author ?? []));
  if (authors.size === 0) return;
  const inUse = await findAddressesInUse(reader, [...authors]);
  for (const row of rows) if (row.author !== null && !inUse.has(row.author)) row.author = FORMER_MEMBER;
}

/** Numbers and inserts requests, and deletes as many of the oldest as exceed the limit. Skips erased tenants. */
async function storePortions(connection: Connection, portions: readonly Portion[], maxStored: number): Promise<void> {
  const last = await findLastSequences(connection, [...new Set(portions.map(({ tenantId }) => tenantId))]);
  const rows = portions.flatMap(({ tenantId, rows: given }) =>
    given.flatMap((row) => {
      const before = last.get(tenantId);
      if (before === undefined) return [];
      last.set(tenantId, before + 1);
      return [{ ...row, tenantId, sequence: before + 1 }];
    }),
  );
  await insertActivity(connection, rows);
  for (const [tenantId, sequence] of last) {
    if (sequence > maxStored) await deleteActivityThrough(connection, tenantId, sequence - maxStored);
  }
}

type Tenant = Pick<Principal, 'tenantId'>;

/** A request that was answered. */
interface AnsweredRequest extends Omit<ActivityRow, 'at' | 'microseconds' | 'ids'> {
  milliseconds: number;
  ids: readonly string[];
}

/** Log of a tenant's requests, without their content. */
export interface Activity extends Erasable {
  /** Notes a request. Written in the background: a crash may lose the last second. Never throws. */
  note(tenantId: string, request: AnsweredRequest): void;
  list(principal: Tenant, query: ActivityQuery): Promise<{ data: ActivityEntry[]; nextCursor: string | null }>;
  /** Counts the last 30 days, including today. */
  stats(principal: Tenant, query: ActivityStatsQuery): Promise<ActivityStats>;
  /** Writes the pending requests. */
  flush(): Promise<void>;
  /** Requests dropped instead of stored, since the process started. */
  dropped(): number;
  /** Deletes requests of more than 30 days ago. */
  deleteOld(): Promise<void>;
}

const DAY_MS = 86_400_000;
const DAYS = 30;
const STORED_MS = DAYS * DAY_MS;
/** Per tenant. */
const MAX_STORED = 50_000;
const PORTION = 500;
const MAX_CLIENTS = 100;

interface Parts {
  db: Database;
  clock: Clock;
  log: Log;
  cursors: Cursors;
  /** How many requests of a tenant are stored. */
  maxStored?: number;
}

/** Creates the activity of all tenants. The caller runs `flush` every second. */
export function createActivity({ db, clock, log, cursors, maxStored = MAX_STORED }: Parts): Activity {
  const pending = createPendingActivity({ db, log, maxStored });
  return {
    note(tenantId, { milliseconds, ids, ...request }) {
      const microseconds = Math.round(milliseconds * 1000);
      pending.add(tenantId, { ...request, at: clock.nowMs(), microseconds, ids: ids.join(' ') });
    },
    async list({ tenantId }, { limit = 50, cursor, ...filter }) {
      const boundTo = ['activity', tenantId, filter];
      const beforeSequence = cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursors.read(cursor, boundTo));
      const page = { beforeSequence, limit: limit + 1 };
      const rows = await listActivity(db.readers.of(tenantId), tenantId, toFilter(filter), page);
      const { data, nextCursor } = cursors.page(rows, limit, boundTo, ({ sequence }) => String(sequence));
      return { data: data.map(toEntry), nextCursor };
    },
    async stats({ tenantId }, { exceptClient }) {
      const reader = db.readers.of(tenantId);
      const firstMs = clock.nowMs() - (DAYS - 1) * DAY_MS;
      const days = await listActivityDays(reader, tenantId, { fromDay: Math.floor(firstMs / DAY_MS), exceptClient });
      const clients = await listActivityClients(reader, tenantId, { exceptClient, limit: MAX_CLIENTS });
      const byDay = new Map(days.map((row) => [utcDay(row.day * DAY_MS), row]));
      return {
        days: Array.from({ length: DAYS }, (_, index) => toDay(utcDay(firstMs + index * DAY_MS), byDay)),
        clients: clients.map(({ lastSeenAt, ...client }) => ({ ...client, lastSeenAt: toTimestamp(lastSeenAt) })),
      };
    },
    flush: pending.flush,
    dropped: pending.dropped,
    async deleteOld() {
      const beforeMs = clock.nowMs() - STORED_MS;
      for (const tenantId of await listTenantsWithOld(db.readers, beforeMs)) {
        const some = { tenantId, beforeMs, limit: PORTION };
        while ((await db.writes.write(tenantId, (connection) => deleteSomeOld(connection, some))) === PORTION);
      }
    },
    async erase({ tenantId, endUser }) {
      if (endUser !== undefined) return;
      pending.forget(tenantId);
      const deleteSome = () =>
        db.writes.write(tenantId, (connection) => deleteSomeActivityOf(connection, tenantId, PORTION));
      while ((await deleteSome()) === PORTION);
    },
  };
}

function toFilter({ status, after, before, ...rest }: Omit<ActivityQuery, 'limit' | 'cursor'>): ActivityFilter {
  return {
    ...rest,
    status: status === undefined ? undefined : [Number(status.replace('xx', '00')), Number(status.replace('xx', '99'))],
    after: parseInstant(after, 'after'),
    before: parseInstant(before, 'before'),
  };
}

function toEntry({ id, at, client, transport, method, route, status, microseconds, ids, ...rest }: ActivityRow) {
  return {
    ...{ id, at: toTimestamp(at), client, transport, method, route, status },
    milliseconds: toMilliseconds(microseconds),
    ids: ids === '' ? [] : ids.split(' '),
    itemCount: rest.itemCount,
    searchId: rest.searchId,
    author: rest.author,
  };
}

function toDay(day: string, rows: ReadonlyMap<string, ActivityDayRow>): ActivityStats['days'][number] {
  const row = rows.get(day);
  if (!row) return { day, requests: 0, p50: null, p95: null };
  return { day, requests: row.requests, p50: toMilliseconds(row.p50), p95: toMilliseconds(row.p95) };
}

/** Rounds to tenths. */
function toMilliseconds(microseconds: number): number {
  return Math.round(microseconds / 100) / 10;
}
