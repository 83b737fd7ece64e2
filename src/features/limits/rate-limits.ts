import { REQUESTS_PER_MINUTE, type Tier } from '../../contract/limits.ts';
import type { Clock } from '../../lib/clock.ts';
import { type Bucket, type BucketDecision, type BucketRule, takeToken } from '../../lib/token-bucket.ts';
import { networkOf } from './network.ts';

/**
 * Who a request counts against: a tenant by its tier, anyone else by IP address at the Free limit. Requests whose
 * credential was rejected have a bucket of their own per address, so that a program retrying a dead key does not lock its
 * address out of sign-in, dashboard and documentation.
 */
export type Caller = { tenantId: string; tier: Tier } | { address: string | undefined; credentialRejected?: boolean };

export interface RateDecision {
  allowed: boolean;
  /** Requests per minute. */
  limit: number;
  remaining: number;
  /** Unix time in seconds at which the bucket is full again. */
  resetAtSeconds: number;
  /** Whole seconds until the next token, at least 1. */
  retryAfterSeconds: number;
  fullAfterSeconds: number;
}

export interface RateLimits {
  /** Takes one token. `cost` 0 only reports the current state. */
  take(caller: Caller, cost?: number): RateDecision;
  /** Takes one of 30 sign-in requests per minute and IP address. */
  takeSignIn(address: string | undefined): RateDecision;
}

const MAX_ADDRESSES = 50_000;
const SWEEP_INTERVAL_MS = 5000;
const SIGN_INS_PER_MINUTE = 30;

/** Per-process rate limits. Intervals use the monotonic clock, so that setting the system clock does not affect them. */
export function createRateLimits({ clock }: { clock: Clock }): RateLimits {
  const tenants = createBuckets(Number.POSITIVE_INFINITY);
  const addresses = createBuckets(MAX_ADDRESSES);
  const rejectedCredentials = createBuckets(MAX_ADDRESSES);
  const signIns = createBuckets(MAX_ADDRESSES);

  function decide(buckets: Buckets, key: string, perMinute: number, cost: number): RateDecision {
    const rule = { capacity: perMinute, refillPerSecond: perMinute / 60 };
    const decision = buckets.take(key, rule, clock.monotonicMs(), cost);
    return {
      allowed: decision.allowed,
      limit: perMinute,
      remaining: decision.remaining,
      resetAtSeconds: Math.ceil(clock.nowMs() / 1000 + decision.fullAfterSeconds),
      retryAfterSeconds: Math.max(1, Math.ceil(decision.retryAfterSeconds - 1e-6)),
      fullAfterSeconds: Math.ceil(decision.fullAfterSeconds),
    };
  }

  return {
    take(caller, cost = 1) {
      if ('tenantId' in caller) return decide(tenants, caller.tenantId, REQUESTS_PER_MINUTE[caller.tier], cost);
      const buckets = caller.credentialRejected ? rejectedCredentials : addresses;
      return decide(buckets, networkOf(caller.address), REQUESTS_PER_MINUTE.Free, cost);
    },
    takeSignIn: (address) => decide(signIns, networkOf(address), SIGN_INS_PER_MINUTE, 1),
  };
}

/** Token buckets by key, in bounded memory. */
export interface Buckets {
  /** Takes `cost` tokens from the key's bucket. `cost` 0 stores nothing. */
  take(key: string, rule: BucketRule, nowMs: number, cost: number): BucketDecision;
  size(): number;
}

/**
 * Evicts only full buckets, which are equivalent to new ones. Beyond `maxSize` live buckets, new keys share one bucket:
 * memory stays bounded and using many addresses gains nothing.
 */
export function createBuckets(maxSize: number): Buckets {
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

  return {
    take(key, rule, nowMs, cost) {
      const bucketKey = bucketKeyOf(key, nowMs);
      const decision = takeToken(buckets.get(bucketKey)?.bucket, rule, nowMs, cost);
      const fullAtMs = nowMs + decision.fullAfterSeconds * 1000;
      if (cost > 0) buckets.set(bucketKey, { bucket: decision.bucket, fullAtMs });
      return decision;
    },
    size: () => buckets.size,
  };
}
