/** What is remembered of one caller: how much of the capacity is used up, and when that was true. */
export interface Bucket {
  used: number;
  /** On the monotonic clock. */
  atMs: number;
}

export interface BucketRule {
  /** Whole tokens that a rested caller has. */
  capacity: number;
  /** Tokens that come back in a second. */
  refillPerSecond: number;
}

export interface BucketDecision {
  allowed: boolean;
  bucket: Bucket;
  /** Whole tokens left after this request. */
  remaining: number;
  /** Until the next whole token is there, in seconds; 0 where one is. */
  retryAfterSeconds: number;
  /** Until the bucket is full again, in seconds. */
  fullAfterSeconds: number;
}

/**
 * A token bucket with continuous refill (Turner 1986) as a pure step: (state, now) → (decision, state). It keeps what
 * is used, not what is left, so that a new capacity is in force at once: a greater one gives the difference, a smaller
 * one leaves nothing but costs no more than its own refill. Time that runs backwards refills nothing. `cost` 0 looks
 * without taking.
 */
export function takeToken(previous: Bucket | undefined, rule: BucketRule, nowMs: number, cost = 1): BucketDecision {
  const elapsedMs = previous ? Math.max(0, nowMs - previous.atMs) : 0;
  const refilled = (elapsedMs / 1000) * rule.refillPerSecond;
  const used = previous ? Math.min(rule.capacity, Math.max(0, previous.used - refilled)) : 0;
  // A hair of tolerance: after exactly one token's time, rounding must not say 0.9999999 tokens.
  const allowed = used + cost <= rule.capacity + 1e-9;
  const usedAfter = allowed ? used + cost : used;
  const left = Math.max(0, rule.capacity - usedAfter);
  const missing = Math.max(0, 1 - (rule.capacity - usedAfter));
  return {
    allowed,
    bucket: { used: usedAfter, atMs: nowMs },
    remaining: Math.floor(left + 1e-9),
    retryAfterSeconds: missing / rule.refillPerSecond,
    fullAfterSeconds: usedAfter / rule.refillPerSecond,
  };
}
