import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { MASTER_KEY } from '../helpers/postgres/folder-databases.ts';
import { startPostgres } from '../helpers/postgres/server.ts';
import { callAt, createWorkplaces, type DaemonProcess, signInAt } from '../helpers/process.ts';
import { startTcpRelay, type TcpRelay } from '../helpers/tcp-relay.ts';

/**
 * The longest that a request may take: it waits for a statement of another (12 s), and then for its own connection (5 s).
 */
const MAX_ANSWER_MS = 20_000;
/** With a delay every statement of a write takes longer, and writes take turns. */
const MAX_DELAYED_ANSWER_MS = 45_000;
/** Until a daemon serves again after a fault: an attempt to connect that began during the fault ends first (5 s). */
const MAX_RECOVERY_MS = 12_000;

const places = createWorkplaces();
let relay: TcpRelay;
let databaseUrl: string;
/** Reaches PostgreSQL through the relay. */
let disturbed: DaemonProcess;
let undisturbed: DaemonProcess;
let apiKeys: string[];
let load: Load;
let countBefore: number;

beforeAll(async () => {
  const server = await startPostgres();
  places.endLater({ end: server.close });
  relay = await startTcpRelay(server.port);
  databaseUrl = await server.createDatabase();
  const throughRelay = databaseUrl.replace(`:${server.port}/`, `:${relay.port}/`);
  disturbed = await startDaemon(throughRelay);
  undisturbed = await startDaemon(databaseUrl);
  apiKeys = [await signInAt(disturbed, 'ada@example.com'), await signInAt(undisturbed, 'bob@example.com')];
});

afterAll(async () => {
  await relay.close();
  await places.clean();
});

async function startDaemon(url: string): Promise<DaemonProcess> {
  const masterKey = MASTER_KEY.toString('base64');
  const env = { SVC_DATABASE_URL: url, SVC_MASTER_KEY: masterKey, SVC_DEFAULT_TIER: 'Enterprise' };
  return places.start({ dataDir: await places.folder(), env });
}

interface Answered {
  by: DaemonProcess;
  status: number;
  /** `null` if the header is absent. */
  retryAfter: string | null;
  tookMs: number;
}

/** Writes and searches of both accounts at both daemons, until `stop`. */
function startLoad() {
  const answers: Answered[] = [];
  const stored: { apiKey: string; path: string; content: string }[] = [];
  let isStopping = false;

  async function call(by: DaemonProcess, apiKey: string, path: string, request: Parameters<typeof callAt>[3]) {
    const startMs = performance.now();
    const answer = await callAt(by.url, apiKey, path, request);
    const tookMs = performance.now() - startMs;
    answers.push({ by, status: answer.status, retryAfter: answer.headers.get('retry-after'), tookMs });
    await sleep(answer.status < 300 ? 50 : 500);
    return answer;
  }

  /** Repeats each write under its idempotency key until it is acknowledged. */
  async function write(by: DaemonProcess, apiKey: string, name: string): Promise<void> {
    for (let count = 0; !isStopping; count += 1) {
      const content = `${name} remembers number ${count}`;
      const request = { body: { content }, headers: { 'idempotency-key': `${name}-${count}` } };
      let answer = await call(by, apiKey, '/v1/memories', request);
      while (answer.status !== 201) answer = await call(by, apiKey, '/v1/memories', request);
      stored.push({ apiKey, path: `/v1/memories/${answer.body.id}`, content });
    }
  }

  async function search(by: DaemonProcess, apiKey: string): Promise<void> {
    while (!isStopping) await call(by, apiKey, '/v1/search', { body: { query: 'who remembers?' } });
  }

  const name = `load ${Math.random()}`;
  const working = Promise.all(
    [disturbed, undisturbed].flatMap((by, at) =>
      apiKeys.flatMap((apiKey, tenant) => [
        write(by, apiKey, `${name} ${at} ${tenant}`),
        write(by, apiKey, `${name} ${at} ${tenant} too`),
        search(by, apiKey),
      ]),
    ),
  );
  return {
    answers,
    stored,
    storedBy: (by: DaemonProcess) => answers.filter((answer) => answer.by === by && answer.status === 201).length,
    async stop() {
      isStopping = true;
      await working;
    },
  };
}

type Load = ReturnType<typeof startLoad>;

async function untilStored(load: Load, by: DaemonProcess, timeoutMs: number): Promise<void> {
  const before = load.storedBy(by);
  await vi.waitFor(() => expect(load.storedBy(by)).toBeGreaterThan(before + 1), { timeout: timeoutMs, interval: 20 });
}

