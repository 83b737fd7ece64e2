import '../../helpers/compose-faster.ts';
import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { compose, type Daemon } from '../../../src/daemon/compose.ts';
import { readConfig } from '../../../src/daemon/config.ts';
import { createLog } from '../../../src/daemon/log.ts';
import type { Value } from '../../../src/db/connection.ts';
import type { Engine } from '../../../src/db/dialect.ts';
import { copyDatabaseOf, databaseOf, dropDatabaseOf } from '../../helpers/postgres/folder-databases.ts';
import { type ProviderServer, startProviderServer } from '../../helpers/providers/server.ts';
import { type Filled, fillDue, fillTwin } from './twin-fill.ts';

/** Two tenants who filled the database with the same ids; their texts name them. */
export const TWINS = ['ada', 'bob'] as const;
export type TwinName = (typeof TWINS)[number];

interface Called {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the body of any route.
  body: any;
  text: string;
}

/** One of the twins, with everything that it does and sees recorded. */
export interface Twin {
  name: TwinName;
  tenantId: string;
  /** The other twin, which has rows only in the shared daemon. */
  otherId: string;
  /** The ids that both twins share. */
  filled: Filled;
  daemon: Daemon;
  server: ProviderServer;
  /** Requests `METHOD /path` and records the response. */
  call(request: string, body?: unknown, headers?: Record<string, string>): Promise<Called>;
  /** Records a value. Throws `Deviation` if it differs from what is expected at this point. */
  record(name: string, value: unknown): void;
  /** Runs the background work that requests have caused, and waits until it is done. */
  settle(): Promise<void>;
}

/** What one of the twins does. */
export type Scenario = (twin: Twin) => Promise<void>;

/** Who acts on the database of whom. */
interface Cast {
  actor: TwinName;
  /** The other has an empty account unless present. */
  present: readonly TwinName[];
}

/** What the actor saw, followed by its rows in every table. */
export type Records = string[];

/** The first difference between what a twin sees and what is expected, or a changed row of the other twin. */
class Deviation extends Error {
  override readonly name = 'Deviation';
}

export interface TwinWorld {
  /**
   * Runs a scenario on a copy of the filled database. Throws `Deviation` at the first difference from `expected`, and if
   * a row of the other twin has changed.
   */
  run(scenario: Scenario, cast: Cast, expected?: Records): Promise<Records>;
  /** The ids in the tables of a twin after filling. */
  ids(name: TwinName): Promise<Record<string, string[]>>;
  close(): Promise<void>;
}

const FILLED_AT = Date.UTC(2026, 0, 5, 10);
/** Late enough for the work that is scheduled when messages are appended. */
const SETTLED_AT = Date.UTC(2026, 0, 5, 11);
/** Before anything expires: expired rows are erased whoever acts. */
const ACTED_AT = Date.UTC(2026, 0, 5, 11, 30);
const MASTER_KEY = Buffer.alloc(32, 7);

/** Fills the databases once; every run works on a copy. */
export async function createTwinWorld(): Promise<TwinWorld> {
  const root = await mkdtemp(join(tmpdir(), 'svc-twins-'));
  const server = await startProviderServer('openai', { answer: ({ prompt }) => answerOf(prompt) });
  const filled = new Map<string, Promise<Template>>();
  let runs = 0;

  function templateOf(present: readonly TwinName[]): Promise<Template> {
    const key = present.join('-');
    const template = filled.get(key) ?? fillTemplate(join(root, key), present, server);
    filled.set(key, template);
    return template;
  }

  return {
    async run(scenario, cast, expected) {
      const template = await templateOf(cast.present);
      runs += 1;
      const folder = join(root, `run-${runs}`);
      await cp(template.folder, folder, { recursive: true });
      await copyDatabaseOf(template.folder, folder);
      try {
        return await act(folder, template, { scenario, actor: cast.actor, expected, server });
      } finally {
        await dropDatabaseOf(folder);
        await rm(folder, { recursive: true, force: true });
      }
    },
    async ids(name) {
      const rows = (await templateOf(TWINS)).rows[name];
      const compared = Object.entries(rows).filter(([table]) => !INDEX_TABLES.has(table));
      return Object.fromEntries(compared.map(([table, found]) => [table, found.map(idOf).sort()]));
    },
    async close() {
      await server.close();
      for (const template of await Promise.all(filled.values())) await dropDatabaseOf(template.folder);
      await rm(root, { recursive: true, force: true });
    },
  };
}

/** The "model" repeats who speaks, so that a text of the other twin shows in what it extracts. */
function answerOf(prompt: string): unknown {
  const said = [...prompt.matchAll(/^\[(\d+)\] .*?\b(ada|bob)\b/gm)].at(-1);
  if (!said) return { memories: [] };
  const [, message, name] = said;
  const known = { known: '', date: '', reason: 'said so' };
  return {
    memories: [{ decision: 'add', content: `What ${name} said.`, tags: [], messages: [Number(message)], ...known }],
  };
}

