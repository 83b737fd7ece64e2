import './compose-faster.ts';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Dispatcher, request as send } from 'undici';
import { inject } from 'vitest';
import type { Account } from '../../src/contract/account.ts';
import { compose, type Daemon } from '../../src/daemon/compose.ts';
import { readConfig } from '../../src/daemon/config.ts';
import type { Config } from '../../src/daemon/config-settings.ts';
import { loadDashboardFiles } from '../../src/daemon/dashboard.ts';
import { createLog } from '../../src/daemon/log.ts';
import { loadReferenceFiles } from '../../src/daemon/reference.ts';
import type { BackgroundTask } from '../../src/daemon/scheduler.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { createTestClock, type TestClock } from './clock.ts';
import { openMailbox } from './mailbox.ts';
import { createMigratedDatabase } from './migrated-database.ts';
import { databaseOf, dropDatabaseOf, MASTER_KEY } from './postgres/folder-databases.ts';

export interface Answer<T = Record<string, unknown>> {
  status: number;
  headers: Headers;
  body: T;
  text: string;
}

export interface CallOptions {
  method?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

export interface TestDaemonOptions {
  config?: Partial<Config>;
  clock?: TestClock;
  dataDir?: string;
  /** A PostgreSQL database, which several daemons can share; `close` keeps it. */
  databaseUrl?: string;
  timeouts?: { headersMs: number; requestMs: number };
  /** How long it reports not ready when it stops, before it refuses connections; 0 unless given. */
  stopNoticeMs?: number;
  /** How callers past their rate limit wait for a refusal; by default they do not. */
  refusalWait?: (ms: number) => Promise<void>;
  /** Runs every background task by its timer; by default tests do themselves what is in `DONE_BY_TESTS`. */
  schedulesAll?: true;
  /** How many times as often as in production its background tasks run, for tests that wait for them. */
  tasksFaster?: number;
  /** Overrides the path of sqlite-vec. */
  vectorExtension?: () => Promise<string>;
  /** The web app of another build. */
  dashboardFiles?: Awaited<ReturnType<typeof loadDashboardFiles>>;
}

export type TestDaemon = Awaited<ReturnType<typeof startTestDaemon>>;

function headersOf(received: Record<string, string | string[] | undefined>): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(received))
    for (const one of [value ?? []].flat()) headers.append(name, one);
  return headers;
}

/** Background tasks that would change what is found, or how much is stored, while a test looks. */
const DONE_BY_TESTS = new Set([
  'compare memories',
  'suggest what has passed',
  'accept suggestions automatically',
  'cut conversations into episodes',
]);

/** Options of a daemon none of whose timers fires during a test. */
export const WITHOUT_TIMERS = { tasksFaster: 0.001 };

/** Shows which tests look while a background task changes what they see. */
const TASKS_FASTER = Number(process.env.TEST_TASKS_FASTER ?? 1);

/** The files that every daemon serves, read once per process. */
let pages: ReturnType<typeof loadPages> | undefined;

async function loadPages() {
  return {
    dashboardFiles: await loadDashboardFiles(inject('dashboardFolder')),
    referenceFiles: await loadReferenceFiles(inject('referenceFolder')),
  };
}

/**
 * Starts a complete daemon on a free port with its own folder: real HTTP, a real database, mail in a folder. The
 * database is SQLite, or PostgreSQL if the tests run with `TEST_ENGINE=postgres`.
 */
