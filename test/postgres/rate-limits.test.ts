import { createClient } from '@redis/client';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { createTestClock, type TestClock } from '../helpers/clock.ts';
import { type Answer, startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { dropDatabase, ensureDatabase } from '../helpers/postgres/databases.ts';
import { type RedisServer, startRedis } from '../helpers/redis.ts';
import { startTcpRelay, type TcpRelay } from '../helpers/tcp-relay.ts';

// Two daemons serve one database and are asked at the same time. Their clock stands still, so that nothing is refilled.

let databaseUrl: string;
const clock: TestClock = createTestClock();
let daemons: TestDaemon[] = [];
let accounts = 0;

beforeAll(async () => {
  const { adminUrl, template } = inject('postgres');
  databaseUrl = await ensureDatabase(adminUrl, 'ratelimits', template);
  clock.freeze();
});

afterAll(() => dropDatabase(inject('postgres').adminUrl, 'ratelimits'));

beforeEach(() => {
  clock.advance(120_000);
});

async function closeAll(): Promise<void> {
  await Promise.all(daemons.splice(0).map((daemon) => daemon.close()));
}

/** Starts two daemons that know of each other. */
async function startTwo(redisUrl?: string, url = databaseUrl): Promise<void> {
  const start = () => startTestDaemon({ clock, databaseUrl: url, config: { redisUrl } });
  daemons = [await start(), await start()];
  for (const daemon of daemons) await untilMetric(daemon, 'svc_daemons', 2);
}

async function metric(daemon: TestDaemon, name: string): Promise<number> {
  const { text } = await daemon.call(undefined, '/metrics');
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
}

function untilMetric(daemon: TestDaemon, name: string, value: number): Promise<void> {
  return vi.waitFor(async () => expect(await metric(daemon, name)).toBe(value), { timeout: 10_000, interval: 50 });
}

/** A new account's key; all buckets are full again. */
async function newKey({ signIn }: TestDaemon): Promise<string> {
  accounts += 1;
  const { apiKey } = await signIn(`limited${accounts}@example.com`);
  clock.advance(120_000);
  return apiKey;
}

/** The answers of `count` requests at once to each daemon. */
async function ask(count: number, request: (daemon: TestDaemon) => Promise<Answer>): Promise<Answer[][]> {
  return Promise.all(daemons.map((daemon) => Promise.all(Array.from({ length: count }, () => request(daemon)))));
}

const readAccount = (apiKey: string) => (daemon: TestDaemon) => daemon.call(apiKey, '/v1/account');
const statuses = (answers: Answer[]) => [...new Set(answers.map(({ status }) => status))].sort();
const admitted = (answers: Answer[]) => answers.filter(({ status }) => status !== 429);
const remaining = ({ headers }: Answer) => Number(headers.get('x-ratelimit-remaining'));
const logged = ({ logLines }: TestDaemon, text: string) => logLines.filter((line) => line.includes(text)).length;
const LOST = 'rate limits are not shared';
const BACK = 'rate limits are shared by all daemons again';

async function expectExactly120(apiKey: string, count = 80): Promise<void> {
  const answers = (await ask(count, readAccount(apiKey))).flat();
  const left = admitted(answers)
    .map(remaining)
    .sort((one, other) => one - other);
  expect(statuses(answers)).toEqual([200, 429]);
  expect(left).toEqual(Array.from({ length: 120 }, (_, index) => index));
}

describe.each(['PostgreSQL', 'Redis'])('counted in %s', (server) => {
  let redis: RedisServer | undefined;
  beforeAll(async () => {
    redis = server === 'Redis' ? await startRedis() : undefined;
    await startTwo(redis?.url);
  });

  afterAll(async () => {
    await closeAll();
    await redis?.close();
  });

  test('a Free account gets exactly 120 of the requests that it sends to two daemons at once', async () => {
    const apiKey = await newKey(daemons[0]!);
    await expectExactly120(apiKey, 200);
    for (const daemon of daemons) expect(await metric(daemon, 'svc_rate_limits_local_total')).toBe(0);
  });

  test('an address gets 120 requests with a dead key and 30 sign-ins, whichever daemon it asks', async () => {
    const dead = await ask(100, readAccount(`svc_live_${'0'.repeat(32)}`));
    expect(admitted(dead.flat())).toHaveLength(120);
    const signIns = await ask(20, (daemon) =>
      daemon.call(undefined, '/v1/auth/token', { body: { code: 'ABCD-2345', codeVerifier: 'v'.repeat(43) } }),
    );
    expect(admitted(signIns.flat())).toHaveLength(30);
  });
});

describe('two daemons', () => {
  beforeAll(() => startTwo());
  afterAll(closeAll);

  test('mail an address three links, however many it requests from both at once', async () => {
    const email = 'mailbox@example.com';
    const answers = await ask(8, ({ call }) => call(undefined, '/v1/auth/magic-link', { body: { email } }));
    expect(statuses(answers.flat())).toEqual([202]);
    const mailed = async () => (await Promise.all(daemons.map(({ mailbox }) => mailbox.mailsTo(email)))).flat().length;
    await expect.poll(mailed).toBe(3);
  });

  test('count each other until one stops', async () => {
    const third = await startTestDaemon({ clock, databaseUrl });
    for (const daemon of daemons) await untilMetric(daemon, 'svc_daemons', 3);
    await third.close();
    for (const daemon of daemons) await untilMetric(daemon, 'svc_daemons', 2);
  });
});

describe('when Redis', () => {
  let redis: RedisServer;
  let relay: TcpRelay;

  beforeAll(async () => {
    redis = await startRedis();
    relay = await startTcpRelay(redis.port);
    await startTwo(`redis://127.0.0.1:${relay.port}`);
  });

  afterAll(async () => {
    await closeAll();
    await relay.close();
    await redis.close();
  });

  beforeEach(async () => {
    await expectShared();
    for (const { logLines } of daemons) logLines.length = 0;
  });

  async function expectShared(): Promise<void> {
    for (const daemon of daemons) {
      await untilMetric(daemon, 'svc_rate_limits_shared', 1);
      // Another that stopped had its share.
      await untilMetric(daemon, 'svc_daemons', 2);
    }
  }

  const faults: [what: string, fail: () => unknown, repair: () => unknown][] = [
    ['is gone', () => redis.kill(), () => redis.start()],
    ['hangs', () => redis.pause(), () => redis.resume()],
    ['takes a second', () => relay.disturb({ delayMs: 500 }), () => relay.disturb({})],
    ['is behind a black hole', () => relay.disturb({ blackHole: true }), () => relay.disturb({})],
  ];

  test.each(faults)(
    '%s, each of two daemons allows half, stays ready, and shares again afterwards',
    async (_, fail, repair) => {
      const apiKey = await newKey(daemons[0]!);
      clock.advance(120_000);
      // Under load an answer that came too late before this fault is no part of it.
      await expectShared();
      for (const { logLines } of daemons) logLines.length = 0;
      await fail();
      onTestFinished(async () => {
        await repair();
      });
      const [answers, others] = (await ask(80, readAccount(apiKey))) as [Answer[], Answer[]];
      expect([...new Set([...statuses(answers), ...statuses(others)])]).toEqual([200, 429]);
      expect([admitted(answers).length, admitted(others).length]).toEqual([60, 60]);
      expect(answers[0]!.headers.get('x-ratelimit-limit')).toBe('120');
      for (const daemon of daemons) {
        expect(await metric(daemon, 'svc_rate_limits_shared')).toBe(0);
        expect(await metric(daemon, 'svc_rate_limits_local_total')).toBeGreaterThanOrEqual(80);
        expect([logged(daemon, LOST), logged(daemon, BACK)]).toEqual([1, 0]);
      }

      await repair();
      for (const daemon of daemons) {
        await untilMetric(daemon, 'svc_rate_limits_shared', 1);
        expect([logged(daemon, LOST), logged(daemon, BACK)]).toEqual([1, 1]);
      }
      clock.advance(120_000);
      await expectExactly120(apiKey);
    },
  );

  test('is away, no request waits for it after the first', async () => {
    const apiKey = await newKey(daemons[0]!);
    redis.pause();
    onTestFinished(() => {
      redis.resume();
    });
    const msFor = async (requests: number) => {
      const startMs = performance.now();
      for (let count = 0; count < requests; count += 1) await readAccount(apiKey)(daemons[0]!);
      return performance.now() - startMs;
    };
    const waitedMs = await msFor(1);
    expect(await msFor(10)).toBeLessThan(8 * waitedMs);
  });

  test('is away, an account that has used its limit up gets no second burst', async () => {
    const apiKey = await newKey(daemons[0]!);
    await expectExactly120(apiKey);
    await redis.kill();
    expect(admitted((await ask(50, readAccount(apiKey))).flat())).toEqual([]);
    await redis.start();
  });

  test('is flushed with its scripts, limits restart from full buckets', async () => {
    const apiKey = await newKey(daemons[0]!);
    await expectExactly120(apiKey);
    const client = await createClient({ url: redis.url }).connect();
    await client.flushAll();
    await client.scriptFlush();
    await client.close();
    await expectExactly120(apiKey);
    for (const { logLines } of daemons) expect(logLines.filter((line) => line.includes(LOST))).toEqual([]);
  });

  test('is away when a daemon starts, the daemon starts and shares its limits later', async () => {
    await redis.kill();
    const late = await startTestDaemon({ clock, databaseUrl, config: { redisUrl: redis.url } });
    expect(logged(late, LOST)).toBe(1);
    expect(await metric(late, 'svc_rate_limits_shared')).toBe(0);
    expect((await late.call(undefined, '/docs')).status).toBe(200);
    await redis.start();
    await untilMetric(late, 'svc_rate_limits_shared', 1);
    await late.close();
  });
});

test('when PostgreSQL is gone, /v1 answers 503 with Retry-After and rate limit headers, and /healthz at once', async () => {
  const url = new URL(databaseUrl);
  const relay = await startTcpRelay(Number(url.port));
  url.port = String(relay.port);
  await startTwo(undefined, url.href);
  const daemon = daemons[0]!;
  const apiKey = await newKey(daemon);
  relay.disturb({ refuses: true });
  relay.cut();
  const answer = await daemon.call(apiKey, '/v1/account');
  expect(answer.status).toBe(503);
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(answer.headers.get('x-ratelimit-limit')).toBe('120');
  const startMs = performance.now();
  expect((await daemon.call(undefined, '/healthz')).status).toBe(200);
  expect(performance.now() - startMs).toBeLessThan(2000);

  relay.disturb({});
  await untilMetric(daemon, 'svc_rate_limits_shared', 1);
  await expect.poll(async () => (await daemon.call(apiKey, '/v1/account')).status).toBe(200);
  await closeAll();
  await relay.close();
});
