import { type Client, UnreachableError } from '../../client/client.ts';
import { AppError } from '../../contract/errors.ts';
import type { ImportCounts, ImportFormat, ImportReport } from '../../contract/portability.ts';
import { type Clock, parseTimestamp } from '../../lib/clock.ts';
import type { ImportSource } from './import-source.ts';
import { formatRelativeTime } from './relative-time.ts';

export interface ImportUpload {
  client: Pick<Client, 'import'>;
  source: ImportSource;
  options: { format: ImportFormat; user?: string; tags?: readonly string[] };
  clock: Clock;
  /** Wait for the quota to be given anew instead of ending. */
  waitForQuota: boolean;
  onProgress(bytes: number): void;
  /** Told before each wait. */
  onWait(text: string): void;
  /** Waits; replaced in tests. */
  sleep?: (ms: number) => Promise<void>;
}

const RETRIES = 5;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;
const LONGEST_SLEEP_MS = 60_000;
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/**
 * Sends until all has arrived, from the beginning each time, as nothing is added twice; or to what ends it: then
 * `ended` says what that was, and the report what was done before, as far as that is known.
 */
export async function uploadImport(sending: ImportUpload): Promise<{ report: ImportReport; ended?: Error }> {
  const { client, source, options, onProgress } = sending;
  let before: ImportReport | undefined;
  for (let failures = 0; ; ) {
    try {
      return { report: joined(before, await client.import(source.open(), { ...options, onProgress })) };
    } catch (error) {
      const ended = error as Error;
      const partial = reportIn(ended);
      if (partial) before = joined(before, partial);
      const waited = source.repeatable && (await waitAfter(sending, ended, failures));
      if (!waited) return { report: before ?? NOTHING, ended };
      failures = waited === 'quota' ? 0 : failures + 1;
    }
  }
}

/** Waits before the next try; `false` where trying again would not help. */
async function waitAfter(sending: ImportUpload, ended: Error, failures: number): Promise<'quota' | 'fault' | false> {
  const { waitForQuota, onWait, sleep = pause } = sending;
  const resetsAt = quotaResetTime(ended);
  if (resetsAt !== undefined && waitForQuota) {
    await untilReset(sending, ended, resetsAt);
    return 'quota';
  }
  const waitMs = passingFaultMs(ended, failures);
  if (waitMs === undefined || failures >= RETRIES) return false;
  onWait(`${ended.message} Sending again in ${Math.ceil(waitMs / 1000)} s.`);
  await sleep(waitMs);
  return 'fault';
}

/** How long to wait after what may pass by itself. */
function passingFaultMs(ended: Error, failures: number): number | undefined {
  const backOffMs = FIRST_WAIT_MS * 2 ** failures;
  if (ended instanceof UnreachableError) return ended.timedOut ? undefined : backOffMs;
  if (!(ended instanceof AppError) || !['unavailable', 'rate_limited'].includes(ended.code)) return undefined;
  return Math.min(LONGEST_WAIT_MS, Math.max((ended.options.retryAfterSeconds ?? 0) * 1000, backOffMs));
}

async function untilReset({ clock, onWait, sleep = pause }: ImportUpload, ended: Error, resetsAt: string) {
  const untilMs = parseTimestamp(resetsAt) ?? clock.nowMs();
  onWait(
    `${ended.message} Waiting; it goes on ${formatRelativeTime(untilMs, clock.nowMs())}. Ctrl-C ends it, nothing is lost.`,
  );
  while (clock.nowMs() < untilMs) await sleep(Math.min(LONGEST_SLEEP_MS, untilMs - clock.nowMs()));
}

/** When a quota that ended the import is given anew. */
export function quotaResetTime(ended: Error): string | undefined {
  if (!(ended instanceof AppError) || ended.code !== 'quota_exceeded') return undefined;
  const { resetsAt } = ended.options.extra ?? {};
  return resetsAt === undefined ? undefined : String(resetsAt);
}

function reportIn(ended: Error): ImportReport | undefined {
  return ended instanceof AppError ? (ended.options.extra?.report as ImportReport | undefined) : undefined;
}

/** What an earlier try added is known to the next one, which goes over all of the file again. */
function joined(before: ImportReport | undefined, last: ImportReport): ImportReport {
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
  };
}

const NONE: ImportCounts = { memories: 0, conversations: 0, messages: 0, episodes: 0, learned: 0 };
const NOTHING: ImportReport = { added: NONE, known: NONE, skipped: 0, reasons: [], complete: false };
