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
/** Milliseconds that a write waits for those of other processes. */
const MAX_LOCKED_MS = 2000;
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
 * rejected together; if it keeps a tenant locked, those of this tenant are, after they have waited on a connection of their
 * own, where they hold up no other tenant's.
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
  /** Monotonic milliseconds when it met another process's lock. */
  lockedAtMs?: number;
}

/** Why a batch failed. After a failed `commit` it may be stored all the same, so it must not be retried. */
interface Failure {
  error: unknown;
  at: 'begin' | 'lock' | 'work' | 'commit';
}

/** How often a batch is repeated that the engine undid because of another's. */
const MAX_COLLISIONS = 5;

interface Target {
  connection: Connection;
  transactions: Transactions;
}

interface GroupCommitOptions {
  /** Transactions of the engine; SQLite's by default. */
  transactions?: Transactions;
  /** For the writes of tenants that another process keeps locked, on engines that lock tenants. */
  waiting?: Target;
  /** Called with the number of jobs and the milliseconds of every committed batch. */
  onBatch?: ((jobs: number, ms: number) => void) | undefined;
  monotonicMs?: () => number;
}

export function createGroupCommit(
  connection: Connection,
  { transactions = sqliteTransactions(connection), waiting, onBatch, monotonicMs = () => 0 }: GroupCommitOptions = {},
): GroupCommit {
  const listeners: ((writers: ReadonlySet<string>) => void)[] = [];
  let closed = false;
  const options: WriteQueueOptions = { onBatch, monotonicMs, listeners };
  const lockedQueue = waiting && createWriteQueue(waiting, { ...options, isOfOne: true });
  const mainQueue = createWriteQueue({ connection, transactions }, { ...options, lockedQueue });
  const waitingCount = () => mainQueue.size() + (lockedQueue?.size() ?? 0);

  function enqueue<R>(job: Omit<Job, 'resolve' | 'reject'>): Promise<R> {
    if (closed) return Promise.reject(new AppError('unavailable', 'The daemon is stopping.'));
    // The writes of a tenant stay in order; those of the daemon need none.
    const target = job.tenantId !== 'daemon' && lockedQueue?.holds(job.tenantId) ? lockedQueue : mainQueue;
    if (target.sizeOf(job.tenantId) >= MAX_WAITING || waitingCount() >= MAX_WAITING_TOTAL) {
      const busy = 'Too many writes are waiting. Try again in a moment.';
      return Promise.reject(new AppError('unavailable', busy, { retryAfterSeconds: 1 }));
    }
    return new Promise<R>((resolve, reject) => {
      target.push({ ...job, resolve: resolve as (result: unknown) => void, reject });
    });
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
    between: mainQueue.between,
    onCommit(listener) {
      listeners.push(listener);
    },
    waiting: waitingCount,
    async drain() {
      closed = true;
      await mainQueue.idle();
      await lockedQueue?.idle();
    },
  };
}

interface WriteQueueOptions
  extends Required<Pick<GroupCommitOptions, 'monotonicMs'>>,
    Pick<GroupCommitOptions, 'onBatch'> {
  listeners: readonly ((writers: ReadonlySet<string>) => void)[];
  /** Takes the writes that would wait for those of another process. */
  lockedQueue?: WriteQueue | undefined;
  /** Whether a batch is of one tenant, so that none waits for the lock of another. */
  isOfOne?: boolean;
}

/** Commits its jobs on a connection, batch after batch. */
interface WriteQueue extends Pick<GroupCommit, 'between'> {
  push(job: Job): void;
  size(): number;
  sizeOf(tenantId: string): number;
  /** Whether jobs of the tenant wait or run. */
  holds(tenantId: string): boolean;
  /** Resolves when no job is left. */
  idle(): Promise<void>;
}

