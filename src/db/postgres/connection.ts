import pg from 'pg';
import type { Connection, Reader, Value } from '../connection.ts';
import { translate } from '../dialect.ts';
import { StorageFault } from '../storage-error.ts';
import { postgresError } from './storage-error.ts';

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

/** `read` and `write` are parts of requests; a `snapshot` keeps its view for as long as it is open. */
export type TransactionKind = 'read' | 'write' | 'snapshot';

/** Milliseconds; `snapshot` serves exports, of which every statement reads a portion. */
const BEGIN: Record<TransactionKind, string> = {
  read: 'BEGIN READ ONLY; SET LOCAL statement_timeout = 5000',
  write:
    'BEGIN; SET LOCAL statement_timeout = 60000; SET LOCAL lock_timeout = 2000; SET LOCAL idle_in_transaction_session_timeout = 10000',
  snapshot: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = 60000',
};

const CONNECT_TIMEOUT_MS = 5000;
/** Longer than the server lets a statement run: without an answer by then, the network has lost the session. */
const ANSWER_TIMEOUT_MS: Record<TransactionKind, number> = { read: 10_000, write: 65_000, snapshot: 65_000 };

/** Numbers arrive as numbers: ours are all within the safe integers. */
const types: pg.CustomTypesConfig = {
  getTypeParser(type: number, format?: 'text' | 'binary') {
    const isNumber = type === pg.types.builtins.INT8 || type === pg.types.builtins.NUMERIC;
    return isNumber ? Number : pg.types.getTypeParser(type, format as 'text');
  },
};

/** Hears of each attempt to reach the server, and of sessions that broke. */
export type SessionObserver = (state: 'open' | 'lost', code?: string) => void;

/** Creates a session with the server at `url`, which opens with its first statement. */
export function createSession(url: string, observe: SessionObserver = () => {}): Session {
  let client: Promise<pg.Client> | undefined;
  let inTransaction: pg.Client | undefined;
  let answerTimeoutMs = ANSWER_TIMEOUT_MS.read;
  let closed = false;

  function open(): Promise<pg.Client> {
    if (closed) return Promise.reject(postgresError(new Error('closed')));
    if (client) return client;
    const opening = connect(() => {
      if (client === opening) client = undefined;
    });
    client = opening;
    return opening;
  }

  /** `onLost` is called when the session cannot be used any more. */
  async function connect(onLost: () => void): Promise<pg.Client> {
    const fresh = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      application_name: 'svc',
      keepAlive: true,
      types,
    });
    // Without a listener of its own, a lost session would end the process.
    fresh.on('error', (error: Error & { code?: string }) => {
      onLost();
      observe('lost', error.code);
    });
    fresh.on('end', onLost);
    try {
      await fresh.connect();
      observe('open');
      return fresh;
    } catch (error) {
      onLost();
      observe('lost', (error as { code?: string }).code);
      throw postgresError(error);
    }
  }

  async function query(sql: string, values?: readonly Value[]): Promise<pg.QueryResult> {
    const session = inTransaction ?? (await open());
    // TCP alone would go on for a quarter of an hour.
    const giveUp = setTimeout(() => session.connection.stream.destroy(), answerTimeoutMs);
    try {
      return await session.query(sql, values as unknown[]);
    } catch (error) {
      throw postgresError(error);
    } finally {
      clearTimeout(giveUp);
    }
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
    async begin(of, kind) {
      inTransaction = await open();
      answerTimeoutMs = ANSWER_TIMEOUT_MS[kind];
      await query(`${BEGIN[kind]}; ${visibleTo(of)}`);
    },
    end() {
      const session = inTransaction;
      inTransaction = undefined;
      session?.query('COMMIT').catch(() => {
        // The session broke: the server has rolled back what it was reading.
      });
    },
    async close() {
      closed = true;
      const open = await client?.catch(() => undefined);
      await open?.end().catch(() => {
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

const translations = new Map<string, string>();
const MAX_TRANSLATIONS = 2000;

function translated(sql: string): string {
  const known = translations.get(sql);
  if (known !== undefined) return known;
  if (translations.size >= MAX_TRANSLATIONS) translations.clear();
  const fresh = translate(sql, 'postgres');
  translations.set(sql, fresh);
  return fresh;
}

/** Reads in transactions of a session, one statement each, the rows of these tenants alone or of all. */
export function readerOf(session: Session, of: readonly string[] | 'all'): Reader {
  async function all<T>(sql: string, values?: readonly Value[]): Promise<T[]> {
    await session.begin(of, 'read');
    try {
      return await session.all<T>(sql, values);
    } finally {
      session.end();
    }
  }
  return {
    engine: session.engine,
    all,
    async get<T>(sql: string, values?: readonly Value[]) {
      return (await all<T>(sql, values))[0];
    },
  };
}
