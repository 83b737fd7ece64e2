import { REQUESTS_PER_MINUTE, type Tier } from '../../contract/limits.ts';
import type { Clock } from '../../lib/clock.ts';
import { hashSecret } from '../../lib/secret.ts';
import { type Bucket, type BucketDecision, type BucketRule, takeToken } from '../../lib/token-bucket.ts';
import type { Buckets, BucketsOf } from './buckets.ts';
import { networkOf } from './network.ts';

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

/**
 * The caller whose bucket a request counts against: a tenant by its tier, anyone else by IP address at the Free limit.
 * Requests whose credential was rejected have a separate bucket per address, so that a program retrying a dead key does not lock its
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
  /** Takes one token. */
  take(caller: Caller): RateDecision | Promise<RateDecision>;
  /** Reports what this daemon knows, without taking a token or waiting. */
  peek(caller: Caller): RateDecision;
  /** Takes one of 30 sign-in requests per minute and IP address. */
  takeSignIn(address: string | undefined): RateDecision | Promise<RateDecision>;
  /** Takes one of 20 registrations of OAuth clients per hour and IP address. */
  takeRegistration(address: string | undefined): RateDecision | Promise<RateDecision>;
  /** Takes one of 30 invitations per hour of an account, to all spaces. */
  takeInvitation(tenantId: string): RateDecision | Promise<RateDecision>;
  /** Takes one of five mails per day that invite an email address, from all spaces. */
  takeInvitationMail(email: string): RateDecision | Promise<RateDecision>;
}

const MAX_ADDRESSES = 50_000;
const SIGN_INS_PER_MINUTE = 30;
const REGISTRATIONS: BucketRule = { capacity: 20, refillPerSecond: 20 / 3600 };
const INVITATIONS: BucketRule = { capacity: 30, refillPerSecond: 30 / 3600 };
const INVITATION_MAILS: BucketRule = { capacity: 5, refillPerSecond: 5 / 86_400 };

/** Decides by the buckets' own clock; only the times that callers see are on the system clock. */
export function createRateLimits({ clock, bucketsOf }: { clock: Clock; bucketsOf: BucketsOf }): RateLimits {
  const tenants = bucketsOf('tenant', Number.POSITIVE_INFINITY);
  const addresses = bucketsOf('address', MAX_ADDRESSES);
  const rejectedCredentials = bucketsOf('rejected', MAX_ADDRESSES);
  const signIns = bucketsOf('signIn', MAX_ADDRESSES);
  const registrations = bucketsOf('registration', MAX_ADDRESSES);
  const invitations = bucketsOf('invitation', Number.POSITIVE_INFINITY);
  const invited = bucketsOf('invited', MAX_ADDRESSES);

  function bucketOf(caller: Caller): { buckets: Buckets; key: string; perMinute: number } {
    if ('tenantId' in caller) {
      return { buckets: tenants, key: caller.tenantId, perMinute: REQUESTS_PER_MINUTE[caller.tier] };
    }
    const buckets = caller.credentialRejected ? rejectedCredentials : addresses;
    return { buckets, key: networkOf(caller.address), perMinute: REQUESTS_PER_MINUTE.Free };
  }

  function view(decision: BucketDecision, { capacity }: BucketRule): RateDecision {
    return {
      allowed: decision.allowed,
      limit: capacity,
      remaining: decision.remaining,
      resetAtSeconds: Math.ceil(clock.nowMs() / 1000 + decision.fullAfterSeconds),
      retryAfterSeconds: Math.max(1, Math.ceil(decision.retryAfterSeconds - 1e-6)),
      fullAfterSeconds: Math.ceil(decision.fullAfterSeconds),
    };
  }

  function take(buckets: Buckets, key: string, rule: BucketRule): RateDecision | Promise<RateDecision> {
    const decision = buckets.take(key, rule);
    if (!(decision instanceof Promise)) return view(decision, rule);
    return decision.then((arrived) => view(arrived, rule));
  }

  return {
    take(caller) {
      const { buckets, key, perMinute } = bucketOf(caller);
      return take(buckets, key, ruleOf(perMinute));
    },
    peek(caller) {
      const { buckets, key, perMinute } = bucketOf(caller);
      return view(buckets.peek(key, ruleOf(perMinute)), ruleOf(perMinute));
    },
    takeSignIn: (address) => take(signIns, networkOf(address), ruleOf(SIGN_INS_PER_MINUTE)),
    takeRegistration: (address) => take(registrations, networkOf(address), REGISTRATIONS),
    takeInvitation: (tenantId) => take(invitations, tenantId, INVITATIONS),
    // Hashed: whoever is invited need not have an account here.
    takeInvitationMail: (email) => take(invited, hashSecret(email), INVITATION_MAILS),
  };
}

function ruleOf(perMinute: number): BucketRule {
  return { capacity: perMinute, refillPerSecond: perMinute / 60 };
}
