import { type Bucket, type BucketRule, takeToken } from '../../lib/token-bucket.ts';

/** The origin of a sign-in request: `client` is an OAuth client. */
export type SignInKind = 'browser' | 'terminal' | 'device' | 'client';

export interface MailedSignIn {
  kind: SignInKind;
  createdAt: number;
  /** Whether its link can still be used. */
  live: boolean;
}

/** How many mails of one kind an address may receive. */
interface Allowance {
  burst: BucketRule;
  maxPerHour: number;
}

const HOUR_MS = 3_600_000;
/** Links of one kind that can be used at the same time. */
const MAX_LIVE = 3;
const ALLOWANCES: Record<SignInKind, Allowance> = {
  browser: { burst: { capacity: 3, refillPerSecond: 1 / 60 }, maxPerHour: 10 },
  terminal: { burst: { capacity: 2, refillPerSecond: 1 / 120 }, maxPerHour: 5 },
  device: { burst: { capacity: 2, refillPerSecond: 1 / 120 }, maxPerHour: 5 },
  client: { burst: { capacity: 2, refillPerSecond: 1 / 120 }, maxPerHour: 5 },
};

/**
 * Whether an address may be sent one more mail of this kind. A flood of requests then neither fills a mailbox nor
 * invalidates the link its owner is waiting for. Kinds are counted apart, because a terminal's
 * link signs in only that terminal: a stranger's terminals must not use up the mails with which the owner can sign in.
 * `mailed` lists what was sent in the last hour, oldest first.
 */
export function canSendMail(kind: SignInKind, mailed: readonly MailedSignIn[], nowMs: number): boolean {
  const { burst, maxPerHour } = ALLOWANCES[kind];
  const recent = mailed.filter(
    ({ kind: other, createdAt }) => other === kind && createdAt <= nowMs && nowMs - createdAt < HOUR_MS,
  );
  if (recent.length >= maxPerHour || recent.filter(({ live }) => live).length >= MAX_LIVE) return false;
  let bucket: Bucket | undefined;
  for (const { createdAt } of recent) bucket = takeToken(bucket, burst, createdAt).bucket;
  return takeToken(bucket, burst, nowMs).allowed;
}
