/** The state of one caller: how many tokens were used up, and at what time. */
export interface Bucket {
  used: number;
  /** Time on the monotonic clock. */
  atMs: number;
}

export interface BucketRule {
  /** Tokens in a full bucket. */
  capacity: number;
  refillPerSecond: number;
}

export interface BucketDecision {
  allowed: boolean;
  bucket: Bucket;
  /** Whole tokens left after this request. */
  remaining: number;
  /** Seconds until the next whole token; 0 if there is one. */
  retryAfterSeconds: number;
  /** Seconds until the bucket is full again. */
  fullAfterSeconds: number;
}

/**
 * Token bucket with continuous refill (Turner 1986) as a pure function: (state, now) → (decision, state). It stores the
 * tokens used rather than those left, so that a new capacity applies at once: a larger one grants the difference, a
 * smaller one leaves no tokens and no longer wait than its own refill. A clock that goes backwards refills nothing.
 * A `cost` of 0 peeks without taking.
 */
export function takeToken(previous: Bucket | undefined, rule: BucketRule, nowMs: number, cost = 1): BucketDecision {
  const elapsedMs = previous ? Math.max(0, nowMs - previous.atMs) : 0;
  const refilled = (elapsedMs / 1000) * rule.refillPerSecond;
  const used = previous ? Math.min(rule.capacity, Math.max(0, previous.used - refilled)) : 0;
  // Tolerance for rounding: after exactly one token's time there must not be 0.9999999 tokens.
  const allowed = used + cost <= rule.capacity + 1e-9;
  return decisionOf(allowed, { used: allowed ? used + cost : used, atMs: nowMs }, rule);
}

/** Derives what callers are told from the state of their bucket. */
export function decisionOf(allowed: boolean, bucket: Bucket, rule: BucketRule): BucketDecision {
  const left = rule.capacity - bucket.used;
  return {
    allowed,
    bucket,
    remaining: Math.floor(Math.max(0, left) + 1e-9),
    retryAfterSeconds: Math.max(0, 1 - left) / rule.refillPerSecond,
    fullAfterSeconds: bucket.used / rule.refillPerSecond,
  };
}

/** The rule for one of several daemons: at least one token, so that no limit shuts callers out. */
export function shareOf({ capacity, refillPerSecond }: BucketRule, daemons: number): BucketRule {
  return { capacity: Math.max(1, capacity / daemons), refillPerSecond: refillPerSecond / daemons };
}
