import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Account } from '../../../src/contract/account.ts';
import type { Tier } from '../../../src/contract/limits.ts';
import { type Answer, type CallOptions, startTestDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { countByStatus, makeTenant, setUsed, type Tenant, times } from './tenants.ts';

const DAY = '2026-05-20';
const NOON = Date.parse(`${DAY}T12:00:00Z`);
let daemon: TestDaemon;

beforeAll(async () => {
  daemon = await startTestDaemon();
  daemon.clock.freeze();
});

afterAll(() => daemon.close());

beforeEach(() => {
  daemon.clock.advance(120_000);
  daemon.clock.setWall(NOON);
});

let sequence = 0;
/** Creates a tenant with this much quota left. */
async function tenantWithLeft(left: { memories?: number; queries?: number }, tier: Tier = 'Pro'): Promise<Tenant> {
  const tenant = await makeTenant(daemon, `quota-${sequence++}@example.com`, tier);
  const [memories, queries] = tier === 'Pro' ? [100_000, 1_000_000] : [5000, 50_000];
  await setUsed(daemon, tenant.tenantId, {
    day: DAY,
    memories: left.memories === undefined ? 0 : memories - left.memories,
    queries: left.queries === undefined ? 0 : queries - left.queries,
  });
  return tenant;
}

const quotas = async ({ apiKey }: Tenant) => (await daemon.call<Account>(apiKey, '/v1/account')).body.quotas;
const memoriesLeft = async (tenant: Tenant) => {
  const { limit, used } = (await quotas(tenant)).dailyMemories;
  return limit! - used;
};
const queriesLeft = async (tenant: Tenant) => {
  const { limit, used } = (await quotas(tenant)).monthlyQueries;
  return limit! - used;
};
const add = ({ apiKey }: Tenant, content: string, request: CallOptions = {}) =>
  daemon.call(apiKey, '/v1/memories', { body: { content }, ...request });
const addBatch = ({ apiKey }: Tenant, contents: readonly string[]) =>
  daemon.call(apiKey, '/v1/memories/batch', { body: { memories: contents.map((content) => ({ content })) } });
const search = ({ apiKey }: Tenant, body: object = { query: 'tea' }) => daemon.call(apiKey, '/v1/search', { body });
const listed = async ({ apiKey }: Tenant) =>
  (await daemon.call<{ data: unknown[] }>(apiKey, '/v1/memories?limit=200')).body.data.length;

describe('memories', () => {
  test('that are stored already are duplicates, also beyond a quota that was lowered', async () => {
    const tenant = await tenantWithLeft({ memories: 1 });
    expect((await add(tenant, 'Ada drinks tea')).status).toBe(201);
    await setUsed(daemon, tenant.tenantId, { day: DAY, memories: 100_007 });
    expect((await add(tenant, 'Ada drinks tea')).body).toMatchObject({ duplicate: true });
    expect((await addBatch(tenant, ['Ada drinks tea'])).status).toBe(201);
    expect((await add(tenant, 'Ada rows')).status).toBe(429);
  });

  test('with one left, exactly one of fifty concurrent writes succeeds', async () => {
    const tenant = await tenantWithLeft({ memories: 1 });
    const answers = await times(50, (index) => add(tenant, `memory ${index}`));
    expect(countByStatus(answers)).toEqual({ 201: 1, 429: 49 });
    expect(await listed(tenant)).toBe(1);
    expect(await memoriesLeft(tenant)).toBe(0);
    const refused = answers.find(({ status }) => status === 429)!;
    expect(refused.body).toMatchObject({
      code: 'quota_exceeded',
      quota: 'dailyMemories',
      limit: 100_000,
      used: 100_000,
      resetsAt: '2026-05-21T00:00:00.000Z',
    });
    expect(refused.headers.get('retry-after')).toBe(String(12 * 3600));
  });

  test('a tenant at its quota does not affect tenants whose writes share its transactions', async () => {
    const full = await tenantWithLeft({ memories: 0 });
    const rightful = await tenantWithLeft({ memories: 20 });
    const answers = await times(40, (index) => add(index % 2 ? full : rightful, `memory ${index}`));
    expect(countByStatus(answers)).toEqual({ 201: 20, 429: 20 });
    expect(await memoriesLeft(rightful)).toBe(0);
  });

  test('a batch is stored entirely or not at all', async () => {
    const tenant = await tenantWithLeft({ memories: 3 });
    expect((await addBatch(tenant, ['a', 'b', 'c', 'd'])).status).toBe(429);
    expect(await listed(tenant)).toBe(0);
    expect(await memoriesLeft(tenant)).toBe(3);
    expect((await addBatch(tenant, ['a', 'b', 'c'])).status).toBe(201);
    expect(await memoriesLeft(tenant)).toBe(0);
  });

  test('concurrent batches together use no more than is left', async () => {
    const tenant = await tenantWithLeft({ memories: 10 });
    const answers = await times(20, (index) => addBatch(tenant, [`${index} a`, `${index} b`, `${index} c`]));
    expect(countByStatus(answers)).toEqual({ 201: 3, 429: 17 });
    expect(await memoriesLeft(tenant)).toBe(1);
    expect(await listed(tenant)).toBe(9);
  });

  test('rejected requests, duplicates and replays do not count', async () => {
    const tenant = await tenantWithLeft({ memories: 2 });
    const headers = { 'idempotency-key': 'once' };
    expect((await add(tenant, 'tea', { headers })).status).toBe(201);
    const uncounted: [string, Answer][] = [
      ['duplicate', await add(tenant, ' TEA ')],
      ['replay', await add(tenant, 'tea', { headers })],
      ['another body', await add(tenant, 'coffee', { headers })],
      ['no content', await daemon.call(tenant.apiKey, '/v1/memories', { body: {} })],
      ['unknown field', await daemon.call(tenant.apiKey, '/v1/memories', { body: { content: 'x', owner: 'y' } })],
      ['bad date', await daemon.call(tenant.apiKey, '/v1/memories', { body: { content: 'x', occurredAt: 'now' } })],
      [
        'unknown memory',
        await daemon.call(tenant.apiKey, '/v1/memories', { body: { content: 'x', supersedes: 'mem_0' } }),
      ],
      ['bad JSON', await daemon.call(tenant.apiKey, '/v1/memories', { body: '{' })],
      ['batch of duplicates', await addBatch(tenant, ['tea', 'Tea', 'tea '])],
      ['empty batch', await addBatch(tenant, [])],
    ];
    expect(uncounted.map(([name, { status }]) => [name, status])).toEqual([
      ['duplicate', 200],
      ['replay', 201],
      ['another body', 422],
      ['no content', 400],
      ['unknown field', 400],
      ['bad date', 400],
      ['unknown memory', 404],
      ['bad JSON', 400],
      ['batch of duplicates', 201],
      ['empty batch', 400],
    ]);
    expect(await memoriesLeft(tenant)).toBe(1);
    expect((await addBatch(tenant, ['milk', 'MILK', 'tea'])).status).toBe(201);
    expect(await memoriesLeft(tenant)).toBe(0);
  });

  test('with none left, duplicates, replays, reads, changes and deletions still pass', async () => {
    const tenant = await tenantWithLeft({ memories: 1 });
    const headers = { 'idempotency-key': 'last' };
    const { body } = await add(tenant, 'tea', { headers });
    expect((await add(tenant, 'coffee')).status).toBe(429);
    expect((await add(tenant, 'tea')).status).toBe(200);
    expect((await add(tenant, 'tea', { headers })).status).toBe(201);
    const path = `/v1/memories/${body.id}`;
    expect((await daemon.call(tenant.apiKey, path, { method: 'PATCH', body: { content: 'green tea' } })).status).toBe(
      200,
    );
    expect((await search(tenant)).status).toBe(200);
    expect((await daemon.call(tenant.apiKey, path, { method: 'DELETE' })).status).toBe(204);
    // A memory created today counts today even after deletion.
    expect(await memoriesLeft(tenant)).toBe(0);
    expect((await add(tenant, 'coffee')).status).toBe(429);
  });

  test('a quota error is not stored under its idempotency key: the same request succeeds after the reset', async () => {
    const tenant = await tenantWithLeft({ memories: 0 });
    const headers = { 'idempotency-key': 'again' };
    expect((await add(tenant, 'tea', { headers })).status).toBe(429);
    daemon.clock.setWall(Date.parse('2026-05-21T00:00:00Z'));
    expect((await add(tenant, 'tea', { headers })).status).toBe(201);
  });

  test('MCP calls count against the same quota', async () => {
    const tenant = await tenantWithLeft({ memories: 1 });
    const headers = { accept: 'application/json, text/event-stream' };
    const remember = (content: string) =>
      daemon.call(tenant.apiKey, '/v1/mcp', {
        headers,
        body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'memory_add', arguments: { content } } },
      });
    expect((await remember('tea')).text).not.toContain('"isError":true');
    expect((await remember('coffee')).text).toContain('"isError":true');
    expect(await listed(tenant)).toBe(1);
    expect((await add(tenant, 'milk')).status).toBe(429);
  });
});

