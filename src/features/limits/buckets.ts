import type { BucketDecision, BucketRule } from '../../lib/token-bucket.ts';

/** Token buckets by key. The rule is an argument, because a tenant's tier can change. */
export interface Buckets {
  /** Takes one token. Synchronous where the buckets are in memory, so that no request waits for it. Never rejects. */
  take(key: string, rule: BucketRule): BucketDecision | Promise<BucketDecision>;
  /** Returns what this daemon knows of the bucket. Takes nothing and never waits. */
  peek(key: string, rule: BucketRule): BucketDecision;
}

/** The kind of a limit. A key has one bucket per kind. */
export type BucketKind = 'tenant' | 'address' | 'rejected' | 'signIn' | 'registration' | 'invitation' | 'invited';

/** Opens the buckets of a kind. A daemon's own memory holds at most `maxSize` of them. */
export type BucketsOf = (kind: BucketKind, maxSize: number) => Buckets;
