import { AppError } from '../contract/errors.ts';
import type { Connection, Reader, Value } from './connection.ts';

const MAX_WAITING = 2000;

/** A pool of read connections with one statement in flight on each and a bounded queue. */
export interface Readers extends Reader {
  /** Runs `work` once a reader is free. Throws `unavailable` if the queue is full. */
  use<T>(work: (reader: Reader) => Promise<T>): Promise<T>;
  close(): Promise<void>;
  waiting(): number;
}

export function createReaders(connections: readonly Connection[]): Readers {
  const idle = [...connections];
  const queue: Waiter[] = [];
  let closed = false;

  function acquire(): Connection | Promise<Connection> {
    const free = idle.pop();
    if (closed) throw stopping();
    if (free) return free;
    if (queue.length >= MAX_WAITING) {
      throw new AppError('unavailable', 'Too many requests are waiting. Try again in a moment.', {
        retryAfterSeconds: 1,
      });
    }
    return new Promise((resolve, reject) => queue.push({ resolve, reject }));
  }

  function release(connection: Connection): void {
    const next = queue.shift();
    if (next) next.resolve(connection);
    else idle.push(connection);
  }

  async function use<T>(work: (reader: Reader) => Promise<T>): Promise<T> {
    const connection = await acquire();
    try {
      return await work(connection);
    } finally {
      release(connection);
    }
  }

  return {
    use,
    all: <T>(sql: string, values?: readonly Value[]) => use((reader) => reader.all<T>(sql, values)),
    get: <T>(sql: string, values?: readonly Value[]) => use((reader) => reader.get<T>(sql, values)),
    waiting: () => queue.length,
    async close() {
      closed = true;
      for (const waiter of queue.splice(0)) waiter.reject(stopping());
      for (const connection of connections) await connection.close();
    },
  };
}

interface Waiter {
  resolve(connection: Connection): void;
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
