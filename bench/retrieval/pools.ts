import type { QueryBucket } from '../../src/features/learning/query-bucket.ts';

/** A question with the explained signals of its candidates. */
export interface RecordedPool {
  bucket: QueryBucket;
  /** In any order. */
  pool: { id: string; signals: Record<string, number> }[];
  /** The ids that answer the question. */
  relevant: string[];
}

/** A pool in the form that learning expects: signals in a fixed order, answers as indices. */
export interface NumberedPool {
  bucket: QueryBucket;
  signals: Float64Array[];
  relevant: number[];
}

/** Keeps the pools that contain an answer. */
export function numberPools(pools: readonly RecordedPool[], names: readonly string[]): NumberedPool[] {
  return pools
    .map(({ bucket, pool, relevant }) => ({
      bucket,
      signals: pool.map(({ signals }) => Float64Array.from(names, (name) => signals[name] ?? 0)),
      relevant: pool.flatMap(({ id }, index) => (relevant.includes(id) ? [index] : [])),
    }))
    .filter(({ relevant }) => relevant.length > 0);
}
