import { chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ExecaMethod, execa, type ResultPromise } from 'execa';
import { freePort } from '../free-port.ts';
import { createRole, dropDatabase, ensureDatabase } from './databases.ts';
import { findPrograms, serverUser } from './programs.ts';

export interface PostgresOptions {
  /** Survives `kill` without loss, at the price of slower commits. */
  isDurable?: boolean;
  /** Further settings by their names, such as `ssl`. */
  settings?: Record<string, string>;
  /** The superuser's URL of a server that this one follows as a standby, with a copy of its data. */
  standbyOf?: string;
  /** Where it makes the folder of its data; that for temporary files unless given. */
  parent?: string | undefined;
}

export type PostgresServer = Awaited<ReturnType<typeof startPostgres>>;

const PASSWORD = 'postgres';

/** Settings that make a server fast whose data may be lost. */
const VOLATILE = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off', autovacuum: 'off' };
const COMMON = { listen_addresses: '127.0.0.1', max_connections: '200', max_wal_size: '256MB' };

/**
 * Starts a real PostgreSQL in a temporary folder, on TCP and a Unix socket, both with a password. Its collation is that
 * of a language, so that a query that forgets `COLLATE "C"` shows.
 */
export async function startPostgres({
  isDurable = false,
  settings: further = {},
  standbyOf,
  parent = tmpdir(),
}: PostgresOptions = {}) {
  const programs = findPrograms();
  const user = serverUser();
  const folder = await mkdtemp(join(parent, 'svc-postgres-'));
  if (user.uid !== undefined) await chown(folder, user.uid, user.gid!);
  const run = execa({ ...user, cwd: folder });
  if (standbyOf === undefined) await initialize(run, join(programs, 'initdb'), folder);
  else await run(join(programs, 'pg_basebackup'), ['-d', standbyOf, '-D', folder, '-R', '-c', 'fast', '-X', 'stream']);

  const port = await freePort();
  const own = { port: String(port), unix_socket_directories: folder };
  const settings = { ...COMMON, ...(isDurable ? {} : VOLATILE), ...own, ...further };
  const words = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const adminUrl = `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/postgres`;
  let running: ResultPromise | undefined;

  async function start(): Promise<void> {
    running = run({ reject: false, buffer: false })(join(programs, 'postgres'), ['-D', folder, ...words]);
    await untilReady(running);
  }

  /** Ends it and keeps its data. */
  async function end(signal: NodeJS.Signals): Promise<void> {
    running?.kill(signal);
    await running;
    running = undefined;
  }

  await start();
  if (standbyOf === undefined) await createRole(adminUrl);
  let databases = 0;
  return {
    port,
    folder,
    /** The superuser's URL. */
    adminUrl,
    /** Its main process, whose children serve the sessions; undefined while it is stopped. */
    pid: () => running?.pid,
    /** Creates an empty database, or a copy of `template`, and returns its URL for the role of svc. */
    createDatabase(template?: string): Promise<string> {
      databases += 1;
      return ensureDatabase(adminUrl, `test${databases}`, template);
    },
    dropDatabase: (url: string) => dropDatabase(adminUrl, new URL(url).pathname.slice(1)),
    /** Starts it again after `stop` or `kill`, on the same port; returns when it has recovered. */
    start,
    /** Stops it in order: sessions are ended, data are flushed. */
    stop: () => end('SIGINT'),
    /** Kills all its processes at once, like a crash of the operating system. */
    async kill() {
      if (running?.pid === undefined) return;
      // Paused, it neither starts another session nor tells its own to end.
      process.kill(running.pid, 'SIGSTOP');
      for (const pid of await sessionsOf(running.pid)) killIfAlive(pid);
      await end('SIGKILL');
    },
    /** Ends it and removes its data. */
    async close() {
      await end('SIGQUIT');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function initialize(run: ExecaMethod, initdb: string, folder: string): Promise<void> {
  const passwordFile = `${folder}.password`;
  await writeFile(passwordFile, PASSWORD, { mode: 0o644 });
  const locale = ['--encoding=UTF8', '--locale=C.UTF-8', '--locale-provider=icu', '--icu-locale=en-US'];
  const access = ['--username=postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
  await run(initdb, ['-D', folder, '--no-sync', ...locale, ...access]);
  await rm(passwordFile);
}

async function untilReady(server: ResultPromise): Promise<void> {
  let log = '';
  await new Promise<void>((resolve, reject) => {
    server.stderr?.on('data', (chunk) => {
      log += String(chunk);
      if (/ready to accept (read-only )?connections/.test(log)) resolve();
    });
    server.then(() => reject(new Error(`PostgreSQL did not start:\n${log}`)));
  });
}

/** Child processes by Linux's /proc; elsewhere they notice that their parent is gone. */
async function sessionsOf(pid: number): Promise<number[]> {
  const list = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return list.split(' ').filter(Boolean).map(Number);
}

function killIfAlive(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}
