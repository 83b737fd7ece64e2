import { AppError } from '../contract/errors.ts';
import type { Connection } from './connection.ts';

const MAX_JOBS = 64;
const MAX_WEIGHT = 1000;
const MAX_WAITING = 5000;

/** What became of one payload of a grouped write: refused alone, or done. */
export type Outcome<R> = { ok: R } | { refused: AppError };

/** Does many payloads at once with few statements; one outcome a payload, in order. A throw fails the whole batch. */
export type GroupedWork<P, R> = (connection: Connection, payloads: P[]) => Promise<Outcome<R>[]>;

/**
 * The one queue through which every write goes. All that arrived during the last flush is committed together in one
 * BEGIN IMMEDIATE transaction, and each caller is answered after the commit. One bad write fails alone.
 */
export interface GroupCommit {
  /** A write of its own; throw inside to undo it alone. */
  write<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  /** A kind of write that is done for many callers at once. `weight` is the number of rows a payload brings. */
  grouped<P, R>(work: GroupedWork<P, R>, weight?: (payload: P) => number): (payload: P) => Promise<R>;
  /** Runs `work` between two transactions, e.g. a checkpoint. */
  between<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  waiting(): number;
  /** Waits for what is queued, then refuses more. */
  drain(): Promise<void>;
}

interface Job {
  work: GroupedWork<unknown, unknown>;
  kind: 'single' | 'grouped' | 'between';
  payload: unknown;
  weight: number;
  resolve(result: unknown): void;
  reject(error: unknown): void;
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
      await commitBatch(connection, batch);
      onBatch(batch.length, monotonicMs() - startMs);
    }
    running = undefined;
  }

  return {
    write: <T>(work: (connection: Connection) => Promise<T>) =>
      enqueue<T>({
        work: async (on) => [{ ok: await work(on) }],
        kind: 'single',
        payload: undefined,
        weight: 1,
      }),
    grouped: <P, R>(work: GroupedWork<P, R>, weight: (payload: P) => number = () => 1) => {
      const shared = work as GroupedWork<unknown, unknown>;
      return (payload: P) => enqueue<R>({ work: shared, kind: 'grouped', payload, weight: weight(payload) });
    },
    between: <T>(work: (connection: Connection) => Promise<T>) =>
      enqueue<T>({
        work: async (on) => [{ ok: await work(on) }],
        kind: 'between',
        payload: undefined,
        weight: 0,
      }),
    waiting: () => queue.length,
    async drain() {
      closed = true;
      await running;
    },
  };
}

function nextBatch(queue: Job[]): Job[] {
  if (queue[0]?.kind === 'between') return queue.splice(0, 1);
  let count = 0;
  let weight = 0;
  for (const job of queue) {
    if (count === MAX_JOBS || job.kind === 'between' || (count > 0 && weight + job.weight > MAX_WEIGHT)) break;
    weight += job.weight;
    count += 1;
  }
  return queue.splice(0, count);
}

async function commitBatch(connection: Connection, batch: Job[]): Promise<void> {
  const [first] = batch;
  if (first?.kind === 'between') {
    await first.work(connection, []).then(([outcome]) => settle(first, outcome), first.reject);
    return;
  }
  const outcomes = new Map<Job, Outcome<unknown>>();
  let committing = false;
  try {
    await connection.exec('BEGIN IMMEDIATE');
    for (const jobs of byWork(batch)) await runJobs(connection, jobs, outcomes);
    committing = true;
    await connection.exec('COMMIT');
  } catch (error) {
    await connection.exec('ROLLBACK').catch(() => {
      // SQLite has rolled back by itself already (a full disk, say).
    });
    // One of several broke the batch: each gets a transaction of its own, so that only the bad one fails.
    const blameless = batch.length > 1 && !committing && outcomes.size < batch.length && !isStorageRefusal(error);
    if (blameless) for (const job of batch) await commitBatch(connection, [job]);
    else for (const job of batch) job.reject(error);
    return;
  }
  for (const job of batch) settle(job, outcomes.get(job));
}

/** A locked, full or failing database refuses every job alike: trying each alone would only wait again. */
function isStorageRefusal(error: unknown): boolean {
  return error instanceof AppError && (error.code === 'unavailable' || error.code === 'storage_full');
}

async function runJobs(connection: Connection, jobs: Job[], outcomes: Map<Job, Outcome<unknown>>): Promise<void> {
  const [first] = jobs;
  if (first?.kind === 'single') {
    outcomes.set(first, await runAlone(connection, first));
    return;
  }
  const results = await first!.work(
    connection,
    jobs.map((job) => job.payload),
  );
  jobs.forEach((job, index) => {
    outcomes.set(job, results[index]!);
  });
}

/** A refusal (an `AppError`) undoes this job alone; any other throw goes up. */
async function runAlone(connection: Connection, job: Job): Promise<Outcome<unknown>> {
  await connection.exec('SAVEPOINT job');
  try {
    const [outcome] = await job.work(connection, []);
    await connection.exec('RELEASE job');
    return outcome!;
  } catch (error) {
    if (!(error instanceof AppError) || isStorageRefusal(error)) throw error;
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

function settle(job: Job, outcome: Outcome<unknown> | undefined): void {
  if (outcome === undefined) job.reject(new Error('A grouped write gave no outcome for a payload'));
  else if ('refused' in outcome) job.reject(outcome.refused);
  else job.resolve(outcome.ok);
}
