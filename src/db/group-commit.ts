import { AppError } from '../contract/errors.ts';
import { createFairQueue, type FairQueue } from '../lib/fair-queue.ts';
import { type Admission, admissionTo } from './admission.ts';
import type { Connection } from './connection.ts';
import { isLocked, isStorageFailure } from './storage-error.ts';
import { sqliteTransactions, type Transactions, type Writer } from './transactions.ts';

/** Limits of one transaction; a single write may exceed those of rows and characters. */
const MAX_JOBS = 64;
const MAX_ROWS = 1000;
const MAX_CHARACTERS = 64_000;
/** Per tenant, and over all tenants. */
const MAX_WAITING = 5000;
const MAX_WAITING_TOTAL = 20_000;
/** The daemon's own writes get every fourth turn, because they are many tenants' (sign-ins, jobs) in one line. */
const DAEMON_TURN = 4;

/** The owner of a payload, and how much it writes. */
interface PayloadSize {
  tenantId: string;
  rows: number;
  characters: number;
}

/** The outcome of one payload of a grouped write: done, or refused without affecting the others. */
export type Outcome<R> = { ok: R } | { refused: AppError };

/** Writes many payloads with few statements. Returns one outcome per payload, in order; if it throws, each is retried alone. */
type GroupedWork<P, R> = (connection: Connection, payloads: P[]) => Promise<Outcome<R>[]>;

/**
 * The single queue through which every write goes. Writes that arrived during the last flush are committed together in
 * one BEGIN IMMEDIATE transaction, in which tenants take turns, and each promise resolves after the commit. One bad write
 * fails alone; the others of its batch may run a second time, so work must have no side effects outside the database. If
 * the commit fails, no write of the batch succeeds. If another process keeps the database locked, all queued writes are
 * rejected together.
 */
export interface GroupCommit {
  /** Queues a single write; throw an `AppError` inside to undo only this one. */
  write<T>(of: Writer, work: (connection: Connection) => Promise<T>): Promise<T>;
  /**
   * Defines a write that handles many callers at once. Bookkeeping, which counts what others have done too, is not bound to
   * the admission of the request that happens to cause it.
   */
  grouped<P, R>(
    work: GroupedWork<P, R>,
    sizeOf: (payload: P) => PayloadSize,
    options?: { isBookkeeping: boolean },
  ): (payload: P) => Promise<R>;
  /** Runs `work` after the current transaction; the next one begins when it is done. */
  between<T>(work: () => Promise<T>): Promise<T>;
  /** Calls `listener` after each commit with whose writes it has. It must not throw. */
  onCommit(listener: (writers: ReadonlySet<string>) => void): void;
  waiting(): number;
  /** Refuses new writes and waits for the queued ones. */
  drain(): Promise<void>;
}