function createWriteQueue(
  target: Target,
  { onBatch = () => {}, monotonicMs, listeners, lockedQueue, isOfOne = false }: WriteQueueOptions,
): WriteQueue {
  const queue = createFairQueue<Job>();
  /** Jobs of a batch that failed, any of which may be the cause: each gets a transaction to itself. */
  let suspects: Job[] = [];
  let batch: Job[] = [];
  /** Work that waits until no transaction is open. */
  const pauses: (() => Promise<void>)[] = [];
  let running: Promise<void> | undefined;
  /**
   * Whether the daemon's line comes first in the next batch. Not in every one: a write that fills a transaction fits into
   * none that another leads.
   */
  let isDaemonFirst = true;

  function nextJobs(): Job[] {
    if (suspects.length > 0) return suspects.splice(0, 1);
    const next = nextBatch(queue, isDaemonFirst, isOfOne);
    isDaemonFirst = !isDaemonFirst;
    return next;
  }

  async function flush(): Promise<void> {
    // Yield once, so that requests read in the same event loop turn share the first transaction too.
    await new Promise((resolve) => setImmediate(resolve));
    while (pauses.length + suspects.length + queue.size() > 0) {
      for (const pause of pauses.splice(0)) await pause();
      if (suspects.length + queue.size() === 0) continue;
      batch = nextJobs();
      const startMs = monotonicMs();
      const { jobs, failure } = await commitBatch(target, batch, lockWaitMs(), setAside);
      if (failure) fail(jobs, failure);
      else for (const listener of listeners) listener(new Set(jobs.map(({ tenantId }) => tenantId)));
      if (jobs.length > 0) onBatch(jobs.length, monotonicMs() - startMs);
      batch = [];
    }
    running = undefined;
  }

  /** Milliseconds that the batch may wait for its locks. Jobs whose time is over are tried once more. */
  function lockWaitMs(): number {
    if (lockedQueue) return 0;
    const sinceMs = batch[0]!.lockedAtMs ?? monotonicMs();
    return Math.max(1, MAX_LOCKED_MS - (monotonicMs() - sinceMs));
  }

  /** Gives jobs, and those that wait behind them, to the queue of locked tenants. */
  function setAside(jobs: Job[]): void {
    const tenantIds = new Set(jobs.map(({ tenantId }) => tenantId).filter((tenantId) => tenantId !== 'daemon'));
    const behind = suspects.filter(({ tenantId }) => tenantIds.has(tenantId));
    suspects = suspects.filter(({ tenantId }) => !tenantIds.has(tenantId));
    for (const tenantId of tenantIds) behind.push(...queue.clear(tenantId));
    for (const job of [...jobs, ...behind]) lockedQueue!.push({ ...job, lockedAtMs: monotonicMs() });
  }

  function fail(jobs: Job[], { error, at }: Failure): void {
    const isOfLock = isLocked(error);
    if (lockedQueue && isOfLock && (at === 'lock' || (at === 'work' && jobs.length === 1))) {
      setAside(jobs);
      return;
    }
    const mayBeOne = !isStorageFailure(error) || isOfLock;
    if (at === 'work' && jobs.length > 1 && mayBeOne) {
      suspects.push(...jobs);
      return;
    }
    // Refuse the waiting writes too: each would wait out the same timeout.
    const refused = [...jobs];
    if (at === 'begin') refused.push(...suspects.splice(0), ...queue.clear());
    else if (isOfLock) {
      const isSame = ({ tenantId }: Job) => tenantId === jobs[0]!.tenantId;
      refused.push(...suspects.filter(isSame));
      suspects = suspects.filter((job) => !isSame(job));
      if (at === 'lock') refused.push(...queue.clear(jobs[0]!.tenantId));
    }
    for (const job of refused) job.reject(error);
  }

  return {
    push(job) {
      queue.push(job.tenantId, job);
      running ??= flush();
    },
    size: () => suspects.length + queue.size(),
    sizeOf: queue.sizeOf,
    holds(tenantId) {
      const isSame = (job: Job) => job.tenantId === tenantId;
      return queue.sizeOf(tenantId) > 0 || batch.some(isSame) || suspects.some(isSame);
    },
    between: <T>(work: () => Promise<T>) =>
      new Promise<T>((resolve, reject) => {
        pauses.push(() => work().then(resolve, reject));
        running ??= flush();
      }),
    async idle() {
      await running;
    },
  };
}

/**
 * Takes jobs of the tenants in turn while they fit, and of the daemon at every fourth turn: the first or the second of four.
 * With `isOfOne` it takes those of one alone.
 */
function nextBatch(queue: FairQueue<Job>, isDaemonFirst: boolean, isOfOne: boolean): Job[] {
  const batch: Job[] = [];
  let rows = 0;
  let characters = 0;
  const fits = (tenantId: string, job: Job) =>
    batch.length === 0 ||
    (rows + job.rows <= MAX_ROWS &&
      characters + job.characters <= MAX_CHARACTERS &&
      !(isOfOne && tenantId !== batch[0]!.tenantId));
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

/**
 * Commits the batch without the jobs of tenants that other processes keep locked, which it sets aside, and settles its jobs.
 * On failure it settles none and returns the reason. Returns the jobs that it tried.
 */
async function commitBatch(
  { connection, transactions }: Target,
  batch: Job[],
  lockWaitMs: number,
  setAside: (jobs: Job[]) => void,
): Promise<{ jobs: Job[]; failure?: Failure }> {
  let jobs = batch;
  for (let collisions = 0; ; collisions += 1) {
    const outcomes = new Map<Job, Outcome<unknown>>();
    let at: Failure['at'] = 'begin';
    try {
      await transactions.begin();
      at = 'lock';
      const busy = new Set(await transactions.lock([...new Set(jobs.map((job) => job.tenantId))], lockWaitMs));
      if (busy.size > 0) {
        setAside(jobs.filter((job) => busy.has(job.tenantId)));
        jobs = jobs.filter((job) => !busy.has(job.tenantId));
      }
      at = 'work';
      for (const group of byWork(jobs)) await runJobs(connection, transactions, group, outcomes);
      at = 'commit';
      await connection.exec('COMMIT');
    } catch (error) {
      await connection.exec('ROLLBACK').catch(() => {
        // The engine may have rolled back already (on a full disk, say); otherwise `begin` rolls back.
      });
      if (collisions < MAX_COLLISIONS && transactions.isCollision(error)) continue;
      return { jobs, failure: { error, at } };
    }
    for (const job of jobs) settle(job, outcomes.get(job)!);
    return { jobs };
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
