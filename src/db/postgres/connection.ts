import pg from 'pg';
import { createBoundedMap } from '../../lib/bounded-map.ts';
import type { Connection, Reader, Value } from '../connection.ts';
import { translate } from '../dialect.ts';
import { StorageFault } from '../storage-error.ts';
import { createAvailability } from './availability.ts';
import { postgresError } from './storage-error.ts';
import { connectionUrl } from './url.ts';

/** A session with a PostgreSQL server. It is opened when it is needed, and again after the server was away. */
export interface Session extends Connection {
  /**
   * Begins a transaction in which row-level security shows the rows of these tenants alone, or all. Throws `unavailable`
   * if the server cannot be reached. Statements of a transaction whose session broke fail until the next one begins.
   */
  begin(of: readonly string[] | 'all', kind: TransactionKind): Promise<void>;
  /** Ends the transaction without waiting for the server's answer. */
  end(): void;
}

/**
 * `read` and `write` are parts of requests; a `snapshot` keeps its view until it is closed; a `longWrite` is part
 * of an admin command.
 */
export type TransactionKind = 'read' | 'write' | 'snapshot' | 'longWrite';

/** Milliseconds that the server gives a statement. */
const STATEMENT_TIMEOUT_MS: Record<TransactionKind, number> = {
  read: 5000,
  write: 10_000,
  snapshot: 60_000,
  longWrite: 60_000,
};

/** Makes the server roll back the transaction of a daemon that was suspended halfway through it. */
const IDLE = 'SET LOCAL idle_in_transaction_session_timeout = 10000';
/** A write that meets another's lock is tried again by itself, with more time (`GroupCommit`). */
const WRITE = `BEGIN; SET LOCAL lock_timeout = 100; ${IDLE}`;

const BEGIN: Record<TransactionKind, string> = {
  read: `BEGIN READ ONLY; ${IDLE}`,
  write: WRITE,
  snapshot: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
  longWrite: `BEGIN; SET LOCAL lock_timeout = 2000; ${IDLE}`,
};

const CONNECT_TIMEOUT_MS = 5000;
/** For the network, after the server's own timeout. A session whose server stays silent for longer is given up. */
const NETWORK_TIMEOUT_MS = 2000;
/** Keeps firewalls from forgetting idle sessions, and finds out that they did. */
const KEEP_ALIVE_MS = 30_000;

/** Numbers arrive as numbers: ours are all within the safe integers. */
const types: pg.CustomTypesConfig = {
  getTypeParser(type: number, format?: 'text' | 'binary') {
    const isNumber = type === pg.types.builtins.INT8 || type === pg.types.builtins.NUMERIC;
    return isNumber ? Number : pg.types.getTypeParser(type, format as 'text');
  },
};

/** A connection of the driver. */
interface Link {
  client: pg.Client;
  /** Closes it; the next statement opens another. */
  giveUp(code: string | undefined): void;
}

/** Error code for a write on a server that became a standby. */
const READ_ONLY = '25006';

interface TimedQuery extends pg.QueryConfig {
  query_timeout: number;
}

