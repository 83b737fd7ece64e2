import { AppError } from '../contract/errors.ts';
import { createFairQueue } from '../lib/fair-queue.ts';
import type { Connection, Reader, Value } from './connection.ts';

/** Per tenant, and over all tenants. */
const MAX_WAITING = 2000;
const MAX_WAITING_TOTAL = 20_000;
/** The owner of reads that name no tenant. */
const DAEMON = '';

/** Runs the reads of `work` in one transaction, for a tenant or for the daemon if it is `undefined`. */
export type ReadTransaction<C> = <T>(
  connection: C,
  tenantId: string | undefined,
  work: (reader: Reader) => Promise<T>,
) => Promise<T>;

/** A pool of read connections with one statement in flight on each and a bounded queue, in which tenants take turns. */
export interface Readers extends Reader {
  /** How many statements can run at once. */
  count: number;
  /** Reads for a tenant. One tenant alone never occupies every reader of a pool of several. */
  of(tenantId: string): Reader;
  /**
   * Runs reads of a tenant that belong together: in one transaction on PostgreSQL, which is cheaper than one for each; on
   * SQLite like `of`, each on the next free reader.
   */
  together<T>(tenantId: string, work: (reader: Reader) => Promise<T>): Promise<T>;
  /** Runs `work` once a reader is free. Throws `unavailable` if the queue is full. */
  use<T>(work: (reader: Reader) => Promise<T>): Promise<T>;
  close(): Promise<void>;
  waiting(): number;
}

/** `inTransaction` is absent for an engine whose reads need no transaction. */
export function createReaders<C extends Connection>(
  connections: readonly C[],
  inTransaction?: ReadTransaction<C>,
): Readers {
  const idle = [...connections];
  const queue = createFairQueue<Waiter<C>>();
  const active = new Map<string, number>();
  const maxActive = Math.max(1, connections.length - 1);
  let closed = false;

  const mayRead = (tenantId: string) => tenantId === DAEMON || (active.get(tenantId) ?? 0) < maxActive;

  function take(tenantId: string): C {
    active.set(tenantId, (active.get(tenantId) ?? 0) + 1);
    return idle.pop()!;
  }

  function acquire(tenantId: string): C | Promise<C> {
    if (closed) throw stopping();
    if (idle.length > 0 && mayRead(tenantId)) return take(tenantId);
    if (queue.sizeOf(tenantId) >= MAX_WAITING || queue.size() >= MAX_WAITING_TOTAL) {
      throw new AppError('unavailable', 'Too many requests are waiting. Try again in a moment.', {
        retryAfterSeconds: 1,
      });
    }
    return new Promise((resolve, reject) => queue.push(tenantId, { resolve, reject }));
  }

  function release(tenantId: string, connection: C): void {
    idle.push(connection);
    const left = active.get(tenantId)! - 1;
    if (left === 0) active.delete(tenantId);
    else active.set(tenantId, left);
    const next = queue.take(mayRead);
    next?.item.resolve(take(next.tenantId));
  }

  async function runFor<T>(tenantId: string, work: (reader: Reader) => Promise<T>): Promise<T> {
    const connection = await acquire(tenantId);
    try {
      if (!inTransaction) return await work(connection);
      return await inTransaction(connection, tenantId === DAEMON ? undefined : tenantId, work);
    } finally {
      release(tenantId, connection);
    }
  }

  const { engine } = connections[0]!;
  const of = (tenantId: string): Reader => ({
    engine,
    all: <T>(sql: string, values?: readonly Value[]) => runFor(tenantId, (reader) => reader.all<T>(sql, values)),
    get: <T>(sql: string, values?: readonly Value[]) => runFor(tenantId, (reader) => reader.get<T>(sql, values)),
  });

  return {
    ...of(DAEMON),
    count: connections.length,
    of,
    together: (tenantId, work) => (inTransaction ? runFor(tenantId, work) : work(of(tenantId))),
    use: <T>(work: (reader: Reader) => Promise<T>) => runFor(DAEMON, work),
    waiting: () => queue.size(),
    async close() {
      closed = true;
      for (const waiter of queue.clear()) waiter.reject(stopping());
      for (const connection of connections) await connection.close();
    },
  };
}

interface Waiter<C> {
  resolve(connection: C): void;
  reject(error: AppError): void;
}

function stopping(): AppError {
  return new AppError('unavailable', 'The daemon is stopping.');
}

/** Keys per statement; SQLite's own limit is 32,766 bound values. */
const MAX_KEYS = 1024;

/**
 * Batches point reads: keys requested while all readers are busy share the next statement. It starts after its last
 * key was requested, so no caller sees a state older than its own request.
 */
export function createBatchedRead<R>(
  readers: Readers,
  find: (reader: Reader, keys: string[]) => Promise<Map<string, R>>,
): (key: string) => Promise<R | undefined> {
  let gathering: { keys: Set<string>; answer: Promise<Map<string, R>> } | undefined;

  function gather(): { keys: Set<string>; answer: Promise<Map<string, R>> } {
    const keys = new Set<string>();
    const end = () => {
      if (gathering?.keys === keys) gathering = undefined;
    };
    const answer = readers.use((reader) => {
      end();
      return find(reader, [...keys]);
    });
    // Later callers must not share this batch's failure to acquire a reader.
    answer.catch(end);
    return { keys, answer };
  }

  return async (key) => {
    if (!gathering || gathering.keys.size >= MAX_KEYS) gathering = gather();
    gathering.keys.add(key);
    return (await gathering.answer).get(key);
  };
}
