import type { HistogramTime } from '../../contract/memories-stats.ts';
import { EXPIRES_SOON_MS } from '../../contract/memory-filters.ts';
import type { Reader } from '../../db/connection.ts';
import type { Engine } from '../../db/dialect.ts';
import { joinConditions, type ListFilter, selectionOf } from './memory-list-store.ts';

/** How many memories have a value; a bucket of the histogram is a date, month or year, as in `2026-11-22`. */
export interface CountRow {
  facet: 'total' | 'user' | 'tag' | 'project' | 'source' | 'client' | 'state' | 'bucket';
  value: string;
  count: number;
}

export interface Counting {
  filter: ListFilter;
  /** The time by which the histogram counts. */
  time: HistogramTime;
  /** The most values of a facet. */
  maxValues: number;
  /** The most tags of memories that are counted: a million need about 0.2 GB while they are sorted. */
  maxTags: number;
  /** The histogram is by day if it spans at most this many days, else by month or by year. */
  maxBuckets: number;
}

const TIMES: Record<HistogramTime, string> = {
  createdAt: 'm.createdAt',
  occurredAt: 'COALESCE(m.occurredAt, m.createdAt)',
};

/**
 * Tags are read from the rows: finding those of each memory in `memoryTags` takes longer. SQLite reads the rows again,
 * because a copy of all tags would fill the memory; PostgreSQL writes a large copy to disk, which is faster than a join.
 */
const TAGS: Record<Engine, { copied: string; from: string }> = {
  sqlite: {
    copied: 'm.tenantId, m.number',
    from: `c CROSS JOIN memories m ON m.number = c.number AND m.tenantId = c.tenantId
      CROSS JOIN json_each(m.tags) t ON TRUE`,
  },
  postgres: {
    copied: 'm.tags',
    from: 'c CROSS JOIN json_array_elements_text(CAST(c.tags AS JSON)) t(value) ON TRUE',
  },
};

/** The date of a day that is counted from 1970. */
const DATES: Record<Engine, string> = {
  sqlite: "date(day * 86400, 'unixepoch')",
  postgres: "to_char(DATE '1970-01-01' + CAST(day AS INTEGER), 'YYYY-MM-DD')",
};

const topOf = (facet: CountRow['facet'], value: string, from = 'c') =>
  `SELECT '${facet}', value, count FROM (SELECT ${value} AS value, COUNT(*) AS count FROM ${from}
    WHERE ${value} IS NOT NULL GROUP BY ${value} ORDER BY count DESC, value LIMIT ?) ${facet}s`;

const stateOf = (name: string, condition: string, from = 'c') =>
  `SELECT 'state', '${name}', COUNT(*) FROM ${from} WHERE ${condition}`;

/** Counts what matches a filter, in one pass over the rows; superseded memories are counted in any case. */
export async function countFacets(
  reader: Reader,
  { filter, time, maxValues, maxTags, maxBuckets }: Counting,
): Promise<CountRow[]> {
  const { engine } = reader;
  const { from, conditions } = selectionOf({ ...filter, includeSuperseded: true }, 'none', engine);
  const { sql, values } = joinConditions(conditions);
  const at = TIMES[time];
  const tags = TAGS[engine];
  return reader.all<CountRow>(
    `WITH s AS MATERIALIZED (SELECT ${tags.copied}, m.endUser, m.project, m.sourceKind, m.client, m.pinned, m.validTo,
        m.expiresAt, (${at} - CASE WHEN ${at} < 0 THEN 86399999 ELSE 0 END) / 86400000 AS day
      FROM ${from} WHERE ${sql}),
    c AS (SELECT * FROM s WHERE ${filter.includeSuperseded ? '1 = 1' : 'validTo IS NULL'}),
    d AS (SELECT day, COUNT(*) AS count FROM c GROUP BY day),
    w AS (SELECT CASE WHEN MAX(day) - MIN(day) < ${maxBuckets} THEN 10
      WHEN MAX(day) - MIN(day) < ${maxBuckets * 30} THEN 7 ELSE 4 END AS width FROM d),
    b AS (SELECT substr(${DATES[engine]}, 1, width) AS date, count FROM d CROSS JOIN w ON TRUE)
    SELECT 'total' AS facet, '' AS value, COUNT(*) AS count FROM c
    UNION ALL ${topOf('user', 'endUser')}
    UNION ALL ${topOf('tag', 'tag', `(SELECT t.value AS tag FROM ${tags.from} LIMIT ?) t`)}
    UNION ALL ${topOf('project', 'project')}
    UNION ALL ${topOf('source', 'sourceKind')}
    UNION ALL ${topOf('client', 'client')}
    UNION ALL ${stateOf('current', 'validTo IS NULL')}
    UNION ALL ${stateOf('superseded', 'validTo IS NOT NULL', 's')}
    UNION ALL ${stateOf('pinned', 'pinned = 1')}
    UNION ALL ${stateOf('expiring', 'expiresAt IS NOT NULL')}
    UNION ALL ${stateOf('expiringSoon', 'expiresAt <= ?')}
    UNION ALL SELECT 'bucket', date, SUM(count) FROM b GROUP BY date`,
    [...values, maxValues, maxTags, maxValues, maxValues, maxValues, maxValues, filter.nowMs + EXPIRES_SOON_MS],
  );
}