describe('queries', () => {
  test('with one left, exactly one of fifty concurrent searches succeeds', async () => {
    const tenant = await tenantWithLeft({ queries: 1 });
    const answers = await times(50, () => search(tenant));
    expect(countByStatus(answers)).toEqual({ 200: 1, 429: 49 });
    expect(await queriesLeft(tenant)).toBe(0);
    expect(answers.find(({ status }) => status === 429)!.body).toMatchObject({
      code: 'quota_exceeded',
      quota: 'monthlyQueries',
      limit: 1_000_000,
      used: 1_000_000,
      resetsAt: '2026-06-01T00:00:00.000Z',
    });
    expect((await add(tenant, 'tea')).status).toBe(201);
  });

  test('a search and a context call count one each, with or without results', async () => {
    const tenant = await tenantWithLeft({ queries: 4 });
    await add(tenant, 'tea');
    const context = (query: string) => daemon.call(tenant.apiKey, '/v1/context', { body: { query } });
    const answers = [
      await search(tenant),
      await search(tenant, { query: 'zebra' }),
      await context('tea'),
      await context('zebra'),
    ];
    expect(countByStatus(answers)).toEqual({ 200: 4 });
    expect(await queriesLeft(tenant)).toBe(0);
    expect((await context('tea')).status).toBe(429);
    expect((await search(tenant)).status).toBe(429);
  });

  test.each([
    ['without a query', {}],
    ['with a query that is not a string', { query: 5 }],
    ['with an unknown field', { query: 'tea', tenantId: 'ten_1' }],
    ['with an asOf that is not a timestamp', { query: 'tea', asOf: 'yesterday' }],
    ['with a leap second in asOf', { query: 'tea', asOf: '2026-12-31T23:59:60Z' }],
    ['with a leap second in a filter', { query: 'tea', filter: { after: '2026-12-31T23:59:60Z' } }],
    ['with limit 0', { query: 'tea', limit: 0 }],
  ])('a search %s fails and does not count', async (_, body) => {
    const tenant = await tenantWithLeft({ queries: 1 });
    expect((await search(tenant, body)).status).toBe(400);
    expect(await queriesLeft(tenant)).toBe(1);
    expect((await search(tenant)).status).toBe(200);
  });

  test('refunds a query that failed, even if midnight has passed', async () => {
    const tenant = await tenantWithLeft({ queries: 1 });
    const counted = { tenantId: tenant.tenantId, tier: 'Pro' as const };
    daemon.clock.setWall(Date.parse('2026-05-31T23:59:59.999Z'));
    await daemon.usage.takeQuery(counted);
    expect(await queriesLeft(tenant)).toBe(0);
    daemon.clock.setWall(Date.parse('2026-06-01T00:00:00.000Z'));
    await daemon.usage.refundQuery(counted);
    const { days } = await daemon.usage.days(counted, 30);
    expect(days.map(({ queries }) => queries).filter((queries) => queries < 0)).toEqual([]);
    expect((await quotas(tenant)).monthlyQueries.used).toBe(0);
    daemon.clock.setWall(Date.parse('2026-05-31T23:59:59.999Z'));
    expect(await queriesLeft(tenant)).toBe(1);
  });

  test('without a quota are refunded on the day on which they counted', async () => {
    const { tenantId } = await tenantWithLeft({}, 'Enterprise');
    const counted = { tenantId, tier: 'Enterprise' as const };
    daemon.clock.setWall(Date.parse('2026-05-20T23:59:59.999Z'));
    await daemon.usage.takeQuery(counted);
    await daemon.usage.flushRequests();
    daemon.clock.setWall(Date.parse('2026-05-21T00:00:00.000Z'));
    await daemon.usage.refundQuery(counted);
    await daemon.usage.flushRequests();
    const { days } = await daemon.usage.days(counted, 30);
    expect(days.map(({ queries }) => queries).filter((queries) => queries !== 0)).toEqual([]);
  });

  test('are reported while they are being written, too', async () => {
    const tenant = await tenantWithLeft({});
    for (let count = 0; count < 3; count += 1) await search(tenant);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const writing = daemon.db.writes.write('daemon', () => held);
    const flushing = daemon.usage.flushRequests();
    const meanwhile = await quotas(tenant).finally(release);
    expect(meanwhile.monthlyQueries.used).toBe(3);
    await Promise.all([writing, flushing]);
    expect((await quotas(tenant)).monthlyQueries.used).toBe(3);
  });

  test('refunding a query that was never taken changes nothing', async () => {
    const tenant = await tenantWithLeft({});
    await daemon.usage.refundQuery({ tenantId: tenant.tenantId, tier: 'Pro' });
    expect((await quotas(tenant)).monthlyQueries.used).toBe(0);
  });
});

describe('changing the tier', () => {
  test('applies the new quota immediately and keeps usage', async () => {
    const tenant = await tenantWithLeft({ memories: 0, queries: 0 }, 'Free');
    expect((await add(tenant, 'tea')).status).toBe(429);
    await daemon.accounts.setTier(tenant.tenantId, 'Pro');
    expect(await quotas(tenant)).toMatchObject({
      dailyMemories: { limit: 100_000, used: 5000 },
      monthlyQueries: { limit: 1_000_000, used: 50_000 },
    });
    expect((await add(tenant, 'tea')).status).toBe(201);
    expect((await search(tenant)).status).toBe(200);
    await daemon.accounts.setTier(tenant.tenantId, 'Enterprise');
    expect(await quotas(tenant)).toMatchObject({ dailyMemories: { limit: null, used: 5001 } });
    await daemon.accounts.setTier(tenant.tenantId, 'Free');
    expect(await quotas(tenant)).toMatchObject({
      dailyMemories: { limit: 5000, used: 5001 },
      monthlyQueries: { limit: 50_000, used: 50_001 },
    });
    expect((await add(tenant, 'coffee')).status).toBe(429);
    expect((await search(tenant)).status).toBe(429);
  });
});
