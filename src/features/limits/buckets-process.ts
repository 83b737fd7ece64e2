import type { Clock } from '../../lib/clock.ts';
import { type Bucket, type BucketDecision, type BucketRule, takeToken } from '../../lib/token-bucket.ts';
import type { Buckets } from './buckets.ts';

/** Buckets in the memory of this process. */
export interface ProcessBuckets extends Buckets {
  take(key: string, rule: BucketRule): BucketDecision;
  /** Replaces the state of a bucket with a state known from elsewhere. */
  note(key: string, decision: BucketDecision): void;
  size(): number;
}

const SWEEP_INTERVAL_MS = 5000;

/**
 * Token buckets in bounded memory, on the monotonic clock. Evicts only full buckets, which are equivalent to new ones.
 * Beyond `maxSize` live buckets, new keys share one bucket: memory stays bounded and using many addresses gains nothing.
 */
export function createProcessBuckets(clock: Clock, maxSize: number): ProcessBuckets {
  const buckets = new Map<string, { bucket: Bucket; fullAtMs: number }>();
  let sweepAtMs = 0;

  function sweep(nowMs: number): void {
    for (const [key, { fullAtMs }] of buckets) if (fullAtMs <= nowMs) buckets.delete(key);
    sweepAtMs = nowMs + SWEEP_INTERVAL_MS;
  }

  function bucketKeyOf(key: string, nowMs: number): string {
    if (buckets.has(key)) return key;
    if (nowMs >= sweepAtMs) sweep(nowMs);
    return buckets.size < maxSize ? key : 'overflow';
  }

  function store(bucketKey: string, { bucket, fullAfterSeconds }: BucketDecision): void {
    buckets.set(bucketKey, { bucket, fullAtMs: bucket.atMs + fullAfterSeconds * 1000 });
  }

  return {
    take(key, rule) {
      const nowMs = clock.monotonicMs();
      const bucketKey = bucketKeyOf(key, nowMs);
      const decision = takeToken(buckets.get(bucketKey)?.bucket, rule, nowMs);
      store(bucketKey, decision);
      return decision;
    },
    note(key, decision) {
      if (bucketKeyOf(key, decision.bucket.atMs) === key) store(key, decision);
    },
    peek(key, rule) {
      const nowMs = clock.monotonicMs();
      return takeToken(buckets.get(bucketKeyOf(key, nowMs))?.bucket, rule, nowMs, 0);
    },
    size: () => buckets.size,
  };
}
