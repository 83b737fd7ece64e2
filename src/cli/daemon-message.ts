import type { ApiError } from '../client/errors.ts';
import type { AppError } from '../contract/errors.ts';
import { parseTimestamp } from '../lib/clock.ts';
import { formatExactTime } from './memory/relative-time.ts';
import { formatCount } from './number-format.ts';

/** What a message of the daemon names for programs, and what a person types instead. */
const COMMANDS: readonly (readonly [said: RegExp, typed: string])[] = [
  [
    / GET \/v1\/spaces lists yours; those with the state "invited" are to be joined first\.$/,
    '\nsvc space lists yours and your invitations; svc space use default acts in your own account.',
  ],
  [/ \(PATCH \/v1\/provider-settings\)/, ' (svc provider use embedding PROVIDER MODEL)'],
  [/omit the strategy, or use the lexical strategy\.$/, 'leave out --strategy, or use --strategy lexical.'],
];

/** A message of the daemon for a person: it names commands, and quotas have local times and grouped digits. */
export function messageForPerson({ code, message }: Pick<ApiError | AppError, 'code' | 'message'>): string {
  const named = COMMANDS.reduce((text, [said, typed]) => text.replace(said, typed), message);
  if (code !== 'quota_exceeded') return named;
  return named.replace(/\bat (\d{4}-[\d-]+T[\d:.]+Z)|\b\d{4,}\b/g, (found: string, timestamp?: string) => {
    if (timestamp === undefined) return formatCount(Number(found));
    const epochMs = parseTimestamp(timestamp);
    return epochMs === undefined ? found : `on ${formatExactTime(epochMs)}`;
  });
}
