import { AppError } from '../../contract/errors.ts';
import { parseTimestamp } from '../../lib/clock.ts';
import { ProviderFault } from '../../outside/providers/provider-fault.ts';

/** What becomes of a job that failed: tried again later, or given up with the error shown. */
export interface JobOutcome {
  code: string;
  message: string;
  /** `never`: another try would end the same. `cap`: it only waits for its turn, and does not count as a failure. */
  retry: 'backoff' | 'cap' | 'never';
  /** At least so long from now. */
  waitMs: number;
}

const FIRST_RETRY_MS = 2000;
const MAX_RETRY_MS = 3_600_000;
/** Some two and a half hours of trying. */
export const MAX_ATTEMPTS = 12;

const PERMANENT_REASONS = new Set<ProviderFault['reason']>(['refused', 'out_of_scope', 'address']);
/** What is sent is shorter each time: an input that is still refused then is so for another reason. */
const MAX_INPUT_ATTEMPTS = 3;
const PERMANENT_CODES = new Set([
  'not_found',
  'unprocessable',
  'invalid_request',
  'forbidden',
  'unauthenticated',
  'gone',
]);

/** How an error is taken, after so many failures in a row (this one included). `spread` is from 0 to 1. */
export function jobOutcomeOf(error: unknown, attempts: number, nowMs: number, spread: number): JobOutcome {
  const outcome = outcomeByError(error, nowMs);
  if (outcome.retry !== 'backoff') return outcome;
  if (attempts >= (outcome.code === 'input' ? MAX_INPUT_ATTEMPTS : MAX_ATTEMPTS)) return { ...outcome, retry: 'never' };
  const pauseMs = Math.min(FIRST_RETRY_MS * 2 ** (attempts - 1), MAX_RETRY_MS);
  return { ...outcome, waitMs: Math.max(outcome.waitMs, pauseMs * (0.5 + spread / 2)) };
}

function outcomeByError(error: unknown, nowMs: number): JobOutcome {
  if (error instanceof ProviderFault) {
    const { reason, message, retryAfterMs = 0 } = error;
    return { code: reason, message, retry: PERMANENT_REASONS.has(reason) ? 'never' : 'backoff', waitMs: retryAfterMs };
  }
  if (!(error instanceof AppError)) {
    return { code: 'internal', message: 'An error inside svc; its log has more.', retry: 'backoff', waitMs: 0 };
  }
  const { code, message, options } = error;
  const resetsAtMs = parseTimestamp(String(options.extra?.resetsAt ?? ''));
  if (code === 'quota_exceeded') {
    return { code, message, retry: 'cap', waitMs: Math.max(1000, (resetsAtMs ?? nowMs) - nowMs) };
  }
  return { code, message, retry: PERMANENT_CODES.has(code) ? 'never' : 'backoff', waitMs: 0 };
}