interface Template {
  folder: string;
  tenantIds: Record<TwinName, string>;
  apiKeys: Record<TwinName, string>;
  filled: Filled;
  /** The rows of each after filling. */
  rows: Record<TwinName, Record<string, Row[]>>;
  /** The rows of each tenant in a copy that was just opened. */
  before: Record<string, Record<string, Row[]>>;
}

async function fillTemplate(folder: string, present: readonly TwinName[], server: ProviderServer): Promise<Template> {
  await mkdir(folder);
  const template = { folder, tenantIds: {}, apiKeys: {}, rows: {}, before: {} } as Template;
  for (const name of present) {
    const opened = await open(folder, FILLED_AT - 1000, server);
    if (name === present[0]) await createAccounts(opened.daemon, template);
    opened.begin(FILLED_AT);
    const twin = twinOf(name, template, opened, server, []);
    template.filled = await fillTwin(twin);
    opened.begin(SETTLED_AT);
    await twin.settle();
    await twin.settle();
    if (name === present.at(-1)) {
      for (const each of present) await fillDue(opened.daemon, template.tenantIds[each], template.filled);
    }
    template.rows[name] = await rowsOf(opened.daemon, twin.tenantId);
    await shut(opened.daemon);
  }
  return template;
}

async function createAccounts(daemon: Daemon, { tenantIds, apiKeys }: Template): Promise<void> {
  for (const name of TWINS) {
    await daemon.db.writes.write('daemon', async (connection) => {
      tenantIds[name] = (await daemon.accounts.findOrCreate(connection, `${name}@example.com`)).tenantId;
      apiKeys[name] = await daemon.keys.rotate(connection, tenantIds[name]);
    });
  }
}

interface Opened {
  daemon: Daemon;
  /** Sets the time, and starts the random sequence over. */
  begin(atMs: number): void;
  nowMs(): number;
}

/** A daemon with a clock that stands still and reproducible randomness, which runs no background work. */
async function open(folder: string, atMs: number, { host }: ProviderServer): Promise<Opened> {
  const state = { nowMs: atMs, draws: 0 };
  const random = { bytes: (count: number) => drawn(state.draws++, count) };
  const config = {
    ...readConfig({ dataDir: folder, port: '0', defaultTier: 'Enterprise', providerHosts: host }, {}, ''),
    masterKeys: [MASTER_KEY],
    databaseUrl: await databaseOf(folder),
  };
  const daemon = await compose(config, {
    clock: { nowMs: () => state.nowMs, monotonicMs: () => state.nowMs },
    random,
    sharedNowMs: () => state.nowMs,
    log: createLog('silent', () => {}),
    show: () => {},
    version: '0.0.0-test',
    dashboardFiles: new Map(),
    referenceFiles: new Map(),
  });
  return { daemon, begin: (nowMs) => Object.assign(state, { nowMs, draws: 0 }), nowMs: () => state.nowMs };
}

function drawn(draw: number, count: number): Buffer {
  return createHash('shake256', { outputLength: count }).update(`draw ${draw}`).digest();
}

async function shut(daemon: Daemon): Promise<void> {
  await daemon.app.close();
  await daemon.jobRunner.stop();
  await daemon.tenantEmbeddings.stop();
  await daemon.models.close();
  await daemon.limiting.stop();
  await daemon.db.close();
}

interface Run {
  scenario: Scenario;
  actor: TwinName;
  expected: Records | undefined;
  server: ProviderServer;
}

async function act(folder: string, template: Template, { scenario, actor, expected, server }: Run): Promise<Records> {
  const opened = await open(folder, ACTED_AT, server);
  const { daemon } = opened;
  try {
    const seen: string[] = [];
    const twin = twinOf(actor, template, opened, server, seen, expected);
    template.before[twin.otherId] ??= await rowsOf(daemon, twin.otherId);
    await untilTouched(daemon, template.tenantIds[actor], template.apiKeys[actor]);
    opened.begin(ACTED_AT);
    await scenario(twin);
    await twin.settle();
    const after = await rowsOf(daemon, twin.otherId);
    for (const [table, rows] of Object.entries(template.before[twin.otherId]!)) {
      if (isDeepStrictEqual(after[table], rows)) continue;
      throw new Deviation(`${table} of the other twin was ${JSON.stringify(rows)}, is ${JSON.stringify(after[table])}`);
    }
    for (const line of comparedRows(await rowsOf(daemon, twin.tenantId))) push(seen, line, expected);
    return seen;
  } finally {
    await shut(daemon);
  }
}

/** Uses a key, and waits until that is stored: otherwise a later request may see it or not. */
async function untilTouched({ app, db }: Daemon, tenantId: string, apiKey: string): Promise<void> {
  await app.inject({ method: 'GET', url: '/v1/memories?limit=0', headers: { authorization: `Bearer ${apiKey}` } });
  const sql = 'SELECT 1 FROM apiKeys WHERE tenantId = ? AND lastUsedAt = ?';
  while ((await db.lookups.get(sql, [tenantId, ACTED_AT])) === undefined) await setTimeout(1);
}

