import { AppError } from '../../contract/errors.ts';
import { withoutAdmission } from '../../db/admission.ts';
import type { Database } from '../../db/open.ts';
import { backoffMs } from '../../lib/backoff.ts';
import { type Clock, parseTimestamp } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { chanceOf, type Random } from '../../lib/random.ts';
import { ProviderFault } from '../../outside/providers/provider-fault.ts';
import {
  listDueJobs,
  listDueTenants,
  updateAhead,
  updateClaimed,
  updateInterrupted,
  updateRenewed,
} from './job-claims-store.ts';
import type { Jobs } from './jobs.ts';
import { findJob, type JobRow, updateJob } from './jobs-store.ts';

/** Outcome of a job after a failure: it is retried later, or it fails with the error shown. */
interface JobOutcome {
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

const BACKOFF = { firstMs: 2000, maxMs: 3_600_000 };
/** For a quota that does not reset, because only deleting frees room. */
const RECHECK_MS = 300_000;
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
 * Classifies an error. `attempts` counts consecutive failures, including this one; `chance` is from 0 to 1.
 */
function jobOutcomeOf(error: unknown, attempts: number, nowMs: number, chance: number): JobOutcome {
  const outcome = outcomeByError(error, nowMs);
  if (outcome.retry !== 'backoff') return outcome;
  if (attempts >= (outcome.code === 'input' ? MAX_INPUT_ATTEMPTS : MAX_ATTEMPTS)) return { ...outcome, retry: 'never' };
  return { ...outcome, waitMs: backoffMs(attempts, BACKOFF, chance, outcome.waitMs) };
}

function outcomeByError(error: unknown, nowMs: number): JobOutcome {
  if (error instanceof ProviderFault) {
    const { reason, maybeInput, message, retryAfterMs = 0 } = error;
    const code = reason === 'failed' && !maybeInput ? 'unavailable' : reason;
    return { code, message, retry: PERMANENT_REASONS.has(reason) ? 'never' : 'backoff', waitMs: retryAfterMs };
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

/** Runs a job to its end from where it left off, recording progress with `Jobs.advance`. */
export type JobHandler = (job: JobRow, signal: AbortSignal) => Promise<void>;

/** Runs due jobs, in turns by tenant. Of several daemons on one database, one at a time runs a job. */
export interface JobRunner {
  /**
   * Requeues jobs that an earlier process left running, if this is the only daemon of the database. Those of one of
   * several daemons are due when their leases end. Call it once, before `follow`.
   */
  begin(): Promise<void>;
  /**
   * Starts due jobs, up to the concurrency limit, and renews the leases of those that run. Does not wait for them to
   * finish. Call it every few seconds.
   */
  follow(): Promise<void>;
  /** Aborts running jobs and requeues them. */
  stop(): Promise<void>;
}

interface Parts {
  db: Database;
  clock: Clock;
  random: Random;
  log: Log;
  jobs: Jobs;
  work: JobHandler;
}

const MAX_RUNNING = 24;
/** While fewer jobs are running, a tenant may have four; the remaining slots are for tenants with none. */
const SHARED_SLOTS = 8;
const MAX_PER_TENANT = 4;
/** How long a job stays with a daemon that gives no sign of life. */
const LEASE_MS = 60_000;
const RENEW_MS = 20_000;

/** A job that this daemon runs. */
interface Claim {
  job: JobRow;
  renewAtMs: number;
  /** Aborts once the job was cancelled or taken over by another daemon. */
  lost: AbortController;
}

/**
 * Runs up to eight jobs at once, four per tenant, plus one each for sixteen more tenants, so that a hanging provider
 * does not delay other tenants.
 */
export function createJobRunner({ db, clock, random, log, jobs, work }: Parts): JobRunner {
  const stopping = new AbortController();
  const running = new Map<string, Promise<void>>();
  const runningByTenant = new Map<string, number>();
  const claims = new Map<string, Claim>();
  /** Failed jobs whose failure could not be written; they are not started again until it is. */
  const unsettled = new Map<JobRow, unknown>();
  let lastTenant = '';
  /** When the last poll was, in epoch milliseconds; the clock may have been set back before the first. */
  let polledMs = Number.POSITIVE_INFINITY;

  async function claim(row: JobRow): Promise<Claim | undefined> {
    const nowMs = clock.nowMs();
    const job = await db.writes.write(row.tenantId, (connection) =>
      updateClaimed(connection, row, { nowMs, untilMs: nowMs + LEASE_MS }),
    );
    return job && { job, renewAtMs: nowMs + RENEW_MS, lost: new AbortController() };
  }

  /** A lease that ran out may be renewed as well: if another daemon has taken the job over, its fence has changed. */
  async function renew(held: Claim): Promise<void> {
    const nowMs = clock.nowMs();
    if (nowMs < held.renewAtMs) return;
    const isOurs = await db.writes.write(held.job.tenantId, (connection) =>
      updateRenewed(connection, held.job, nowMs + LEASE_MS),
    );
    if (isOurs) held.renewAtMs = nowMs + RENEW_MS;
    else held.lost.abort(new AppError('conflict', 'The job was cancelled or taken over in the meantime.'));
  }

  /** Records the failure and the progress made so far. Jobs that were cancelled or taken over are not changed. */
  async function settle({ tenantId, id, fence }: JobRow, error: unknown): Promise<void> {
    await db.writes.write(tenantId, async (connection) => {
      const row = await findJob(connection, tenantId, id);
      if (row?.state !== 'running' || row.fence !== fence) return;
      await updateJob(connection, row, afterFailure(row, error));
    });
  }

  function afterFailure(row: JobRow, error: unknown): Partial<JobRow> {
    const nowMs = clock.nowMs();
    // Aborted by `stop`: not a failure of the job.
    if (stopping.signal.aborted) return { state: 'queued', dueAt: nowMs, updatedAt: nowMs };
    const outcome = jobOutcomeOf(error, row.attempts + 1, nowMs, chanceOf(random));
    if (outcome.code === 'internal') log.error({ error, jobId: row.id }, 'a job failed');
    const shown = { errorCode: outcome.code, errorMessage: outcome.message, errorAt: nowMs, updatedAt: nowMs };
    const attempts = outcome.retry === 'cap' ? row.attempts : row.attempts + 1;
    return outcome.retry === 'never'
      ? { ...shown, attempts, state: 'failed', finishedAt: nowMs }
      : { ...shown, attempts, state: 'queued', dueAt: nowMs + outcome.waitMs };
  }

  async function run(row: JobRow): Promise<void> {
    const held = await claim(row);
    if (!held) return;
    const { job, lost } = held;
    claims.set(jobKey(job), held);
    try {
      await jobs.guard(job, (signal) => work(job, AbortSignal.any([signal, lost.signal, stopping.signal])));
    } catch (error) {
      await settle(job, error).catch((settleError: unknown) => {
        unsettled.set(job, error);
        throw settleError;
      });
    } finally {
      claims.delete(jobKey(job));
    }
  }

  function start(row: JobRow): void {
    runningByTenant.set(row.tenantId, (runningByTenant.get(row.tenantId) ?? 0) + 1);
    running.set(jobKey(row), runInSlot(row));
  }

  async function runInSlot(row: JobRow): Promise<void> {
    try {
      await run(row);
    } catch (error) {
      // A failed write would fail again immediately: wait for the timer.
      log.error({ error, jobId: row.id }, 'cannot write the failure of a job');
      return;
    } finally {
      release(row);
    }
    // Start the next job without waiting for the timer.
    follow().catch((error: unknown) => log.warn({ error }, 'cannot read due jobs'));
  }

  function release(row: JobRow): void {
    running.delete(jobKey(row));
    const left = runningByTenant.get(row.tenantId)! - 1;
    if (left === 0) runningByTenant.delete(row.tenantId);
    else runningByTenant.set(row.tenantId, left);
  }

  async function nextTenants(limit: number): Promise<string[]> {
    const nowMs = clock.nowMs();
    const following = await listDueTenants(db.readers, { afterTenant: lastTenant, nowMs, limit });
    if (following.length >= limit || lastTenant === '') return following;
    const first = await listDueTenants(db.readers, { afterTenant: '', nowMs, limit: limit - following.length });
    return [...new Set([...following, ...first])];
  }

  /** Fills free slots round-robin by tenant. */
  async function startDue(): Promise<void> {
    if (stopping.signal.aborted) return;
    await Promise.all([...claims.values()].map(renew));
    await retryUnsettled();
    await followClock();
    // Bounded, because a job that could not be claimed is still due.
    for (let turn = 0; turn < MAX_RUNNING && running.size < MAX_RUNNING; turn += 1) {
      const row = await nextJob();
      if (!row || stopping.signal.aborted) return;
      lastTenant = row.tenantId;
      start(row);
    }
  }

  async function followClock(): Promise<void> {
    const nowMs = clock.nowMs();
    if (nowMs < polledMs) await db.writes.write('daemon', (connection) => updateAhead(connection, nowMs));
    polledMs = nowMs;
  }

  /** Retries writing failures; one that fails again does not hold up the others. */
  async function retryUnsettled(): Promise<void> {
    for (const [row, error] of unsettled) {
      await settle(row, error).then(
        () => unsettled.delete(row),
        (settleError: unknown) => log.error({ error: settleError, jobId: row.id }, 'cannot write the failure of a job'),
      );
    }
  }

  async function nextJob(): Promise<JobRow | undefined> {
    const maxPerTenant = running.size < SHARED_SLOTS ? MAX_PER_TENANT : 1;
    for (const tenantId of await nextTenants(MAX_RUNNING)) {
      const tenantRunning = runningByTenant.get(tenantId) ?? 0;
      if (tenantRunning >= maxPerTenant) continue;
      const due = await listDueJobs(db.readers, { tenantId, nowMs: clock.nowMs(), limit: tenantRunning + 1 });
      const row = due.find((one) => !running.has(jobKey(one)));
      if (row) return row;
    }
    return undefined;
  }

  /** Only one poll runs at a time; calls during a poll trigger one more. */
  let polling: Promise<void> | undefined;
  let pollAgain = false;
  function follow(): Promise<void> {
    pollAgain = true;
    // A request may call this, and jobs of other members start with it.
    polling ??= withoutAdmission(async () => {
      while (pollAgain) {
        pollAgain = false;
        await startDue();
      }
    }).finally(() => {
      polling = undefined;
    });
    return polling;
  }

  return {
    async begin() {
      if (db.readers.engine !== 'sqlite') return;
      await db.writes.write('daemon', (connection) => updateInterrupted(connection, clock.nowMs()));
    },
    follow,
    async stop() {
      stopping.abort(new AppError('unavailable', 'svc is stopping.'));
      await polling?.catch(() => {
        // The caller of `follow` already got this error.
      });
      await Promise.all(running.values());
    },
  };
}

function jobKey({ tenantId, id }: JobRow): string {
  return `${tenantId} ${id}`;
}
