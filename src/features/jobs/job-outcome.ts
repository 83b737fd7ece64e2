import { AppError } from '../../contract/errors.ts';
import { parseTimestamp } from '../../lib/clock.ts';
import { ProviderFault } from '../../outside/providers/provider-fault.ts';

/** Outcome of a job after a failure: it is retried later, or it fails with the error shown. */
export interface JobOutcome {
  code: string;
  message: string;
  /**
   * `never`: a retry would fail the same way. `cap`: the job only waits for a limit to reset, which does not count as a
   * failure.
   */
  retry: 'backoff' | 'cap' | 'never';
  /** Minimum delay from now. */
  waitMs: number;
}

const FIRST_RETRY_MS = 2000;
/** For a quota that does not reset, because only deleting frees room. */
const RECHECK_MS = 300_000;
const MAX_RETRY_MS = 3_600_000;
/** About two and a half hours of retries. */
const MAX_ATTEMPTS = 12;

const PERMANENT_REASONS = new Set<ProviderFault['reason']>(['refused', 'out_of_scope', 'address']);
/** The input gets shorter with each attempt; after this many, length is not the reason for the rejection. */
const MAX_INPUT_ATTEMPTS = 3;
const PERMANENT_CODES = new Set([
  'not_found',
  'unprocessable',
  'invalid_request',
  'forbidden',
  'unauthenticated',
  'gone',
]);

/**
 * Classifies an error. `attempts` counts consecutive failures, including this one; `spread` is a random number from 0
 * to 1.
 */
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
    return {
      code: 'internal',
      message: 'Internal error; see the log of svc for details.',
      retry: 'backoff',
      waitMs: 0,
    };
  }
  const { code, message, options } = error;
  const resetsAtMs = parseTimestamp(String(options.extra?.resetsAt ?? ''));
  if (code === 'quota_exceeded') {
    const waitMs = resetsAtMs === undefined ? RECHECK_MS : Math.max(1000, resetsAtMs - nowMs);
    return { code, message, retry: 'cap', waitMs };
  }
  return { code, message, retry: PERMANENT_CODES.has(code) ? 'never' : 'backoff', waitMs: 0 };
}
