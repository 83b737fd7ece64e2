import { type Static, Type } from 'typebox';
import { strict } from './common.ts';
import { filterFields, filterTextFields, filterTextOptions } from './memories.ts';
import { EXPIRES_SOON_DAYS } from './memory-filters.ts';

/** The most frequent values that each facet answers. */
export const MAX_FACET_VALUES = 50;
/** The most tags of memories that are read to count them. */
export const MAX_COUNTED_TAGS = 1_000_000;
/** The most days or months between the first and the last bucket of a histogram. */
export const MAX_BUCKETS = 400;

const HISTOGRAM_TIMES = ['createdAt', 'occurredAt'] as const;
export const HistogramTime = Type.Enum([...HISTOGRAM_TIMES]);
export type HistogramTime = Static<typeof HistogramTime>;
const histogramField = {
  histogram: Type.Optional(
    Type.Enum([...HISTOGRAM_TIMES], {
      default: 'createdAt',
      description:
        'Counts by when memories were stored, or by `occurredAt` (by `createdAt` where that is null), which `after` and `before` compare',
    }),
  ),
};

export const MemoryStatsQuery = Type.Object({ ...filterFields, ...histogramField }, strict);
export type MemoryStatsQuery = Static<typeof MemoryStatsQuery>;
/** `MemoryStatsQuery` in a URL. */
export const MemoryStatsQueryText = Type.Object({ ...filterTextFields, ...histogramField }, filterTextOptions);

/** How many memories have a value. */
export const FacetCount = Type.Object({ value: Type.String(), count: Type.Integer() });
export type FacetCount = Static<typeof FacetCount>;

const Facet = (description: string) => Type.Array(FacetCount, { maxItems: MAX_FACET_VALUES, description });

export const HISTOGRAM_UNITS = ['day', 'month', 'year'] as const;
export type HistogramUnit = (typeof HISTOGRAM_UNITS)[number];

export const MemoryStats = Type.Object({
  total: Type.Integer({ description: 'Memories that match the filter' }),
  facets: Type.Object({
    users: Facet('The most frequent users, most frequent first'),
    tags: Facet('The most frequent tags; of memories with more than a million in all, only a million are counted'),
    projects: Facet('The most frequent projects; memories without one are not counted here'),
    sources: Facet(
      'What memories come from: `message`, `episode`, `conversation` or `none`. Each is counted once, by the most specific id in its `source`',
    ),
    clients: Facet('The clients that stored most; memories of unknown clients are not counted here'),
    states: Type.Object({
      current: Type.Integer(),
      superseded: Type.Integer({ description: 'Counted whether or not the filter includes them' }),
      pinned: Type.Integer(),
      expiring: Type.Integer({ description: 'Memories that have an `expiresAt`' }),
      expiringSoon: Type.Integer({ description: `Memories that expire within ${EXPIRES_SOON_DAYS} days` }),
    }),
  }),
  histogram: Type.Object({
    by: HistogramTime,
    unit: Type.Enum([...HISTOGRAM_UNITS], {
      description: `Days, unless the first and the last are more than ${MAX_BUCKETS} days apart: then months, or years`,
    }),
    days: Type.Array(
      Type.Object({
        day: Type.String({ format: 'date', description: 'UTC; the first day of the month or year' }),
        count: Type.Integer(),
      }),
      { description: 'Oldest first, without those that have no memories' },
    ),
  }),
});
export type MemoryStats = Static<typeof MemoryStats>;
