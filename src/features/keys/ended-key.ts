import { AppError } from '../../contract/errors.ts';
import { toTimestamp } from '../../lib/clock.ts';
import type { EndedKeyRow } from './ended-keys-store.ts';

/** The error of a request with a key that was valid once: it says what ended the key, and when. */
export function endedKeyError({ endedAt, endedBy, device }: EndedKeyRow, nowMs: number): AppError {
  const when = describeAge(nowMs - endedAt);
  const message = {
    webSignIn: `This API key was replaced by a sign-in on the web ${when}. Use the new key, or run svc login.`,
    terminalSignIn: `This API key was replaced by a sign-in in a terminal (${device}) ${when}. Use the new key, or run svc login.`,
    revocation: `This API key was revoked ${when}. To get a new one, run svc login.`,
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