function twinOf(
  name: TwinName,
  { tenantIds, apiKeys, filled }: Template,
  opened: Opened,
  server: ProviderServer,
  seen: string[],
  expected?: readonly string[],
): Twin {
  const { daemon } = opened;
  const record = (what: string, value: unknown) => push(seen, `${what}: ${JSON.stringify(value, shown)}`, expected);
  return {
    name,
    tenantId: tenantIds[name],
    otherId: tenantIds[name === 'ada' ? 'bob' : 'ada'],
    filled,
    daemon,
    server,
    record,
    async call(request, body, headers = {}) {
      const [method, url] = request.split(' ') as ['GET', string];
      const isText = typeof body === 'string';
      const answer = await daemon.app.inject({
        method,
        url,
        headers: {
          authorization: `Bearer ${apiKeys[name]}`,
          ...(body !== undefined && { 'content-type': isText ? 'application/x-ndjson' : 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { payload: isText ? body : JSON.stringify(body) }),
      });
      const isJson = /json\b/.test(String(answer.headers['content-type'])) && answer.body !== '';
      const parsed = isJson && !String(answer.headers['content-type']).includes('ndjson') ? answer.json() : answer.body;
      record(request, { status: answer.statusCode, body: parsed, etag: answer.headers.etag });
      return { status: answer.statusCode, body: parsed, text: answer.body };
    },
    settle: () => settle(opened),
  };
}

/** Rounds what depends on statistics of the whole index. */
function shown(key: string, value: unknown): unknown {
  if (key === 'requestId') return undefined;
  return typeof value === 'number' && !Number.isInteger(value) ? Math.round(value * 100) / 100 : value;
}

function push(seen: string[], line: string, expected: readonly string[] | undefined): void {
  const wanted = expected?.[seen.length];
  seen.push(line);
  if (expected !== undefined && line !== wanted) throw new Deviation(`expected ${wanted}\nbut saw  ${line}`);
}

async function settle({ daemon, nowMs }: Opened): Promise<void> {
  await daemon.extraction.follow();
  await untilJobsEnd(daemon, nowMs());
  await daemon.episodes.follow();
  await daemon.tenantEmbeddings.follow();
  await daemon.tenantEmbeddings.settled();
  await daemon.learning.flush();
  await daemon.usage.flushRequests();
  await daemon.db.probe(0);
}

async function untilJobsEnd({ db, jobRunner }: Daemon, nowMs: number): Promise<void> {
  const sql = `SELECT COUNT(*) AS open FROM jobs WHERE state = 'running' OR (state = 'queued' AND dueAt <= ?)`;
  for (let tries = 0; tries < 1000; tries += 1) {
    await jobRunner.follow();
    if ((await db.readers.get<{ open: number }>(sql, [nowMs]))!.open === 0) return;
    await setTimeout(5);
  }
  throw new Error('A job does not end.');
}

type Row = Record<string, Value>;

const RANDOM_COLUMN = 'wordTotals version';
/** Row numbers, which differ by who else wrote, what is derived from statistics of the whole index, and the time of day. */
const NOT_COMPARED = new Set(['number', 'at', 'scope', 'model', 'signals', 'state']);

const TENANT_TABLES: Record<Engine, string> = {
  sqlite: `SELECT t.name FROM sqlite_schema t WHERE t.type = 'table'
    AND EXISTS (SELECT 1 FROM pragma_table_info(t.name) WHERE name = 'tenantId') ORDER BY t.name`,
  postgres: `SELECT table_name AS name FROM information_schema.columns
    WHERE table_schema = 'public' AND column_name = 'tenantId' ORDER BY table_name COLLATE "C"`,
};
/** The full-text index, which is made of row numbers. */
const INDEX_TABLES = new Set(['textDocuments', 'textPostings']);

/** All rows of a tenant by table. */
async function rowsOf({ db }: Daemon, tenantId: string): Promise<Record<string, Row[]>> {
  const tables = await db.readers.all<{ name: string }>(TENANT_TABLES[db.readers.engine]);
  const found: Record<string, Row[]> = {};
  for (const { name } of tables) {
    const rows = await db.readers.all<Row>(`SELECT * FROM ${name} WHERE tenantId = ?`, [tenantId]);
    found[name] = rows.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
  }
  return found;
}

function idOf(row: Row): string {
  const id = typeof row.id === 'string' ? row.id : undefined;
  return String(id ?? row.idempotencyKey ?? row.provider ?? row.endUser ?? row.memoryId ?? '');
}

function comparedRows(rows: Record<string, Row[]>): string[] {
  const compared = Object.entries(rows).filter(([table]) => !INDEX_TABLES.has(table));
  return compared.map(([table, found]) => {
    const isSame = (entry: [string, Value]) => isCompared(entry) && `${table} ${entry[0]}` !== RANDOM_COLUMN;
    const lines = found.map((row) => JSON.stringify(Object.entries(row).filter(isSame)));
    return `rows of ${table}: ${lines.sort().join('\n')}`;
  });
}

function isCompared([column, value]: [string, Value]): boolean {
  return !NOT_COMPARED.has(column) && !(column === 'id' && typeof value === 'number');
}
