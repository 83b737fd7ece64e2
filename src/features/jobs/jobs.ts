import { AppError } from '../../contract/errors.ts';
import type { Job, JobState, JobsQuery } from '../../contract/jobs.ts';
import type { Provider } from '../../contract/providers.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import type { Owner } from '../../db/owner.ts';
import { type Clock, toTimestamp, toTimestampOrNull } from '../../lib/clock.ts';
import { contentTagOf } from '../../lib/entity-tag.ts';
import type { Ids } from '../../lib/ids.ts';
import { createKeyedAborts } from '../../lib/keyed-abort.ts';
import { requireMatch } from '../idempotency/precondition.ts';
import type { Principal } from '../keys/keys.ts';
import type { Cursors } from '../text/page-cursor.ts';
import {
  countOpenJobs,
  deleteJob,
  deleteJobsEndedBefore,
  deleteJobsOf,
  deleteJobsOfConversation,
  findJob,
  findOpenJob,
  findOpenTidyJob,
  insertJob,
  type JobRow,
  listJobs,
  listJobsOf,
  listJobsOfUser,
  listKept,
  listOpenJobs,
  updateCapped,
  updateJob,
} from './jobs-store.ts';

export type { JobRow } from './jobs-store.ts';

/** The fields that define a new job. */
type NewJob = Pick<
  JobRow,
  | 'tenantId'
  | 'conversationId'
  | 'provider'
  | 'model'
  | 'dryRun'
  | 'fromOrdinal'
  | 'toOrdinal'
  | 'total'
  | 'result'
  | 'client'
> &
  Partial<Pick<JobRow, 'author' | 'kind' | 'endUser' | 'project' | 'changedAfter' | 'partlyRead'>>;

