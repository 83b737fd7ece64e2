import { ApiError, type Client, UnreachableError } from '../../client/client.ts';
import type { ImportCounts, ImportFormat, ImportReport } from '../../contract/portability.ts';
import { backoffMs } from '../../lib/backoff.ts';
import { type Clock, parseTimestamp } from '../../lib/clock.ts';
import { chanceOf, type Random } from '../../lib/random.ts';
import { messageForPerson } from '../daemon-message.ts';
import type { ImportSource } from './import-source.ts';
import { formatRelativeTime } from './relative-time.ts';

export interface ImportUpload {
  client: Pick<Client, 'import'>;
  source: ImportSource;
  options: { format: ImportFormat; user?: string; tags?: readonly string[] };
  clock: Clock;
  random: Random;
  /** Wait for the quota to reset instead of stopping. */
  waitForQuota: boolean;
  onProgress(bytes: number): void;
  /** Called before each wait, with a message for the user. */
  onWait(text: string): void;
  /** Waits. What it throws ends the upload. */
  sleep: (ms: number) => Promise<void>;
}

const RETRIES = 5;
const BACKOFF = { firstMs: 500, maxMs: 30_000 };
const MAX_SLEEP_MS = 60_000;
/** A daemon that asks for a longer wait ends the import, which can be repeated then. */
const MAX_RETRY_AFTER_MS = 5 * 60_000;

/**
 * Uploads the source, retrying from the beginning, since nothing is added twice. If the upload cannot be completed,
 * `error` says why and the report covers what earlier attempts are known to have added.
 */
export async function uploadImport(upload: ImportUpload): Promise<{ report: ImportReport; error?: Error }> {
  const { client, source, options, onProgress } = upload;
  let before: ImportReport | undefined;
  for (let failures = 0; ; ) {
    try {
      return { report: mergeReports(before, await client.import(source.open(), { ...options, onProgress })) };
    } catch (cause) {
      const error = cause as Error;
      const partial = reportIn(error);
      if (partial) before = mergeReports(before, partial);
      const wait = source.repeatable && (await waitAfter(upload, error, failures));
      if (!wait) return { report: before ?? EMPTY_REPORT, error };
      failures = wait === 'quota' ? 0 : failures + 1;
    }
  }
}

/** Waits before the next attempt. Returns `false` if retrying would not help. */
async function waitAfter(upload: ImportUpload, error: Error, failures: number): Promise<'quota' | 'failure' | false> {
  const { random, waitForQuota, onWait, sleep } = upload;
  const resetsAt = quotaResetTime(error);
  if (resetsAt !== undefined && waitForQuota) {
    await untilReset(upload, error, resetsAt);
    return 'quota';
  }
  if (!isTransient(error) || failures >= RETRIES) return false;
  const retryAfterMs = retryAfterMsOf(error);
  if (retryAfterMs > MAX_RETRY_AFTER_MS) return false;
  const waitMs = backoffMs(failures + 1, BACKOFF, chanceOf(random), retryAfterMs);
  onWait(`${textOf(error)} Retrying in ${Math.ceil(waitMs / 1000)} s.`);
  await sleep(waitMs);
  return 'failure';
}

function isTransient(error: Error): boolean {
  if (error instanceof UnreachableError) return !error.timedOut;
  if (!(error instanceof ApiError)) return false;
  // A conflict with Retry-After means that another import of the account is running.
  const isBusy = error.code === 'conflict' && error.retryAfterSeconds !== undefined;
  return isBusy || ['unavailable', 'rate_limited'].includes(error.code);
}

async function untilReset({ clock, onWait, sleep }: ImportUpload, error: Error, resetsAt: string) {
  const untilMs = parseTimestamp(resetsAt) ?? clock.nowMs();
  onWait(
    `${textOf(error)} Waiting; resumes ${formatRelativeTime(untilMs, clock.nowMs())}. Ctrl-C stops it without losing anything.`,
  );
  while (clock.nowMs() < untilMs) await sleep(Math.min(MAX_SLEEP_MS, untilMs - clock.nowMs()));
}

/** Returns when the quota that stopped the import resets, if a quota did that resets. */
export function quotaResetTime(error: Error): string | undefined {
  if (!(error instanceof ApiError) || error.code !== 'quota_exceeded') return undefined;
  const { resetsAt } = error.problem;
  return typeof resetsAt === 'string' ? resetsAt : undefined;
}

/** Returns from when the daemon would accept the import again, if that is too late to wait for. */
export function retryTimeMs(error: Error, nowMs: number): number | undefined {
  const retryAfterMs = retryAfterMsOf(error);
  return isTransient(error) && retryAfterMs > MAX_RETRY_AFTER_MS ? nowMs + retryAfterMs : undefined;
}

function retryAfterMsOf(error: Error): number {
  return error instanceof ApiError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
}

function textOf(error: Error): string {
  return error instanceof ApiError ? messageForPerson(error) : error.message;
}

function reportIn(error: Error): ImportReport | undefined {
  return error instanceof ApiError ? (error.problem.report as ImportReport | undefined) : undefined;
}

/** Merges the reports of two attempts: the second sends the whole file again and finds what the first added already stored. */
function mergeReports(before: ImportReport | undefined, last: ImportReport): ImportReport {
  if (!before) return last;
  const known = (kind: keyof ImportCounts) => Math.max(0, last.known[kind] - before.added[kind]);
  return {
    ...last,
    added: perKind((kind) => before.added[kind] + last.added[kind]),
    known: perKind(known),
  };
}

function perKind(count: (kind: keyof ImportCounts) => number): ImportCounts {
  return {
    memories: count('memories'),
    conversations: count('conversations'),
    messages: count('messages'),
    episodes: count('episodes'),
    learned: count('learned'),
    // Older daemons do not count them.
    suggestions: count('suggestions') || 0,
  };
}

const ZERO_COUNTS: ImportCounts = {
  memories: 0,
  conversations: 0,
  messages: 0,
  episodes: 0,
  learned: 0,
  suggestions: 0,
};
const EMPTY_REPORT: ImportReport = { added: ZERO_COUNTS, known: ZERO_COUNTS, skipped: 0, reasons: [], complete: false };
