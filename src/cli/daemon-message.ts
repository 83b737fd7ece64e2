import type { ApiError } from '../client/errors.ts';
import type { AppError } from '../contract/errors.ts';
import { parseTimestamp } from '../lib/clock.ts';
import { formatExactTime } from './memory/relative-time.ts';
import { formatCount } from './number-format.ts';

/** The advice of the daemon to programs that name a space which the account is not in. */
const LIST_SPACES = / GET \/v1\/spaces lists yours; those with the state "invited" are to be joined first\.$/;
const LIST_SPACES_COMMANDS =
  '\nsvc space lists yours and your invitations; svc space use default acts in your own account.';

/** A message of the daemon for a person: it names commands, and quotas have local times and grouped digits. */
export function messageForPerson({ code, message }: Pick<ApiError | AppError, 'code' | 'message'>): string {
  const named = message.replace(LIST_SPACES, LIST_SPACES_COMMANDS);
  if (code !== 'quota_exceeded') return named;
  return named.replace(/\bat (\d{4}-[\d-]+T[\d:.]+Z)|\b\d{4,}\b/g, (found: string, timestamp?: string) => {
    if (timestamp === undefined) return formatCount(Number(found));
    const epochMs = parseTimestamp(timestamp);
    return epochMs === undefined ? found : `on ${formatExactTime(epochMs)}`;
  });
}