interface Job extends PayloadSize {
  work: GroupedWork<unknown, unknown>;
  /** Absent for a single write. */
  payload?: unknown;
  kind: 'single' | 'grouped';
  admission: Admission | undefined;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** Why a batch failed. After a failed `commit` it may be stored all the same, so it must not be retried. */
interface Failure {
  error: unknown;
  at: 'begin' | 'work' | 'commit';
}

/** How often a batch is repeated that the engine undid because of another's. */
const MAX_COLLISIONS = 5;

interface GroupCommitOptions {
  /** Transactions of the engine; SQLite's by default. */
  transactions?: Transactions;
  /** Called with the number of jobs and the milliseconds of every committed batch. */
  onBatch?: ((jobs: number, ms: number) => void) | undefined;
  monotonicMs?: () => number;
}

export function createGroupCommit(
  connection: Connection,
  { transactions = sqliteTransactions(connection), onBatch = () => {}, monotonicMs = () => 0 }: GroupCommitOptions = {},
): GroupCommit {
  const queue = createFairQueue<Job>();
  /** Jobs of a batch that failed, any of which may be the cause: each gets a transaction to itself. */
  let suspects: Job[] = [];
  /** Work that waits until no transaction is open. */
  const pauses: (() => Promise<void>)[] = [];
  const listeners: ((writers: ReadonlySet<string>) => void)[] = [];
  let running: Promise<void> | undefined;
  let closed = false;
  /**
   * Whether the daemon's line comes first in the next batch. Not in every one: a write that fills a transaction fits into
   * none that another leads.
   */
  let isDaemonFirst = true;

  function enqueue<R>(job: Omit<Job, 'resolve' | 'reject'>): Promise<R> {
    if (closed) return Promise.reject(new AppError('unavailable', 'The daemon is stopping.'));
    if (queue.sizeOf(job.tenantId) >= MAX_WAITING || queue.size() >= MAX_WAITING_TOTAL) {
      const busy = 'Too many writes are waiting. Try again in a moment.';
      return Promise.reject(new AppError('unavailable', busy, { retryAfterSeconds: 1 }));
    }
    return new Promise<R>((resolve, reject) => {
      queue.push(job.tenantId, { ...job, resolve: resolve as (result: unknown) => void, reject });
      running ??= flush();
    });
  }

  function nextJobs(): Job[] {
    if (suspects.length > 0) return suspects.splice(0, 1);
    const batch = nextBatch(queue, isDaemonFirst);
    isDaemonFirst = !isDaemonFirst;
    return batch;
  }

  async function flush(): Promise<void> {
    // Yield once, so that requests read in the same event loop turn share the first transaction too.
    await new Promise((resolve) => setImmediate(resolve));
    while (pauses.length + suspects.length + queue.size() > 0) {
      for (const pause of pauses.splice(0)) await pause();
      if (suspects.length + queue.size() === 0) continue;
      const batch = nextJobs();
      const startMs = monotonicMs();
      const failure = await commitBatch(connection, transactions, batch);
      if (failure) fail(batch, failure);
      else for (const listener of listeners) listener(new Set(batch.map(({ tenantId }) => tenantId)));
      onBatch(batch.length, monotonicMs() - startMs);
    }
    running = undefined;
  }

  function fail(batch: Job[], { error, at }: Failure): void {
    const mayBeOne = !isStorageFailure(error) || isLocked(error);
    if (at === 'work' && batch.length > 1 && mayBeOne) {
      suspects.push(...batch);
      return;
    }
    // Refuse the waiting writes too: each would wait out the same timeout.
    const refused = [...batch];
    if (at === 'begin') refused.push(...suspects.splice(0), ...queue.clear());
    else if (isLocked(error)) {
      const isSame = ({ tenantId }: Job) => tenantId === batch[0]!.tenantId;
      refused.push(...suspects.filter(isSame));
      suspects = suspects.filter((job) => !isSame(job));
    }
    for (const job of refused) job.reject(error);
  }

  return {
    write: <T>(of: Writer, work: (connection: Connection) => Promise<T>) =>
      enqueue<T>({
        work: async (on) => [{ ok: await work(on) }],
        kind: 'single',
        admission: admissionTo(of),
        tenantId: of,
        rows: 1,
        characters: 0,
      }),
    grouped: <P, R>(
      work: GroupedWork<P, R>,
      sizeOf: (payload: P) => PayloadSize,
      { isBookkeeping } = { isBookkeeping: false },
    ) => {
      const shared = work as GroupedWork<unknown, unknown>;
      return (payload: P) => {
        const size = sizeOf(payload);
        const admission = isBookkeeping ? undefined : admissionTo(size.tenantId);
        return enqueue<R>({ work: shared, kind: 'grouped', admission, payload, ...size });
      };
    },
    between: <T>(work: () => Promise<T>) =>
      new Promise<T>((resolve, reject) => {
        pauses.push(() => work().then(resolve, reject));
        running ??= flush();
      }),
    onCommit(listener) {
      listeners.push(listener);
    },
    waiting: () => suspects.length + queue.size(),
    async drain() {
      closed = true;
      await running;
    },
  };
}

/** Takes jobs of the tenants in turn while they fit, and of the daemon at every fourth turn: the first or the second of four. */
function nextBatch(queue: FairQueue<Job>, isDaemonFirst: boolean): Job[] {
  const batch: Job[] = [];
  let rows = 0;
  let characters = 0;
  const fits = (_: string, job: Job) =>
    batch.length === 0 || (rows + job.rows <= MAX_ROWS && characters + job.characters <= MAX_CHARACTERS);
  while (batch.length < MAX_JOBS) {
    const isDaemonTurn = batch.length % DAEMON_TURN === (isDaemonFirst ? 0 : 1);
    const next = (isDaemonTurn && queue.take((id, job) => id === 'daemon' && fits(id, job))) || queue.take(fits);
    if (!next) break;
    batch.push(next.item);
    rows += next.item.rows;
    characters += next.item.characters;
  }
  return batch;
}

/** Commits the batch and settles its jobs; on failure settles none and returns the reason. */
async function commitBatch(
  connection: Connection,
  transactions: Transactions,
  batch: Job[],
): Promise<Failure | undefined> {
  for (let collisions = 0; ; collisions += 1) {
    const outcomes = new Map<Job, Outcome<unknown>>();
    let at: Failure['at'] = 'begin';
    try {
      await transactions.begin();
      at = 'work';
      await transactions.lock([...new Set(batch.map((job) => job.tenantId))]);
      for (const jobs of byWork(batch)) await runJobs(connection, transactions, jobs, outcomes);
      at = 'commit';
      await connection.exec('COMMIT');
    } catch (error) {
      await connection.exec('ROLLBACK').catch(() => {
        // The engine may have rolled back already (on a full disk, say); otherwise `begin` rolls back.
      });
      if (collisions < MAX_COLLISIONS && transactions.isCollision(error)) continue;
      return { error, at };
    }
    for (const job of batch) settle(job, outcomes.get(job)!);
    return undefined;
  }
}

/**
 * Refuses the jobs whose admission has ended by now, in the transaction that they would write in, just before they do: a job
 * before them in the batch may have ended it. Returns the others.
 */
async function refuseEnded(connection: Connection, jobs: Job[], outcomes: Map<Job, Outcome<unknown>>): Promise<Job[]> {
  const admissions = new Map(jobs.flatMap(({ admission }) => (admission ? [[admission.key, admission]] : [])));
  const ended = new Map<string, AppError>();
  for (const [key, admission] of admissions) {
    await admission.check(connection).catch((error: unknown) => {
      if (!(error instanceof AppError) || isStorageFailure(error)) throw error;
      ended.set(key, error);
    });
  }
  return jobs.filter((job) => {
    const refused = job.admission && ended.get(job.admission.key);
    if (refused) outcomes.set(job, { refused });
    return !refused;
  });
}

async function runJobs(
  connection: Connection,
  transactions: Transactions,
  jobs: Job[],
  outcomes: Map<Job, Outcome<unknown>>,
): Promise<void> {
  const [first] = jobs;
  const limit = transactions.limitTo([...new Set(jobs.map((job) => job.tenantId))]);
  if (first?.kind === 'single') {
    outcomes.set(first, await runAlone(connection, first, limit));
    return;
  }
  if (limit !== '') await connection.exec(limit);
  const admitted = await refuseEnded(connection, jobs, outcomes);
  if (admitted.length === 0) return;
  const payloads = admitted.map((job) => job.payload);
  const results = await first!.work(connection, payloads);
  if (results.length !== admitted.length) throw new Error('A grouped write must return one outcome per payload');
  for (const [index, job] of admitted.entries()) outcomes.set(job, results[index]!);
}

/** Runs a job in a savepoint: an `AppError` of ours undoes this job alone; any other error is rethrown. */
async function runAlone(connection: Connection, job: Job, limit: string): Promise<Outcome<unknown>> {
  await connection.exec(`SAVEPOINT job; ${limit}`);
  try {
    await job.admission?.check(connection);
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
