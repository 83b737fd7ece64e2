import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Account } from '../../../src/contract/account.ts';
import { TIERS, type Tier } from '../../../src/contract/limits.ts';
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { makeTenant, setUsed } from './tenants.ts';

const DAY = '2026-05-20';
const NOON = Date.parse(`${DAY}T12:00:00Z`);

describe.each(['A', 'B'] as const)('in variant %s', (variant) => {
  const LIMITS: Record<'A' | 'B', Record<Tier, [memories: number | null, queries: number | null]>> = {
    A: { Free: [100, 1000], Pro: [null, 50_000], Enterprise: [null, null] },
    B: { Free: [5000, 50_000], Pro: [100_000, 1_000_000], Enterprise: [null, null] },
  };
  const STORED_BYTES: Record<Tier, number | null> = { Free: 1_073_741_824, Pro: 53_687_091_200, Enterprise: null };
  const LARGE_USAGE = 50_000_000;
  let daemon: TestDaemon;

  beforeAll(async () => {
    daemon = await startTestDaemon({ config: { quotas: variant } });
    daemon.clock.freeze();
    daemon.clock.setWall(NOON);
  });

  afterAll(() => daemon.close());

  test.each(TIERS)('%s has the quotas of the table, null if unlimited', async (tier) => {
    const { apiKey, tenantId } = await makeTenant(daemon, `${tier}@example.com`, tier);
    const [memories, queries] = LIMITS[variant][tier];
    const usedMemories = memories === null ? LARGE_USAGE : memories - 1;
    const usedQueries = queries === null ? LARGE_USAGE : queries - 1;
    await setUsed(daemon, tenantId, { day: DAY, memories: usedMemories, queries: usedQueries });
    const { body } = await daemon.call<Account>(apiKey, '/v1/account');
    expect(body.quotas).toEqual({
      dailyMemories: { limit: memories, used: usedMemories, resetsAt: '2026-05-21T00:00:00.000Z' },
      monthlyQueries: { limit: queries, used: usedQueries, resetsAt: '2026-06-01T00:00:00.000Z' },
      storedBytes: { limit: STORED_BYTES[tier], used: 0, resetsAt: null },
    });
    const remember = (content: string) => daemon.call(apiKey, '/v1/memories', { body: { content } });
    const recall = () => daemon.call(apiKey, '/v1/search', { body: { query: 'tea' } });
    expect([(await remember('tea')).status, (await recall()).status]).toEqual([201, 200]);
    expect((await remember('coffee')).status).toBe(memories === null ? 201 : 429);
    expect((await recall()).status).toBe(queries === null ? 200 : 429);
  });
});
