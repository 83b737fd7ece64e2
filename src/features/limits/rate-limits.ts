import { isIPv6 } from 'node:net';
import { REQUESTS_PER_MINUTE, type Tier } from '../../contract/limits.ts';
import type { Clock } from '../../lib/clock.ts';
import { type Bucket, type BucketRule, takeToken } from '../../lib/token-bucket.ts';

/** Who is counted: a tenant by its tier, anyone else by address against the Free limit. */
export type Caller = { tenantId: string; tier: Tier } | { address: string };

export interface RateDecision {
  allowed: boolean;
  /** Requests a minute. */
  limit: number;
  remaining: number;
  /** Unix time in seconds at which the bucket is full again. */
  resetAtSeconds: number;
  /** Whole seconds until the next token, at least 1. */
  retryAfterSeconds: number;
  fullAfterSeconds: number;
}

export interface RateLimits {
  /** Takes one token (`cost` 0 only looks). */
  take(caller: Caller, cost?: number): RateDecision;
  /** Thirty sign-in requests a minute an address. */
  takeSignIn(address: string): RateDecision;
}

const MAX_ADDRESSES = 50_000;
const SWEEP_EVERY = 1024;
const SIGN_INS_PER_MINUTE = 30;

/** Buckets live in this process; intervals are measured on the monotonic clock, so that setting the clock changes nothing. */
export function createRateLimits({ clock }: { clock: Clock }): RateLimits {
  const tenants = createBucketMap(Number.POSITIVE_INFINITY);
  const addresses = createBucketMap(MAX_ADDRESSES);
  const signIns = createBucketMap(MAX_ADDRESSES);

  function decide(buckets: BucketMap, key: string, perMinute: number, cost: number): RateDecision {
    const nowMs = clock.monotonicMs();
    const rule = { capacity: perMinute, refillPerSecond: perMinute / 60 };
    const place = buckets.placeFor(key, rule, nowMs);
    const decision = takeToken(buckets.get(place), rule, nowMs, cost);
    if (cost > 0) buckets.set(place, decision.bucket);
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
      return decide(addresses, networkOf(caller.address), REQUESTS_PER_MINUTE.Free, cost);
    },
    takeSignIn: (address) => decide(signIns, networkOf(address), SIGN_INS_PER_MINUTE, 1),
  };
}

interface BucketMap {
  placeFor(key: string, rule: BucketRule, nowMs: number): string;
  get(place: string): Bucket | undefined;
  set(place: string, bucket: Bucket): void;
}

/**
 * Forgets only buckets that are full again, for which forgetting changes nothing. Past `maxSize` live ones, newcomers
 * share one bucket: memory stays bounded and nobody gains by coming from many addresses.
 */
function createBucketMap(maxSize: number): BucketMap {
  const buckets = new Map<string, Bucket>();
  let sinceSweep = 0;

  function sweep(rule: BucketRule, nowMs: number): void {
    for (const [key, bucket] of buckets) {
      if (takeToken(bucket, rule, nowMs, 0).fullAfterSeconds === 0) buckets.delete(key);
    }
  }

  return {
    placeFor(key, rule, nowMs) {
      if (buckets.has(key)) return key;
      sinceSweep += 1;
      if (sinceSweep >= SWEEP_EVERY) {
        sinceSweep = 0;
        sweep(rule, nowMs);
      }
      return buckets.size < maxSize ? key : 'newcomers';
    },
    get: (place) => buckets.get(place),
    set: (place, bucket) => buckets.set(place, bucket),
  };
}

/** An IPv4 address itself (also when mapped into IPv6), of an IPv6 address its /64: one subscriber has all of that. */
export function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '').replace(/%.*$/, '');
  if (!isIPv6(plain)) return plain;
  const [head = '', tail] = plain.toLowerCase().split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const rest = tail === '' ? [] : tail.split(':');
    while (groups.length + rest.length < 8) groups.push('0');
    groups.push(...rest);
  }
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}