export async function startTestDaemon(options: TestDaemonOptions = {}) {
  const folder = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'svc-test-')));
  const mailDir = join(folder, 'mail');
  const clock = options.clock ?? createTestClock();
  const databaseUrl = options.databaseUrl ?? (await databaseOf(folder));
  const config: Config = {
    ...readConfig({ dataDir: folder, mailDir, port: '0' }, {}, ''),
    ...(databaseUrl && { databaseUrl, masterKeys: [MASTER_KEY] }),
    ...options.config,
  };
  const logLines: string[] = [];
  const log = createLog('trace', (line) => logLines.push(line));
  const shown: string[] = [];
  if (databaseUrl === undefined && !existsSync(join(folder, 'svc.db'))) await createMigratedDatabase(folder);
  pages ??= loadPages();
  const world = {
    clock,
    random: systemRandom,
    log,
    show: (text: string) => shown.push(text),
    version: '0.0.0-test',
    ...(await pages),
    ...(options.dashboardFiles && { dashboardFiles: options.dashboardFiles }),
    sharedNowMs: clock.monotonicMs,
    stopNoticeMs: options.stopNoticeMs ?? 0,
    refusalWait: options.refusalWait ?? (async () => {}),
    taskIntervalMs: ({ name, everyMs }: BackgroundTask) =>
      DONE_BY_TESTS.has(name) && !options.schedulesAll ? undefined : everyMs / (options.tasksFaster ?? TASKS_FASTER),
    ...(options.timeouts && { timeouts: options.timeouts }),
    ...(options.vectorExtension && { vectorExtension: options.vectorExtension }),
  };
  const daemon: Daemon = await compose(config, world);
  const publicUrl = await daemon.start();
  const address = daemon.app.server.address() as { port: number };
  const baseUrl = `http://127.0.0.1:${address.port}`;
  const mailbox = openMailbox(mailDir);

  async function call<T = Record<string, unknown>>(
    apiKey: string | undefined,
    path: string,
    request: CallOptions = {},
  ): Promise<Answer<T>> {
    const { method = request.body === undefined ? 'GET' : 'POST', body, headers = {} } = request;
    const response = await send(baseUrl + path, {
      method: method as Dispatcher.HttpMethod,
      headers: {
        'user-agent': 'node',
        ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && {
        body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
      }),
    });
    const text = await response.body.text();
    const received = headersOf(response.headers);
    const json = /[/+]json\b/.test(received.get('content-type') ?? '') && text !== '';
    return {
      status: response.statusCode,
      headers: received,
      text,
      body: (json ? JSON.parse(text) : undefined) as T,
    };
  }

  /** Requests a sign-in link and returns the mailed one. */
  async function requestLink(email: string): Promise<string> {
    const [before] = (await mailbox.mailsTo(email)).slice(-1);
    const answer = await call(undefined, '/v1/auth/magic-link', { body: { email } });
    if (answer.status !== 202) throw new Error(`no link: ${answer.status} ${answer.text}`);
    return mailbox.latestLink(email, before ? { after: before.name } : {});
  }

  /** Presses the button on the page of a link. */
  async function redeem(link: string): Promise<Answer> {
    const token = new URL(link).searchParams.get('token') ?? '';
    return call(undefined, '/v1/auth/callback', {
      method: 'POST',
      body: new TextEncoder().encode(new URLSearchParams({ token }).toString()),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
  }

  /** Opens an account, or gives it a new key, as a sign-in does: without the mail, which would take most of a short test's time. */
  async function signIn(email: string): Promise<{ apiKey: string; account: Account }> {
    const apiKey = await daemon.db.writes.write('daemon', async (connection) => {
      const { tenantId } = await daemon.accounts.findOrCreate(connection, email);
      return daemon.keys.rotate(connection, tenantId);
    });
    return { apiKey, account: (await call<Account>(apiKey, '/v1/account')).body };
  }

  /** Signs in with a mailed link. */
  async function signInByMail(email: string): Promise<{ apiKey: string; account: Account }> {
    const answer = await redeem(await requestLink(email));
    const apiKey = /#key=(svc_live_[0-9a-f]{32})$/.exec(answer.headers.get('location') ?? '')?.[1];
    if (!apiKey) throw new Error(`no key: ${answer.status} ${answer.text}`);
    return { apiKey, account: (await call<Account>(apiKey, '/v1/account')).body };
  }

  return {
    ...daemon,
    daemon,
    folder,
    config,
    clock,
    baseUrl,
    publicUrl,
    mailbox,
    logLines,
    shown,
    call,
    requestLink,
    redeem,
    signIn,
    signInByMail,
    /** Stops the daemon and keeps its folder, so that another can start on it. */
    stop: daemon.stop,
    async close() {
      await daemon.stop();
      if (options.databaseUrl === undefined) await dropDatabaseOf(folder);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
