import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@redis/client';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test, vi } from 'vitest';
import { createSession } from '../../src/db/postgres/connection.ts';
import { openPostgresBuckets } from '../../src/features/limits/buckets-postgres.ts';
import { openRedisBuckets } from '../../src/features/limits/buckets-redis.ts';
import type { BucketStore } from '../../src/features/limits/buckets-shared.ts';
import { type Bucket, type BucketRule, takeToken } from '../../src/lib/token-bucket.ts';
import { dropDatabase, ensureDatabase } from '../helpers/postgres/databases.ts';
import { type RedisServer, startRedis } from '../helpers/redis.ts';
import { startTcpRelay } from '../helpers/tcp-relay.ts';

const FREE: BucketRule = { capacity: 120, refillPerSecond: 2 };
/** Refills nothing while a test runs. */
const NO_REFILL: BucketRule = { capacity: 120, refillPerSecond: 0.001 };

let redis: RedisServer;
let databaseUrl: string;
/** Ends the stores of a test with it: a store whose clock is ahead sweeps the buckets of other tests. */
let ending: AbortController;

beforeAll(async () => {
  const { adminUrl, template } = inject('postgres');
  databaseUrl = await ensureDatabase(adminUrl, 'buckets', template);
  redis = await startRedis();
});

beforeEach(() => {
  ending = new AbortController();
  setMaxListeners(0, ending.signal);
});

afterEach(() => ending.abort());

afterAll(async () => {
  await redis.close();
  await dropDatabase(inject('postgres').adminUrl, 'buckets');
});

function open(server: string, nowMs?: () => number): Promise<BucketStore> {
  return server === 'PostgreSQL'
    ? openPostgresBuckets(databaseUrl, ending.signal, nowMs)
    : openRedisBuckets(redis.url, ending.signal, nowMs);
}

describe.each(['PostgreSQL', 'Redis'])('buckets in %s', (server) => {
  test('decide exactly like those in memory, for any sequence of requests, tiers and clock steps', async () => {
    let nowMs = 0;
    const store = await open(server, () => nowMs);
    const rules = [FREE, { capacity: 600, refillPerSecond: 10 }, { capacity: 3, refillPerSecond: 0.7 }];
    const steps = fc.record({
      rule: fc.constantFrom(...rules),
      times: fc.constantFrom(1, 2, 7, 130),
      pauseMs: fc.constantFrom(0, 0.25, 499.9, 500, 1400, 5000, 70_000, -3000),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { maxLength: 12 }), async (schedule) => {
        const key = randomUUID();
        let bucket: Bucket | undefined;
        nowMs = 1_800_000_000_000.125;
        for (const { rule, times, pauseMs } of schedule) {
          nowMs += pauseMs;
          const taken = await Promise.all(Array.from({ length: times }, () => store.take(key, rule)));
          for (const { allowed, used } of taken) {
            const expected = takeToken(bucket, rule, nowMs);
            bucket = expected.bucket;
            expect(allowed).toBe(expected.allowed);
            expect(used).toBeCloseTo(expected.bucket.used, 6);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  test('admit exactly the limit when several daemons take at once', async () => {
    const daemons = await Promise.all([open(server), open(server), open(server)]);
    const key = randomUUID();
    const taken = await Promise.all(
      daemons.flatMap((store) => Array.from({ length: 200 }, () => store.take(key, NO_REFILL))),
    );
    expect(taken.filter(({ allowed }) => allowed)).toHaveLength(120);
    expect(Math.max(...taken.map(({ used }) => used))).toBeLessThanOrEqual(120);
  });

  test('are taken from without deadlocks by daemons that name many keys in any order', async () => {
    const daemons = await Promise.all([open(server), open(server)]);
    const keys = Array.from({ length: 100 }, () => randomUUID());
    const taken = daemons.flatMap((store, index) =>
      Array.from({ length: 10 }, () =>
        (index === 0 ? keys : keys.toReversed()).map((key) => store.take(key, FREE)),
      ).flat(),
    );
    expect((await Promise.all(taken)).every(({ allowed }) => allowed)).toBe(true);
  });

  test('refill on the clock of the server', async () => {
    const store = await open(server);
    const rule = { capacity: 1, refillPerSecond: 5 };
    const key = randomUUID();
    expect(await store.take(key, rule)).toMatchObject({ allowed: true });
    expect(await store.take(key, rule)).toMatchObject({ allowed: false });
    await expect.poll(async () => (await store.take(key, rule)).allowed).toBe(true);
  });
});

test('full buckets are deleted from PostgreSQL and expire in Redis, others stay', async () => {
  const startMs = Date.now();
  let nowMs = startMs;
  const store = await open('PostgreSQL', () => nowMs);
  const [full, used] = [randomUUID(), randomUUID()];
  await store.take(full, FREE);
  await store.take(used, NO_REFILL);
  nowMs += 1000;
  await open('PostgreSQL', () => nowMs);
  const session = createSession(databaseUrl);
  const kept = await session.all<{ key: string }>('SELECT key FROM buckets WHERE key IN (?, ?)', [full, used]);
  await session.close();
  expect(kept).toEqual([{ key: used }]);

  await (await open('Redis')).take(used, FREE);
  const client = await createClient({ url: redis.url }).connect();
  const leftMs = await client.pTTL(`svc:bucket:${used}`);
  await client.close();
  expect(leftMs).toBeGreaterThan(1000);
  expect(leftMs).toBeLessThan(12_000);
});

test('a Redis that never answers keeps no connection of a daemon that gave up', async () => {
  const black = await startTcpRelay(redis.port);
  black.disturb({ blackHole: true });
  const failing = new AbortController();
  const opening = openRedisBuckets(`redis://127.0.0.1:${black.port}`, failing.signal).catch(() => undefined);
  await sleep(300);
  expect(black.connections()).toBeGreaterThan(0);
  failing.abort();
  black.disturb({});
  await vi.waitFor(() => expect(black.connections()).toBe(0), 15_000);
  await opening;
  await black.close();
});
