import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { makeTenant, setUsed, type Tenant, times } from '../features/limits/tenants.ts';
import { breakTable } from '../helpers/broken-tables.ts';
import { type CallOptions, startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { onPostgres } from '../helpers/postgres/folder-databases.ts';
import { expectProblem, expectRateHeaders } from './headers-expected.ts';

let daemon: TestDaemon;
let tenant: Tenant;

beforeAll(async () => {
  daemon = await startTestDaemon();
  daemon.clock.freeze();
  tenant = await makeTenant(daemon, 'headers@example.com', 'Pro');
});

afterAll(() => daemon.close());

beforeEach(() => daemon.clock.advance(120_000));

const call = (path: string, request: CallOptions = {}) => daemon.call(tenant.apiKey, path, request);
const anyone = (path: string, request: CallOptions = {}) => daemon.call(undefined, path, request);

describe('errors carry the headers', () => {
  test('429 for too many requests, with Retry-After, on every kind of route', async () => {
    const free = await makeTenant(daemon, 'limited@example.com');
    const paths = ['/v1/account', '/nothing', '/dashboard/nothing.js', '/v1/openapi.json', '/v1/mcp'];
    await times(120, () => daemon.call(free.apiKey, '/v1/account'));
    await times(120, () => anyone('/v1/account'));
    for (const apiKey of [free.apiKey, undefined]) {
      for (const path of paths) {
        const answer = await daemon.call(apiKey, path);
        expect(answer.status, path).toBe(429);
        expect(answer.body, path).toMatchObject({ code: 'rate_limited' });
        expectRateHeaders(answer.headers, path);
        expectProblem(answer);
        expect(answer.headers.get('retry-after'), path).toBe('1');
        expect(answer.headers.get('x-ratelimit-remaining'), path).toBe('0');
      }
    }
    for (const path of ['/healthz', '/readyz', '/metrics', '/dashboard', '/docs']) {
      expect((await anyone(path)).status, path).toBe(200);
    }
  });

  test('429 for too many sign-ins', async () => {
    const answers = await times(31, () => anyone('/v1/auth/magic-link', { body: { email: 'flood@example.com' } }));
    for (const { headers } of answers) expectRateHeaders(headers, 'sign-in');
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(1);
    expect(refused[0]!.headers.get('retry-after')).toBe('2');
  });

  test('429 for a quota that is used up', async () => {
    const { tenantId, apiKey } = await makeTenant(daemon, 'quota@example.com');
    await setUsed(daemon, tenantId, { day: new Date(daemon.clock.nowMs()).toISOString().slice(0, 10), memories: 5000 });
    const answer = await daemon.call(apiKey, '/v1/memories', { body: { content: 'tea' } });
    expect([answer.status, answer.body.code]).toEqual([429, 'quota_exceeded']);
    expectRateHeaders(answer.headers, 'quota');
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test('500 for a broken table, without revealing the cause', async () => {
    const { body } = await call('/v1/memories', { body: { content: 'tea' } });
    const memory = { path: `/v1/memories/${body.id}` };
    const repair = await breakTable(daemon, 'memoryTags');
    const broken = [
      await call('/v1/memories', { body: { content: 'secret tea', tags: ['secret'] } }),
      await call('/v1/memories?tag=secret'),
      await call(memory.path, { method: 'DELETE' }),
    ];
    await repair();
    for (const answer of broken) {
      expect(answer.status).toBe(500);
      expectRateHeaders(answer.headers, 'internal', 600);
      expectProblem(answer);
      expect(answer.body.code).toBe('internal');
      expect(answer.text).not.toMatch(/sql|table|memoryTags|\.ts|secret/i);
    }
    expect((await call(memory.path)).status).toBe(200);
    expect((await call('/v1/memories?tag=secret')).body.data).toEqual([]);
  });

  // A full disk under PostgreSQL needs a separate server: test/slow/postgres-disk.test.ts.
  test.skipIf(onPostgres)('507 while the storage is full, and writes work once it is not', async () => {
    const setMaximum = (pages: number) =>
      daemon.db.writes.write('daemon', (connection) => connection.all(`PRAGMA max_page_count = ${pages}`));
    await setMaximum(1);
    const memories = times(30, async (index) => ({ content: `${index} ${'x'.repeat(30_000)}` }));
    const body = { memories: await memories };
    const answer = await call('/v1/memories/batch', { body });
    await setMaximum(1_073_741_823);
    expect([answer.status, answer.body.code]).toEqual([507, 'storage_full']);
    expectRateHeaders(answer.headers, 'storage_full', 600);
    expectProblem(answer);
    expect((await call('/v1/memories/batch', { body })).status).toBe(201);
  });
});