/** Creates a session with the server at `url`, which opens with its first statement, with TLS as `connectionUrl` says. */
export function createSession(url: string, availability = createAvailability(url)): Session {
  let link: Promise<Link> | undefined;
  let inTransaction: Link | undefined;
  let kind: TransactionKind = 'read';
  let closed = false;

  function open(): Promise<Link> {
    if (closed) return Promise.reject(postgresError(new Error('closed')));
    if (link) return link;
    const forget = () => {
      if (link === opening) link = undefined;
    };
    const opening = availability.reach(() => connect(forget));
    link = opening;
    opening.catch(forget);
    return opening;
  }

  /** `forget` is called when the connection cannot be used any more. */
  async function connect(forget: () => void): Promise<Link> {
    const client = new pg.Client({
      connectionString: connectionUrl(url),
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      application_name: 'svc',
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      types,
    });
    let isUsable = true;
    function giveUp(code: string | undefined): void {
      if (!isUsable) return;
      isUsable = false;
      forget();
      // A server that became a standby can be reached; the next session may find the one that took over.
      if (code !== READ_ONLY) availability.lost(code);
      // With a statement under way this closes the socket without waiting for the server.
      void client.end();
    }
    // Without an error listener, a lost session would end the process.
    client.on('error', (error: Error & { code?: string }) => giveUp(error.code));
    client.on('end', forget);
    try {
      await client.connect();
      return { client, giveUp };
    } catch (error) {
      giveUp((error as { code?: string }).code);
      throw postgresError(error);
    }
  }

  async function send({ client, giveUp }: Link, text: string, values?: readonly Value[]): Promise<pg.QueryResult> {
    const statement: TimedQuery = { text, query_timeout: STATEMENT_TIMEOUT_MS[kind] + NETWORK_TIMEOUT_MS };
    try {
      return await client.query(statement, values as unknown[]);
    } catch (error) {
      // Errors of the server have codes; those of the driver mean that the connection is silent or broken.
      const { code } = error as { code?: string };
      if (code === undefined || code === READ_ONLY) giveUp(code ?? 'no answer');
      throw postgresError(error);
    }
  }

  async function query(sql: string, values?: readonly Value[]): Promise<pg.QueryResult> {
    return send(inTransaction ?? (await open()), sql, values);
  }

  async function all<T>(sql: string, values: readonly Value[] = []): Promise<T[]> {
    return (await query(translated(sql), values)).rows;
  }

  return {
    engine: 'postgres',
    all,
    async get<T>(sql: string, values: readonly Value[] = []) {
      return (await all<T>(sql, values))[0];
    },
    async run(sql, values = []) {
      return { changes: (await query(translated(sql), values)).rowCount ?? 0 };
    },
    async exec(sql) {
      const { command } = await query(sql);
      // PostgreSQL rolls back, without an error, when a failed transaction is committed.
      if (sql === 'COMMIT' && command === 'ROLLBACK') throw new StorageFault('25P02', 'PostgreSQL');
    },
    async begin(of, next) {
      inTransaction = await open();
      kind = next;
      const timeout = `SET LOCAL statement_timeout = ${STATEMENT_TIMEOUT_MS[kind]}`;
      await query(`${BEGIN[kind]}; ${timeout}; ${visibleTo(of)}`);
    },
    end() {
      const used = inTransaction;
      inTransaction = undefined;
      if (!used) return;
      send(used, 'COMMIT').catch(() => {
        // The session broke: the server has rolled back what it was reading.
      });
    },
    async close() {
      closed = true;
      const open = await link?.catch(() => undefined);
      await open?.client.end().catch(() => {
        // The server is gone, and the session with it.
      });
    },
  };
}

/** Sets what row-level security shows until the transaction ends. */
export function visibleTo(of: readonly string[] | 'all'): string {
  const list = of === 'all' ? '*' : of.join(',');
  return `SELECT set_config('svc.tenants', ${pg.escapeLiteral(list)}, true)`;
}

const MAX_TRANSLATIONS = 2000;
const translations = createBoundedMap<string, string>(MAX_TRANSLATIONS);

function translated(sql: string): string {
  const known = translations.get(sql);
  if (known !== undefined) return known;
  const fresh = translate(sql, 'postgres');
  translations.set(sql, fresh);
  return fresh;
}

/**
 * Runs the reads of `work` in one transaction of a session, one after the other; it shows the rows of these tenants alone or
 * of all. Reads that `work` did not wait for fail once it has ended.
 */
export async function inReadTransaction<T>(
  session: Session,
  of: readonly string[] | 'all',
  work: (reader: Reader) => Promise<T>,
): Promise<T> {
  await session.begin(of, 'read');
  let previous: Promise<unknown> = Promise.resolve();
  let isOpen = true;
  function all<R>(sql: string, values?: readonly Value[]): Promise<R[]> {
    const read = previous.then(() => {
      if (!isOpen) throw new Error('The transaction of this read has ended.');
      return session.all<R>(sql, values);
    });
    // The caller of this read gets the error; the next read gets its own.
    previous = read.catch(() => {});
    return read;
  }
  try {
    return await work({
      engine: session.engine,
      all,
      async get<R>(sql: string, values?: readonly Value[]) {
        return (await all<R>(sql, values))[0];
      },
    });
  } finally {
    isOpen = false;
    session.end();
  }
}
