import { get } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { holdWriteLock } from '../db/lock-holder.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { onPostgres } from '../helpers/postgres/folder-databases.ts';
import { expectRateHeaders } from './headers-expected.ts';

let daemon: TestDaemon;

beforeAll(async () => {
  daemon = await startTestDaemon({ config: { metricsToken: 'watch-me-0123456789' } });
});

afterAll(() => daemon.close());

beforeEach(() => {
  // Refills the rate limits.
  daemon.clock.advance(120_000);
});

const limitPages = (pages: number) =>
  daemon.db.writes.write('daemon', (connection) => connection.exec(`PRAGMA max_page_count = ${pages}`));

describe('health', () => {
  test('/healthz and /readyz need no key and carry the rate limit headers', async () => {
    for (const path of ['/healthz', '/readyz']) {
      const answer = await daemon.call(undefined, path);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('x-ratelimit-limit')).toMatch(/^\d+$/);
    }
    expect((await daemon.call(undefined, '/readyz')).body).toEqual({
      status: 'ready',
      checks: { accepting: 'ok', database: 'ok', disk: 'ok', ...(onPostgres && { clock: 'ok' }) },
    });
  });

  test('probes take no token and share one write per second', async () => {
    await Promise.all(Array.from({ length: 300 }, () => daemon.call(undefined, '/readyz')));
    const after = await daemon.call(undefined, '/readyz');
    expect(after.status).toBe(200);
    expect(after.headers.get('x-ratelimit-remaining')).toBe(after.headers.get('x-ratelimit-limit'));
  });

  test.skipIf(onPostgres)(
    'while another process locks the database, writes get 503, reads and searches work; afterwards the daemon is ready again (row 55)',
    async () => {
      const { apiKey } = await daemon.signIn('ada@example.com');
      const added = await daemon.call<{ id: string }>(apiKey, '/v1/memories', { body: { content: 'Ada likes tea' } });
      // A server waits five seconds for the lock.
      await daemon.db.writes.write('daemon', (connection) => connection.exec('PRAGMA busy_timeout = 2000'));
      const holder = await holdWriteLock(`${daemon.folder}/svc.db`);
      try {
        daemon.clock.advance(1100);
        let isRefused = false;
        const write = daemon.call(apiKey, '/v1/memories', { body: { content: 'Ada likes coffee' } });
        write.then(() => {
          isRefused = true;
        });
        const ready = daemon.call(undefined, '/readyz');
        expect((await daemon.call(undefined, '/healthz')).status).toBe(200);
        expect((await daemon.call(apiKey, `/v1/memories/${added.body.id}`)).status).toBe(200);
        expect((await daemon.call(apiKey, '/v1/memories')).status).toBe(200);
        expect(isRefused).toBe(false);
        const search = daemon.call<{ results: { id: string }[] }>(apiKey, '/v1/search', { body: { query: 'tea' } });
        const refused = await write;
        expect(refused.status).toBe(503);
        expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
        const notReady = await ready;
        expect(notReady.headers.get('content-type')).toMatch(/^application\/problem\+json/);
        expect(notReady).toMatchObject({
          status: 503,
          body: {
            type: 'urn:svc:problem:unavailable',
            status: 503,
            code: 'unavailable',
            detail: 'Not ready: database: not writable.',
            checks: { accepting: 'ok', database: 'not writable', disk: 'ok' },
          },
        });
        expectRateHeaders(notReady.headers, '/readyz');
        expect(await search).toMatchObject({ status: 200, body: { results: [{ id: added.body.id }] } });
      } finally {
        await holder.release();
      }
      daemon.clock.advance(1100);
      expect((await daemon.call(undefined, '/readyz')).status).toBe(200);
      const again = await daemon.call(apiKey, '/v1/memories', { body: { content: 'Ada likes coffee' } });
      expect(again.status).toBe(201);
    },
  );

  test.skipIf(onPostgres)(
    'a full disk returns 507 while reads work; once space is freed writes work, and no acknowledged write is lost',
    async () => {
      const { apiKey } = await daemon.signIn('grace@example.com');
      const loggedBefore = daemon.logLines.length;
      const add = (content: string) => daemon.call<{ id: string }>(apiKey, '/v1/memories', { body: { content } });
      const kept = await add('Ada likes tea');
      const [{ page_count: pages } = { page_count: 0 }] = await daemon.db.readers.all<{ page_count: number }>(
        'PRAGMA page_count',
      );
      await limitPages(pages);
      expect((await add('x'.repeat(30_000))).status).toBe(507);
      const lines = daemon.logLines.slice(loggedBefore).map((line) => JSON.parse(line));
      const logged = lines.filter(({ level }) => level >= 50);
      expect(logged).toMatchObject([{ msg: 'request refused: the disk is full' }]);
      expect((await daemon.call(apiKey, `/v1/memories/${kept.body.id}`)).status).toBe(200);
      await limitPages(1_000_000);
      const later = await add('x'.repeat(30_000));
      expect(later.status).toBe(201);
      expect((await daemon.call(apiKey, `/v1/memories/${kept.body.id}`)).status).toBe(200);
    },
  );
});