async function countMemories(): Promise<number> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    await client.query(`SET svc.tenants = '*'`);
    return (await client.query('SELECT COUNT(*)::int AS count FROM memories')).rows[0].count;
  } finally {
    await client.end();
  }
}

/** Every request got an answer in time; what was refused says when to try again; what was acknowledged is there once. */
async function expectKept({ answers, stored, stop }: Load, maxAnswerMs = MAX_ANSWER_MS): Promise<void> {
  await stop();
  const slowestMs = Math.max(...answers.map(({ tookMs }) => tookMs));
  const statuses = [...new Set(answers.map(({ status }) => status))];
  const summary = statuses.map((of) => `${answers.filter(({ status }) => status === of).length} × ${of}`);
  console.info(`${summary.join(', ')}; slowest ${Math.round(slowestMs)} ms`);
  expect(slowestMs).toBeLessThan(maxAnswerMs);
  for (const { status, retryAfter } of answers.filter((answer) => answer.status >= 300)) {
    // While a key cannot be checked, its requests count as those of a stranger.
    expect(status).toBeOneOf([503, 429]);
    expect(Number(retryAfter)).toBeGreaterThan(0);
  }
  for (const { apiKey, path, content } of stored) {
    const { status, body } = await callAt(undisturbed.url, apiKey, path);
    expect({ status, content: body.content }).toEqual({ status: 200, content });
  }
  expect((await countMemories()) - countBefore).toBe(stored.length);
}

const refusals = ({ answers }: Load, by: DaemonProcess) =>
  answers.filter((answer) => answer.by === by && answer.status === 503).length;

/** The daemon is alive but says that it cannot serve, and why. */
async function expectNotReady(): Promise<void> {
  const startMs = performance.now();
  expect((await callAt(disturbed.url, '', '/healthz')).status).toBe(200);
  expect(performance.now() - startMs).toBeLessThan(2000);
  // An earlier result is reported for a second.
  const reason = { detail: expect.stringContaining('database: not writable') };
  const isNotReady = async () =>
    expect(await callAt(disturbed.url, '', '/readyz')).toMatchObject({ status: 503, body: reason });
  await vi.waitFor(isNotReady, { timeout: MAX_ANSWER_MS, interval: 200 });
}

async function expectReady(daemon: DaemonProcess, timeoutMs: number): Promise<void> {
  const isReady = async () =>
    expect(await callAt(daemon.url, '', '/readyz')).toMatchObject({ body: { status: 'ready' } });
  await vi.waitFor(isReady, { timeout: timeoutMs, interval: 200 });
}

beforeEach(async () => {
  countBefore = await countMemories();
  load = startLoad();
  await untilStored(load, disturbed, 20_000);
});

afterEach(async () => {
  relay.disturb({});
  await load.stop();
});

describe('between one of two daemons and PostgreSQL (row 86)', () => {
  test('a cut is answered with 503 until the network is back; the other daemon is not affected', async () => {
    relay.disturb({ refuses: true });
    relay.cut();
    await expectNotReady();
    await untilStored(load, undisturbed, 10_000);
    await expectReady(undisturbed, 1000);
    expect(refusals(load, disturbed)).toBeGreaterThan(0);
    relay.disturb({});
    await untilStored(load, disturbed, MAX_RECOVERY_MS);
    await expectReady(disturbed, 5000);
    await expectKept(load);
  });

  test.each([
    ['shorter than the timeouts', 4000],
    ['longer than the timeouts', 14_000],
  ])('a black hole %s does not hold a request for long; the other daemon is not affected', async (_, lastsMs) => {
    relay.disturb({ blackHole: true });
    const isLong = lastsMs > 10_000;
    await Promise.all([sleep(lastsMs), isLong && expectNotReady(), untilStored(load, undisturbed, MAX_ANSWER_MS)]);
    // Which request was on its way decides when the first of them gives up.
    const isRefused = () => expect(refusals(load, disturbed)).toBeGreaterThan(0);
    if (isLong) await vi.waitFor(isRefused, { timeout: MAX_ANSWER_MS, interval: 200 });
    relay.disturb({});
    await untilStored(load, disturbed, MAX_RECOVERY_MS);
    await expectReady(disturbed, 5000);
    await expectKept(load);
  });

  test('a delay of 100 ms each way slows requests down and loses none', async () => {
    relay.disturb({ delayMs: 100 });
    await untilStored(load, disturbed, MAX_DELAYED_ANSWER_MS);
    await untilStored(load, undisturbed, MAX_DELAYED_ANSWER_MS);
    await expectReady(disturbed, MAX_DELAYED_ANSWER_MS);
    relay.disturb({});
    await expectKept(load, MAX_DELAYED_ANSWER_MS);
  });
});
