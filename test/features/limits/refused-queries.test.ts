import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Account } from '../../../src/contract/account.ts';
import { utcDay } from '../../../src/lib/clock.ts';
import { startTestDaemon, WITHOUT_TIMERS } from '../../helpers/daemon.ts';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { newPerson, newSpace } from '../spaces/space-callers.ts';
import { makeTenant, setUsed } from './tenants.ts';

/** The monthly queries of the tier Free. */
const QUOTA = 50_000;

let daemon: MemoryDaemon;

beforeAll(async () => {
  daemon = await startMemoryDaemon({ config: { defaultTier: 'Free' } });
});
afterAll(() => daemon.close());

const useUp = (tenantId: string) => setUsed(daemon, tenantId, { day: utcDay(daemon.clock.nowMs()), queries: QUOTA });

test.each([
  ['a search', '/v1/search'],
  ['a context', '/v1/context'],
])('%s past the quota is not among the searches, which name results', async (_, path) => {
  const caller: Caller = await daemon.account();
  const { id } = await caller.add('Ada drinks oolong tea');
  const ask = () => caller.call(path, { body: { query: 'what does Ada drink' } });
  const listed = async () =>
    (await caller.call<{ data: { results: { id: string }[] }[] }>('/v1/searches')).body.data.map(({ results }) =>
      results.map((result) => result.id),
    );
  await useUp(caller.tenantId);
  expect((await ask()).status).toBe(429);
  expect(await listed()).toEqual([]);
  await daemon.accounts.setTier(caller.tenantId, 'Enterprise');
  expect((await ask()).status).toBe(200);
  expect(await listed()).toEqual([[id]]);
});

test.each([undefined, 'session_start'])(
  'a refused request to several spaces charges none of them (purpose %s)',
  async (purpose) => {
    const person = await newPerson(daemon);
    const space = await newSpace(person, 'team');
    await useUp(space.id);
    const used = async () => (await person.call<Account>('/v1/account')).body.quotas.monthlyQueries.used;
    const before = await used();
    const body = { query: 'tea', spaces: ['default', 'team'], ...(purpose && { purpose }) };
    const { status } = await person.call(purpose ? '/v1/context' : '/v1/search', { body });
    expect(status).toBe(429);
    expect(await used()).toBe(before);
  },
);

test('queries that are not written yet at midnight count in the month after it', async () => {
  const late = await startTestDaemon(WITHOUT_TIMERS);
  try {
    late.clock.freeze();
    const { tenantId } = await makeTenant(late, 'midnight@example.com');
    late.clock.setWall(Date.parse('2026-05-20T23:59:58Z'));
    await setUsed(late, tenantId, { day: '2026-05-20', queries: QUOTA - 300 });
    let taken = 0;
    const take = async (most: number) => {
      for (let count = 0; count < most; count += 1) {
        const isTaken = await late.usage.takeQuery({ tenantId, tier: 'Free' }).then(
          () => true,
          () => false,
        );
        if (!isTaken) return;
        taken += 1;
      }
    };
    await take(200);
    late.clock.setWall(Date.parse('2026-05-21T00:00:01Z'));
    await take(1000);
    expect(taken).toBe(300);
  } finally {
    await late.close();
  }
});