describe('metrics', () => {
  const metrics = (headers: Record<string, string> = {}) => daemon.call(undefined, '/metrics', { headers });

  test('include requests by route, group commits and queues', async () => {
    await daemon.call(undefined, '/v1/nothing-here');
    const { status, text } = await metrics();
    expect(status).toBe(200);
    expect(text).toContain('svc_http_request_duration_seconds_count{method="GET",route="none",status="404"} 1');
    for (const name of ['svc_group_commit_writes', 'svc_writes_waiting', 'svc_reads_waiting', 'svc_mails_pending 0']) {
      expect(text).toContain(name);
    }
    expect(text).not.toContain('nothing-here');
  });

  test.each([
    'x-forwarded-for',
    'forwarded',
    'via',
    'x-real-ip',
    'x-forwarded-host',
    'x-forwarded-port',
    'cf-connecting-ip',
  ])('require the token through a proxy (%s)', async (name) => {
    expect((await metrics({ [name]: '203.0.113.9' })).status).toBe(403);
    expect((await metrics({ [name]: '203.0.113.9', authorization: 'Bearer wrong' })).status).toBe(403);
    const right = await metrics({ [name]: '203.0.113.9', authorization: 'Bearer watch-me-0123456789' });
    expect(right.status).toBe(200);
  });

  test('require the token if the request names a network host, as behind a proxy that preserves the Host header', async () => {
    const statusFor = (host: string, authorization = 'none') =>
      new Promise<number | undefined>((resolve, reject) => {
        const { port } = new URL(daemon.baseUrl);
        get({ host: '127.0.0.1', port, path: '/metrics', headers: { host, authorization } }, (response) => {
          response.resume();
          resolve(response.statusCode);
        }).on('error', reject);
      });
    for (const host of ['localhost', 'localhost:8787', '127.0.0.1:8787', '[::1]:8787', '127.0.1.1']) {
      expect([host, await statusFor(host)]).toEqual([host, 200]);
    }
    for (const host of ['memory.example.com', 'localhost.example.com', '203.0.113.9', '127.0.0.1.example.com']) {
      expect([host, await statusFor(host)]).toEqual([host, 403]);
      expect([host, await statusFor(host, 'Bearer watch-me-0123456789')]).toEqual([host, 200]);
    }
  });

  test('are served even if one cannot be read', async () => {
    daemon.metrics.gauge('svc_broken', 'Breaks', () => Promise.reject(new Error('broken')));
    daemon.metrics.gauge('svc_broken_at_once', 'Breaks', () => {
      throw new Error('broken');
    });
    const { status, text } = await metrics();
    expect(status).toBe(200);
    expect(text).toContain('svc_broken Nan');
    // The daemon may be writing at this moment.
    await expect.poll(async () => (await metrics()).text).toContain('svc_writes_waiting 0');
  });
});
