import { AppError } from '../../contract/errors.ts';
import type { Database } from '../../db/open.ts';
import { createBatchedRead } from '../../db/readers.ts';
import { type Clock, toTimestamp } from '../../lib/clock.ts';
import { hashSecret } from '../../lib/secret.ts';
import { type EndedKeyRow, findEndedKeys } from './ended-keys-store.ts';

/** Returns the function that finds the error of a key or token that ended in the last 30 days. Throws `unavailable`. */
export function createEndings({
  db,
  clock,
}: {
  db: Database;
  clock: Clock;
}): (secret: string) => Promise<AppError | undefined> {
  const findEnded = createBatchedRead(db.lookups, findEndedKeys);
  return async (secret) => {
    const row = await findEnded(hashSecret(secret)).catch(unverifiable);
    return row && endedKeyError(row, clock.nowMs());
  };
}

/** Throws `unavailable` for a credential that could not be looked up. */
export function unverifiable(cause: unknown): never {
  const message = 'The credential cannot be verified right now. Try again shortly.';
  throw new AppError('unavailable', message, { retryAfterSeconds: 1, cause });
}

/** The error of a request with a key or token that was valid once: it says what ended it, and when. */
function endedKeyError({ endedAt, endedBy, device }: EndedKeyRow, nowMs: number): AppError {
  const when = describeAge(nowMs - endedAt);
  const message = {
    webSignIn: `This API key was replaced by a sign-in on the web ${when}. Use the new key, or run svc login.`,
    terminalSignIn: `This API key was replaced by a sign-in in a terminal (${device}) ${when}. Use the new key, or run svc login.`,
    revocation: `This API key was revoked ${when}. To get a new one, run svc login.`,
    deviceRevocation: `This device (${device}) was disconnected ${when}. To connect it again, run svc login --device.`,
  }[endedBy];
  return new AppError('unauthenticated', message, { extra: { endedAt: toTimestamp(endedAt), endedBy } });
}

function describeAge(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return 'less than a minute ago';
  if (minutes < 60) return count(minutes, 'minute');
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? count(hours, 'hour') : count(Math.floor(hours / 24), 'day');
}

function count(value: number, unit: string): string {
  return `${value} ${unit}${value === 1 ? '' : 's'} ago`;
}
