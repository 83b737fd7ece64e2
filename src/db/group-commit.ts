import { AppError } from '../contract/errors.ts';
import type { Connection } from './connection.ts';
import { isLocked, isStorageFailure } from './storage-error.ts';

const MAX_JOBS = 64;
const MAX_WEIGHT = 1000;
const MAX_WAITING = 5000;

/** What became of one payload of a grouped write: refused alone, or done. */
export type Outcome<R> = { ok: R } | { refused: AppError };

/**
 * Does many payloads at once with few statements; one outcome a payload, in order. Where it throws, each payload is
 * tried again alone.
 */
export type GroupedWork<P, R> = (connection: Connection, payloads: P[]) => Promise<Outcome<R>[]>;

/**
 * The one queue through which every write goes. All that arrived during the last flush is committed together in one
 * BEGIN IMMEDIATE transaction, and each caller is answered after the commit. One bad write fails alone; the others of
 * its batch may be run a second time, so that work must have no effect but on the database. A failing commit answers
 * nobody with success. Where another process keeps the database locked, all that wait are refused together.
 */
export interface GroupCommit {
  /** A write of its own; throw inside to undo it alone. */
  write<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  /** A kind of write that is done for many callers at once. `weight` is the number of rows a payload brings. */
  grouped<P, R>(work: GroupedWork<P, R>, weight?: (payload: P) => number): (payload: P) => Promise<R>;
  waiting(): number;
  /** Waits for what is queued, then refuses more. */
  drain(): Promise<void>;
}

interface Job {
  work: GroupedWork<unknown, unknown>;
  /** Absent for a write of its own. */
  payload?: unknown;
  kind: 'single' | 'grouped';
  weight: number;
  /** Its batch failed and it may be the reason: it gets a transaction to itself. */
  suspect?: true;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** Why nothing of a batch is kept. `commit`: it may be kept after all, so that it must not be tried again. */
interface Failure {
  error: unknown;
  at: 'work' | 'commit';
}

export function createGroupCommit(
  connection: Connection,
  onBatch: (jobs: number, ms: number) => void = () => {},
  monotonicMs: () => number = () => 0,
): GroupCommit {
  const queue: Job[] = [];
  let running: Promise<void> | undefined;
  let closed = false;

  function enqueue<R>(job: Omit<Job, 'resolve' | 'reject'>): Promise<R> {
    if (closed) return Promise.reject(new AppError('unavailable', 'The daemon is stopping.'));
    if (queue.length >= MAX_WAITING) {
      const busy = 'Too many writes are waiting. Try again in a moment.';
      return Promise.reject(new AppError('unavailable', busy, { retryAfterSeconds: 1 }));
    }
    return new Promise<R>((resolve, reject) => {
      queue.push({ ...job, resolve: resolve as (result: unknown) => void, reject });
      running ??= flush();
    });
  }

  async function flush(): Promise<void> {
    // One turn of the event loop, so that requests read in the same turn share the first transaction too.
    await new Promise((resolve) => setImmediate(resolve));
    while (queue.length > 0) {
      const batch = nextBatch(queue);
      const startMs = monotonicMs();
      const failure = await commitBatch(connection, batch);
      if (failure) fail(batch, failure);
      onBatch(batch.length, monotonicMs() - startMs);
    }
    running = undefined;
  }

  function fail(batch: Job[], { error, at }: Failure): void {
    const mayRetry = at === 'work' && batch.length > 1 && !isStorageFailure(error);
    if (mayRetry) {
      queue.unshift(...batch.map((job) => ({ ...job, suspect: true as const })));
      return;
    }
    // A lock that was not given in the whole time-out: who waits behind would wait that long again, one batch each.
    const refused = isLocked(error) ? [...batch, ...queue.splice(0)] : batch;
    for (const job of refused) job.reject(error);
  }

  return {
    write: <T>(work: (connection: Connection) => Promise<T>) =>
      enqueue<T>({ work: async (on) => [{ ok: await work(on) }], kind: 'single', weight: 1 }),
    grouped: <P, R>(work: GroupedWork<P, R>, weight: (payload: P) => number = () => 1) => {
      const shared = work as GroupedWork<unknown, unknown>;
      return (payload: P) => enqueue<R>({ work: shared, kind: 'grouped', payload, weight: weight(payload) });
    },
    waiting: () => queue.length,
    async drain() {
      closed = true;
      await running;
    },
  };
}

function nextBatch(queue: Job[]): Job[] {
  if (queue[0]?.suspect) return queue.splice(0, 1);
  let count = 0;
  let weight = 0;
  for (const job of queue) {
    if (count === MAX_JOBS || (count > 0 && weight + job.weight > MAX_WEIGHT)) break;
    weight += job.weight;
    count += 1;
  }
  return queue.splice(0, count);
}

/** Commits the batch and answers its callers; where it cannot, returns why and answers nobody. */
async function commitBatch(connection: Connection, batch: Job[]): Promise<Failure | undefined> {
  const outcomes = new Map<Job, Outcome<unknown>>();
  let at: Failure['at'] = 'work';
  try {
    await begin(connection);
    for (const jobs of byWork(batch)) await runJobs(connection, jobs, outcomes);
    at = 'commit';
    await connection.exec('COMMIT');
  } catch (error) {
    await connection.exec('ROLLBACK').catch(() => {
      // SQLite has rolled back by itself already (a full disk, say), or cannot: `begin` sees to that.
    });
    return { error, at };
  }
  for (const job of batch) settle(job, outcomes.get(job)!);
  return undefined;
}

/** Begins a transaction, and ends first what a failed ROLLBACK left open. */
async function begin(connection: Connection): Promise<void> {
  try {
    await connection.exec('BEGIN IMMEDIATE');
  } catch (error) {
    if (isStorageFailure(error)) throw error;
    await connection.exec('ROLLBACK');
    await connection.exec('BEGIN IMMEDIATE');
  }
}

async function runJobs(connection: Connection, jobs: Job[], outcomes: Map<Job, Outcome<unknown>>): Promise<void> {
  const [first] = jobs;
  if (first?.kind === 'single') {
    outcomes.set(first, await runAlone(connection, first));
    return;
  }
  const payloads = jobs.map((job) => job.payload);
  const results = await first!.work(connection, payloads);
  if (results.length !== jobs.length) throw new Error('A grouped write must give one outcome a payload');
  jobs.forEach((job, index) => {
    outcomes.set(job, results[index]!);
  });
}

/** A refusal of ours (an `AppError`) undoes this job alone; any other throw goes up. */
async function runAlone(connection: Connection, job: Job): Promise<Outcome<unknown>> {
  await connection.exec('SAVEPOINT job');
  try {
    const [outcome] = await job.work(connection, []);
    await connection.exec('RELEASE job');
    return outcome!;
  } catch (error) {
    if (!(error instanceof AppError) || isStorageFailure(error)) throw error;
    await connection.exec('ROLLBACK TO job; RELEASE job');
    return { refused: error };
  }
}

function byWork(batch: Job[]): Job[][] {
  const groups = new Map<unknown, Job[]>();
  for (const job of batch) {
    const key = job.kind === 'single' ? job : job.work;
    const group = groups.get(key);
    if (group) group.push(job);
    else groups.set(key, [job]);
  }
  return [...groups.values()];
}

function settle(job: Job, outcome: Outcome<unknown>): void {
  if ('refused' in outcome) job.reject(outcome.refused);
  else job.resolve(outcome.ok);
}
