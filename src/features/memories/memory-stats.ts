import {
  HISTOGRAM_UNITS,
  type HistogramTime,
  MAX_BUCKETS,
  MAX_COUNTED_TAGS,
  MAX_FACET_VALUES,
  type MemoryStats,
  type MemoryStatsQuery,
} from '../../contract/memories-stats.ts';
import type { Database } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Principal } from '../keys/keys.ts';
import { createTenantLimiter } from '../limits/tenant-limiter.ts';
import { type CountRow, countFacets } from './memories-store.ts';
import { listFilterOf } from './memory-list.ts';

/** Counts the memories that match a filter by their values. Throws `unavailable` if too many counts wait. */
export type CountMemoryFacets = (principal: Principal, query: MemoryStatsQuery) => Promise<MemoryStats>;

/** Each count reads all memories of the filter, for about 0.4 s (SQLite) or 1 s (PostgreSQL) per 100,000. */
const MAX_WAITING = 16;

/** Runs one count of a tenant at a time, so that the other readers stay free. */
export function createMemoryStats({ db, clock }: { db: Database; clock: Clock }): CountMemoryFacets {
  const limiter = createTenantLimiter({ maxActive: 1, maxWaiting: MAX_WAITING, of: 'counts' });
  return ({ tenantId }, { histogram = 'createdAt', ...given }) => {
    const filter = listFilterOf(tenantId, given, '', clock.nowMs());
    const counting = {
      ...{ filter, time: histogram, maxBuckets: MAX_BUCKETS },
      ...{ maxValues: MAX_FACET_VALUES, maxTags: MAX_COUNTED_TAGS },
    };
    return limiter.run(tenantId, async () => toStats(await countFacets(db.readers.of(tenantId), counting), histogram));
  };
}

function toStats(rows: readonly CountRow[], by: HistogramTime): MemoryStats {
  const countsOf = (facet: CountRow['facet']) =>
    rows.filter((row) => row.facet === facet).map(({ value, count }) => ({ value, count }));
  const valuesOf = (facet: CountRow['facet']) =>
    countsOf(facet).sort((a, b) => b.count - a.count || compare(a.value, b.value));
  const one = (facet: CountRow['facet'], value: string) =>
    countsOf(facet).find((row) => row.value === value)?.count ?? 0;
  const buckets = countsOf('bucket').sort((a, b) => compare(a.value, b.value));
  const unit = UNIT_OF_LENGTH.get(buckets[0]?.value.length ?? DAY_LENGTH)!;
  return {
    total: one('total', ''),
    facets: {
      users: valuesOf('user'),
      tags: valuesOf('tag'),
      projects: valuesOf('project'),
      sources: valuesOf('source'),
      clients: valuesOf('client'),
      states: {
        current: one('state', 'current'),
        superseded: one('state', 'superseded'),
        pinned: one('state', 'pinned'),
        expiring: one('state', 'expiring'),
        expiringSoon: one('state', 'expiringSoon'),
      },
    },
    histogram: { by, unit, days: buckets.map(({ value, count }) => ({ day: firstDayOf(value), count })) },
  };
}

const DAY_LENGTH = '2026-11-22'.length;
/** Units by the length of their dates: `2026-11-22`, `2026-11` or `2026`. */
const UNIT_OF_LENGTH = new Map(HISTOGRAM_UNITS.map((unit, index) => [DAY_LENGTH - 3 * index, unit]));

function firstDayOf(date: string): string {
  return `${date}-01-01`.slice(0, DAY_LENGTH);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