/** Work that outlives requests and restarts, by tenant. Other tenants' ids throw `not_found`. */
export interface Jobs {
  /** Queues a job in the caller's transaction. A conversation has at most one open job: see `findOpen`. */
  enqueue(connection: Connection, job: NewJob): Promise<JobRow>;
  findOpen(
    reader: Reader,
    scope: { tenantId: string; conversationId: string; dryRun: number },
  ): Promise<JobRow | undefined>;
  /** The open job that tidies the memories of a user and a project. */
  findOpenTidy(
    reader: Reader,
    scope: { tenantId: string; endUser: string; project: string | null },
  ): Promise<JobRow | undefined>;
  /** Extends an open job to later messages, even while it is running; in the caller's transaction. */
  extend(connection: Connection, job: JobRow, further: Pick<JobRow, 'toOrdinal' | 'total'>): Promise<void>;
  get(principal: Principal, id: string): Promise<Job>;
  list(principal: Principal, query: JobsQuery): Promise<{ data: Job[]; nextCursor: string | null }>;
  /** Cancels an open job, keeping what it has stored so far; deletes one that has ended. */
  remove(principal: Principal, id: string, ifMatch?: string): Promise<void>;
  /**
   * Records the progress of a running job in the transaction that stores its effect, and returns the current row, which
   * may have been extended. Throws `conflict` if the job was cancelled or another daemon has taken it over: it has no
   * further effect here.
   */
  advance(connection: Connection, job: JobRow, change: Partial<JobRow>): Promise<JobRow>;
  /** Cancels a tenant's open jobs, optionally of one provider or member, in the caller's transaction. */
  cancel(
    connection: Connection,
    tenantId: string,
    which: { provider?: Provider; author?: string },
    reason: string,
  ): Promise<void>;
  /** Makes jobs that wait for a quota or cap due again, in the caller's transaction. */
  retryCapped(connection: Connection, tenantId: string): Promise<void>;
  /** Rewrites the results of jobs that extract, in the caller's transaction. */
  rewrite(
    connection: Connection,
    tenantId: string,
    which: { conversationId: string } | { ids: readonly string[] },
    rewritten: (result: string) => string,
  ): Promise<void>;
  /** Deletes the jobs of a conversation being erased, in the caller's transaction. */
  forget(connection: Connection, tenantId: string, conversationId: string): Promise<void>;
  /** Deletes the jobs of a user being erased, in the caller's transaction. */
  forgetUser(connection: Connection, tenantId: string, endUser: string): Promise<void>;
  /** Runs work on a job; the signal aborts it when the job is cancelled or deleted. */
  guard<T>(job: JobRow, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  open(): Promise<number>;
  /** Deletes jobs that ended more than 30 days ago. */
  sweep(): Promise<void>;
  erase(tenant: Owner): Promise<void>;
}

interface Parts {
  db: Database;
  clock: Clock;
  ids: Ids;
  cursors: Cursors;
}

/** Clears earlier failures after a success. */
export const NO_ERROR = { attempts: 0, errorCode: null, errorMessage: null, errorAt: null } as const;

const RETENTION_MS = 30 * 24 * 3_600_000;
const SWEEP_BATCH = 500;

/** Ended jobs are retained for 30 days. */
export function createJobs({ db, clock, ids, cursors }: Parts): Jobs {
  const breakable = createKeyedAborts();
  const abort = (job: JobRow) => breakable.abort(jobKey(job), cancelled());
  const ended = (state: JobState) => ({ state, finishedAt: clock.nowMs(), updatedAt: clock.nowMs() });

  /** Nothing leads from an erased memory to the dry runs that were about it: what they say is left out when it is read. */
  async function read(reader: Reader, row: JobRow): Promise<Job> {
    const job = toJob(row);
    const decisions = job.result?.decisions ?? [];
    const about = decisions.flatMap(({ targetId }) => targetId ?? []);
    if (!job.dryRun || about.length === 0) return job;
    const kept = new Set(await listKept(reader, row.tenantId, about));
    const shown = decisions.map((one) =>
      one.targetId === null || kept.has(one.targetId) ? one : { ...one, content: '', reason: '' },
    );
    return { ...job, result: { ...job.result!, decisions: shown } };
  }

  return {
    async enqueue(connection, job) {
      const nowMs = clock.nowMs();
      const row: JobRow = { ...NEW_JOB, ...job, id: ids.next('job'), dueAt: nowMs, createdAt: nowMs, updatedAt: nowMs };
      await insertJob(connection, row);
      return row;
    },
    findOpen: findOpenJob,
    findOpenTidy: findOpenTidyJob,
    async extend(connection, job, further) {
      await updateJob(connection, job, further);
    },
    async get({ tenantId }, id) {
      const row = await findJob(db.lookups, tenantId, id);
      if (!row) throw jobNotFound();
      return read(db.lookups, row);
    },
    async list({ tenantId }, { limit = 50, cursor, state, conversationId }) {
      const boundTo = ['jobs', tenantId, state, conversationId];
      const olderThanId = cursor === undefined ? undefined : cursors.read(cursor, boundTo);
      const rows = await listJobs(db.readers.of(tenantId), {
        tenantId,
        state,
        conversationId,
        olderThanId,
        limit: limit + 1,
      });
      return cursors.page(rows.map(toJob), limit, boundTo, ({ id }) => id);
    },
    remove: ({ tenantId }, id, ifMatch) =>
      db.writes.write(tenantId, async (connection) => {
        const row = await findJob(connection, tenantId, id);
        if (!row) throw jobNotFound();
        requireMatch(ifMatch, contentTagOf(await read(connection, row)), 'job');
        if (row.finishedAt === null) await updateJob(connection, row, ended('cancelled'));
        else await deleteJob(connection, tenantId, id);
        abort(row);
      }),
    async advance(connection, job, change) {
      const done = await updateJob(connection, job, { ...change, updatedAt: clock.nowMs() });
      if (!done) throw cancelled();
      return (await findJob(connection, job.tenantId, job.id))!;
    },
    async cancel(connection, tenantId, which, reason) {
      for (const row of await listOpenJobs(connection, tenantId, which)) {
        const error = { errorCode: 'cancelled', errorMessage: reason, errorAt: clock.nowMs() };
        await updateJob(connection, row, { ...ended('cancelled'), ...error });
        abort(row);
      }
    },
    retryCapped: (connection, tenantId) => updateCapped(connection, tenantId, clock.nowMs()),
    async rewrite(connection, tenantId, which, rewritten) {
      for (const row of await listJobsOf(connection, tenantId, which)) {
        const result = rewritten(row.result);
        if (result !== row.result) await updateJob(connection, row, { result });
      }
    },
    async forget(connection, tenantId, conversationId) {
      for (const row of await listOpenJobs(connection, tenantId, { conversationId })) abort(row);
      await deleteJobsOfConversation(connection, tenantId, conversationId);
    },
    async forgetUser(connection, tenantId, endUser) {
      for (const row of await listJobsOfUser(connection, tenantId, endUser)) {
        abort(row);
        await deleteJob(connection, tenantId, row.id);
      }
    },
    guard: (job, work) => breakable.run(jobKey(job), work),
    open: () => countOpenJobs(db.readers),
    async sweep() {
      let swept: number;
      do {
        const beforeMs = clock.nowMs() - RETENTION_MS;
        swept = await db.writes.write('daemon', (connection) =>
          deleteJobsEndedBefore(connection, beforeMs, SWEEP_BATCH),
        );
      } while (swept === SWEEP_BATCH);
    },
    erase: ({ tenantId }) =>
      db.writes.write(tenantId, async (connection) => {
        for (const row of await listOpenJobs(connection, tenantId, {})) abort(row);
        await deleteJobsOf(connection, tenantId);
      }),
  };
}

const NEW_JOB = {
  kind: 'extract',
  endUser: null,
  project: null,
  author: null,
  afterId: null,
  changedAfter: null,
  partlyRead: null,
  state: 'queued',
  fence: 0,
  done: 0,
  attempts: 0,
  errorCode: null,
  errorMessage: null,
  errorAt: null,
  requests: 0,
  inputTokens: 0,
  outputTokens: 0,
  spend: 0,
  finishedAt: null,
} as const;

function jobKey({ tenantId, id }: Pick<JobRow, 'tenantId' | 'id'>): string {
  return `${tenantId} ${id}`;
}

function cancelled(): AppError {
  return new AppError('conflict', 'The job was cancelled or taken over in the meantime.');
}

function jobNotFound(): AppError {
  return new AppError('not_found', 'No job has this id.');
}

function toJob(row: JobRow): Job {
  const { errorCode, errorMessage, errorAt } = row;
  const isWaiting = row.finishedAt === null && row.state === 'queued';
  return {
    id: row.id,
    kind: row.kind,
    state: row.state,
    conversationId: row.conversationId,
    user: row.endUser,
    project: row.project,
    provider: row.provider,
    model: row.model,
    dryRun: row.dryRun === 1,
    progress: { done: row.done, total: row.total },
    attempts: row.attempts,
    error: errorCode === null ? null : { code: errorCode, message: errorMessage!, at: toTimestamp(errorAt!) },
    nextAttemptAt: isWaiting ? toTimestamp(row.dueAt) : null,
    used: {
      requests: row.requests,
      inputTokens: row.inputTokens,
      outputTokens: row.outputTokens,
      spend: row.spend,
    },
    result: row.kind === 'extract' && row.state === 'done' ? (JSON.parse(row.result) as Job['result']) : null,
    tidied: row.kind === 'tidy' ? (JSON.parse(row.result) as Job['tidied']) : null,
    createdAt: toTimestamp(row.createdAt),
    updatedAt: toTimestamp(row.updatedAt),
    finishedAt: toTimestampOrNull(row.finishedAt),
  };
}
