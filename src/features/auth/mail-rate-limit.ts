import { type Bucket, takeToken } from '../../lib/token-bucket.ts';

const HOUR_MS = 3_600_000;
const BURST = { capacity: 3, refillPerSecond: 1 / 60 };
const MAX_AN_HOUR = 10;
const MAX_LIVE = 3;

/**
 * Whether an address may be sent one more mail: bursts of three, then one per minute, ten per hour, and at most three
 * live links. A flood of requests then neither fills a mailbox nor invalidates the link its owner is waiting for.
 * `mailed` lists what was sent in the last hour, oldest first.
 */
export function canSendMail(mailed: readonly { createdAt: number; live: boolean }[], nowMs: number): boolean {
  const recent = mailed.filter(({ createdAt }) => createdAt <= nowMs && nowMs - createdAt < HOUR_MS);
  if (recent.length >= MAX_AN_HOUR || recent.filter(({ live }) => live).length >= MAX_LIVE) return false;
  let bucket: Bucket | undefined;
  for (const { createdAt } of recent) bucket = takeToken(bucket, BURST, createdAt).bucket;
  return takeToken(bucket, BURST, nowMs).allowed;
}
