import { AppError } from '../../contract/errors.ts';
import type { Database } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Random } from '../../lib/random.ts';
import { jobOutcomeOf } from './job-outcome.ts';
import type { Jobs } from './jobs.ts';
import { findJob, type JobRow, listDueJobs, listDueTenants, updateInterrupted, updateJob } from './jobs-store.ts';

/** Does a job, from where it was left, to its end; it writes how far it comes by `Jobs.advance`. */
export type JobHandler = (job: JobRow, signal: AbortSignal) => Promise<void>;

/** Works off due jobs, an equal share for each tenant. */
export interface JobRunner {
  /** Once, before `follow`: what an earlier process died over is due again. */
  begin(): Promise<void>;
  /** Takes up what is due, as far as there is room. Returns before it is done. */
  follow(): Promise<void>;
  /** Breaks off what is under way; it goes on after the next start. */
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
/** While fewer are under way, a tenant may have four; the other places are for those who have none. */
const SHARED_SLOTS = 8;
const MAX_PER_TENANT = 4;
/** Longer than a job goes without writing how far it has come. */
const CLAIM_MS = 3_600_000;

/** Eight at once, four of one tenant; and one each of sixteen more, so that providers that hang hold up nobody else. */
export function createJobRunner({ db, clock, random, log, jobs, work }: Parts): JobRunner {
  const stopping = new AbortController();
  const running = new Map<string, Promise<void>>();
  const runningByTenant = new Map<string, number>();
  /** Jobs that failed, and how, where that could not be written: nobody else takes them up meanwhile. */
  const unsettled = new Map<JobRow, unknown>();
  let lastTenant = '';

  async function claim(row: JobRow): Promise<JobRow | undefined> {
    const nowMs = clock.nowMs();
    const change = { state: 'running', dueAt: nowMs + CLAIM_MS, updatedAt: nowMs } as const;
    const claimed = await db.writes.write((connection) => updateJob(connection, row, change));
    return claimed ? { ...row, ...change } : undefined;
  }

  /** What the job reached before it failed is kept; the failure stands beside it. One that was cancelled stays so. */
  async function settle({ tenantId, id }: JobRow, error: unknown): Promise<void> {
    await db.writes.write(async (connection) => {
      const row = await findJob(connection, tenantId, id);
      if (row?.state === 'running') await updateJob(connection, row, afterFailure(row, error));
    });
  }

  function afterFailure(row: JobRow, error: unknown): Partial<JobRow> {
    const nowMs = clock.nowMs();
    // Broken off by `stop`: no failure of its own.
    if (stopping.signal.aborted) return { state: 'queued', dueAt: nowMs };
    const outcome = jobOutcomeOf(error, row.attempts + 1, nowMs, random.bytes(1)[0]! / 255);
    if (outcome.code === 'internal') log.error({ error, jobId: row.id }, 'a job failed');
    const shown = { errorCode: outcome.code, errorMessage: outcome.message, errorAt: nowMs, updatedAt: nowMs };
    const attempts = outcome.retry === 'cap' ? row.attempts : row.attempts + 1;
    return outcome.retry === 'never'
      ? { ...shown, attempts, state: 'failed', finishedAt: nowMs }
      : { ...shown, attempts, state: 'queued', dueAt: nowMs + Math.round(outcome.waitMs) };
  }

  async function run(row: JobRow): Promise<void> {
    const claimed = await claim(row);
    if (!claimed) return;
    try {
      await jobs.guard(claimed, (signal) => work(claimed, AbortSignal.any([signal, stopping.signal])));
    } catch (error) {
      await settle(claimed, error).catch((settleError: unknown) => {
        unsettled.set(claimed, error);
        throw settleError;
      });
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
      // What cannot be written now would be refused again at once: it waits for the timer.
      log.error({ error, jobId: row.id }, 'a job could not be settled');
      return;
    } finally {
      release(row);
    }
    // The next one does not wait for the timer.
    follow().catch((error: unknown) => log.warn({ error }, 'due jobs cannot be read'));
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

  /** A place after the other, each for the tenant behind the one that had the last. */
  async function startDue(): Promise<void> {
    if (stopping.signal.aborted) return;
    await retryUnsettled();
    // Not more often: a job that could not be taken is due all the same.
    for (let turn = 0; turn < MAX_RUNNING && running.size < MAX_RUNNING; turn += 1) {
      const row = await nextJob();
      if (!row || stopping.signal.aborted) return;
      lastTenant = row.tenantId;
      start(row);
    }
  }

  /** What is refused again holds nobody else up. */
  async function retryUnsettled(): Promise<void> {
    for (const [row, error] of unsettled) {
      await settle(row, error).then(
        () => unsettled.delete(row),
        (settleError: unknown) => log.error({ error: settleError, jobId: row.id }, 'a job could not be settled'),
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

  /** One look at a time; a call meanwhile looks once more. */
  let polling: Promise<void> | undefined;
  let pollAgain = false;
  function follow(): Promise<void> {
    pollAgain = true;
    polling ??= (async () => {
      while (pollAgain) {
        pollAgain = false;
        await startDue();
      }
    })().finally(() => {
      polling = undefined;
    });
    return polling;
  }

  return {
    begin: () => db.writes.write((connection) => updateInterrupted(connection, clock.nowMs())),
    follow,
    async stop() {
      stopping.abort(new AppError('unavailable', 'svc stops.'));
      await polling?.catch(() => {
        // Who asked was told.
      });
      await Promise.all(running.values());
    },
  };
}

function jobKey({ tenantId, id }: JobRow): string {
  return `${tenantId} ${id}`;
}
