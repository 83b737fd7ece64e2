import { AppError } from '../../contract/errors.ts';
import type { RateLimits } from '../limits/rate-limits.ts';

/** Counts a sign-in of an address. Throws `rate_limited`. */
export type LimitSignIns = (address: string) => Promise<void>;

/** Limits sign-ins of all kinds together. */
export function createSignInLimit(rateLimits: RateLimits): LimitSignIns {
  return async (address) => {
    const decision = await rateLimits.takeSignIn(address);
    if (decision.allowed) return;
    const message = 'Too many sign-in requests from this IP address. Wait a moment and try again.';
    throw new AppError('rate_limited', message, { retryAfterSeconds: decision.retryAfterSeconds });
  };
}
