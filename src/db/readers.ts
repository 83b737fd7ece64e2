import { AppError } from '../contract/errors.ts';
import type { Connection, Reader, Value } from './connection.ts';

const MAX_WAITING = 2000;

/** The reading connections: one statement in flight on each, a bounded queue before them. */
export interface Readers extends Reader {
  /** Runs `work` once a reader is free. Throws `unavailable` where too many wait already. */
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

/** The most keys in one statement: SQLite takes 32,766 values. */
const MAX_KEYS = 1024;

/**
 * Many callers that want one row each share one statement: what arrives while all readers are busy goes into the next.
 * The statement starts after the last of its callers asked, so nobody sees a state older than the own question.
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
    // A failure to get a reader must not be shared with later callers.
    answer.catch(end);
    return { keys, answer };
  }

  return async (key) => {
    if (!gathering || gathering.keys.size >= MAX_KEYS) gathering = gather();
    gathering.keys.add(key);
    return (await gathering.answer).get(key);
  };
}
