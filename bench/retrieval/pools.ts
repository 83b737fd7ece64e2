import type { QueryBucket } from '../../src/features/learning/query-bucket.ts';

/** One question with the signals of its candidates, as the daemon explained them. */
export interface RecordedPool {
  bucket: QueryBucket;
  /** In the order of the default ranking, or any other. */
  pool: { id: string; signals: Record<string, number> }[];
  /** The ids that answer the question. */
  relevant: string[];
}

/** A pool as learning takes it: the signals as numbers in one order, answers by their place. */
export interface NumberedPool {
  bucket: QueryBucket;
  signals: Float64Array[];
  relevant: number[];
}

/** Pools in which an answer can be found at all. */
export function numberPools(pools: readonly RecordedPool[], names: readonly string[]): NumberedPool[] {
  return pools
    .map(({ bucket, pool, relevant }) => ({
      bucket,
      signals: pool.map(({ signals }) => Float64Array.from(names, (name) => signals[name] ?? 0)),
      relevant: pool.flatMap(({ id }, index) => (relevant.includes(id) ? [index] : [])),
    }))
    .filter(({ relevant }) => relevant.length > 0);
}
