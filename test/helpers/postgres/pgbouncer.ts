import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa, type ResultPromise } from 'execa';
import { freePort } from '../free-port.ts';
import { serverUser } from './programs.ts';

export type PgBouncer = Awaited<ReturnType<typeof startPgBouncer>>;

export interface PgBouncerOptions {
  /** Of PostgreSQL. */
  serverPort: number;
  /** Sessions with PostgreSQL for each database and user, which all clients share. */
  poolSize: number;
}

/** Starts a real PgBouncer in front of a test server: each transaction may run on another session. */
export async function startPgBouncer({ serverPort, poolSize }: PgBouncerOptions) {
  const user = serverUser();
  const folder = await mkdtemp(join(tmpdir(), 'svc-pgbouncer-'));
  const port = await freePort();
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    pool_mode: 'transaction',
    default_pool_size: poolSize,
    max_client_conn: 200,
    auth_type: 'scram-sha-256',
    auth_file: join(folder, 'users.txt'),
    stats_users: 'svc',
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  const file = join(folder, 'pgbouncer.ini');
  await writeFile(file, `[databases]\n* = host=127.0.0.1 port=${serverPort}\n[pgbouncer]\n${lines.join('\n')}\n`);
  await writeFile(join(folder, 'users.txt'), '"svc" "svc"\n');
  if (user.uid !== undefined) await chown(folder, user.uid, user.gid!);
  const running = execa('pgbouncer', [file], { ...user, reject: false, buffer: false, stdin: 'ignore' });
  await untilReady(running);
  return {
    port,
    /** Returns the URL of a database of the server, through this. */
    urlOf: (databaseUrl: string) => databaseUrl.replace(`:${serverPort}/`, `:${port}/`),
    async close() {
      running.kill('SIGKILL');
      await running;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function untilReady(running: ResultPromise): Promise<void> {
  let log = '';
  await new Promise<void>((resolve, reject) => {
    running.stderr?.on('data', (chunk) => {
      log += String(chunk);
      if (log.includes('process up')) resolve();
    });
    running.then(({ code }) => {
      const advice = code === 'ENOENT' ? 'apt-get install -y --no-install-recommends pgbouncer' : log;
      reject(new Error(`PgBouncer did not start: ${advice}`));
    });
  });
}
