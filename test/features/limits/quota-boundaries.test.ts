import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Account } from '../../../src/contract/account.ts';
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { makeTenant, setUsed, type Tenant } from './tenants.ts';

/** Quotas count UTC days and months, regardless of the machine's time zone. */

const zone = process.env.TZ;
let daemon: TestDaemon;
let sequence = 0;

beforeAll(async () => {
  daemon = await startTestDaemon();
  daemon.clock.freeze();
});

afterAll(async () => {
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
  await daemon.close();
});

beforeEach(() => daemon.clock.advance(120_000));

const at = (text: string) => daemon.clock.setWall(Date.parse(text));
const add = async ({ apiKey }: Tenant) =>
  (await daemon.call(apiKey, '/v1/memories', { body: { content: `memory ${sequence++}` } })).status;
const search = async ({ apiKey }: Tenant) =>
  (await daemon.call(apiKey, '/v1/search', { body: { query: 'memory' } })).status;
const quotas = async ({ apiKey }: Tenant) => (await daemon.call<Account>(apiKey, '/v1/account')).body.quotas;

/** Creates a tenant that has used up both quotas on this day. */
async function exhaustedOn(day: string): Promise<Tenant> {
  const tenant = await makeTenant(daemon, `boundary-${sequence++}@example.com`);
  await setUsed(daemon, tenant.tenantId, { day, memories: 5000, queries: 50_000 });
  return tenant;
}

describe.each(['UTC', 'America/New_York', 'Pacific/Kiritimati'])('on a machine in %s', (name) => {
  beforeEach(() => {
    process.env.TZ = name;
  });

  test.each([
    // [exhausted on, still exhausted at, resets at]: includes local midnights and New York's DST changes.
    [
      'an ordinary day',
      '2026-05-20',
      ['2026-05-20T00:00:00.000Z', '2026-05-20T04:00:00Z', '2026-05-20T10:00:00Z', '2026-05-20T23:59:59.999Z'],
      '2026-05-21T00:00:00.000Z',
    ],
    [
      'the day daylight saving time begins',
      '2026-03-08',
      ['2026-03-08T05:00:00Z', '2026-03-08T06:59:59Z', '2026-03-08T07:00:00Z', '2026-03-08T23:59:59.999Z'],
      '2026-03-09T00:00:00.000Z',
    ],
    [
      'the day daylight saving time ends',
      '2026-11-01',
      ['2026-11-01T04:00:00Z', '2026-11-01T05:30:00Z', '2026-11-01T06:30:00Z', '2026-11-01T23:59:59.999Z'],
      '2026-11-02T00:00:00.000Z',
    ],
    ['the leap day', '2028-02-29', ['2028-02-29T23:59:59.999Z'], '2028-03-01T00:00:00.000Z'],
  ])('the quota day is the UTC day: %s', async (_, day, exhaustedAt, resetsAt) => {
    const tenant = await exhaustedOn(day);
    for (const instant of exhaustedAt) {
      at(instant);
      expect(await add(tenant), instant).toBe(429);
      expect((await quotas(tenant)).dailyMemories, instant).toEqual({ limit: 5000, used: 5000, resetsAt });
    }
    at(resetsAt);
    expect(await add(tenant)).toBe(201);
    expect((await quotas(tenant)).dailyMemories.used).toBe(1);
  });

  test.each([
    ['January', '2026-01-15', '2026-01-31T23:59:59.999Z', '2026-02-01T00:00:00.000Z'],
    ['February', '2026-02-01', '2026-02-28T23:59:59.999Z', '2026-03-01T00:00:00.000Z'],
    ['February of a leap year', '2028-02-28', '2028-02-29T23:59:59.999Z', '2028-03-01T00:00:00.000Z'],
    ['October, as daylight saving time ends', '2026-10-31', '2026-10-31T23:59:59.999Z', '2026-11-01T00:00:00.000Z'],
    ['December', '2026-12-31', '2026-12-31T23:59:59.999Z', '2027-01-01T00:00:00.000Z'],
  ])('the quota month is the UTC month: %s', async (_, day, exhaustedAt, resetsAt) => {
    const tenant = await exhaustedOn(day);
    at(exhaustedAt);
    expect(await search(tenant)).toBe(429);
    expect((await quotas(tenant)).monthlyQueries).toEqual({ limit: 50_000, used: 50_000, resetsAt });
    at(resetsAt);
    expect(await search(tenant)).toBe(200);
    expect((await quotas(tenant)).monthlyQueries.used).toBe(1);
  });
});

test('queries are summed over the month, memories are counted per day', async () => {
  const tenant = await makeTenant(daemon, 'days@example.com');
  for (const day of ['2026-04-30', '2026-05-01', '2026-05-19', '2026-05-20', '2026-05-21']) {
    await setUsed(daemon, tenant.tenantId, { day, memories: 7, queries: 10 });
  }
  at('2026-05-20T12:00:00Z');
  const { dailyMemories, monthlyQueries } = await quotas(tenant);
  expect(dailyMemories.used).toBe(7);
  expect(monthlyQueries.used).toBe(30);
});

test('no count is lost when the clock is set back past midnight and forward again', async () => {
  const tenant = await makeTenant(daemon, 'back@example.com');
  at('2026-05-20T00:00:01Z');
  expect(await add(tenant)).toBe(201);
  at('2026-05-19T23:30:00Z');
  expect((await quotas(tenant)).dailyMemories.used).toBe(0);
  expect(await add(tenant)).toBe(201);
  at('2026-05-20T00:30:00Z');
  expect((await quotas(tenant)).dailyMemories.used).toBe(1);
});
