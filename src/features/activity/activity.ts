import type { ActivityEntry, ActivityQuery, ActivityStats, ActivityStatsQuery } from '../../contract/activity.ts';
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
  deleteSomeActivityOf,
  deleteSomeOld,
  listActivity,
  listActivityClients,
  listActivityDays,
  listTenantsWithOld,
} from './activity-store.ts';
import { createPendingActivity } from './pending-activity.ts';

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
