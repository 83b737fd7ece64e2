import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Account, Usage } from '../../../src/contract/account.ts';
import { refuseWrites } from '../../helpers/broken-tables.ts';
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { onPostgres } from '../../helpers/postgres/folder-databases.ts';
import { makeTenant, setUsed, times } from '../limits/tenants.ts';

const NOON = Date.parse('2026-05-20T12:00:00.000Z');
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

describe('GET /v1/account', () => {
  test('returns exactly the account, limits, quotas and key metadata of the caller', async () => {
    // Only the owner of the only account sees backups.
    const own = await startTestDaemon({ clock: daemon.clock });
    const { apiKey } = await own.signInByMail('Anna@Example.com');
    // Wait for the background write of lastUsedAt.
    await own.db.writes.write('daemon', async () => {});
    const answer = await own.call<Account>(apiKey, '/v1/account');
    await own.close();
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      tenantId: expect.stringMatching(/^ten_[0-9a-f]{32}$/),
      email: 'anna@example.com',
      tier: 'Free',
      limits: { requestsPerMinute: 120 },
      quotas: {
        dailyMemories: { limit: 5000, used: 0, resetsAt: '2026-05-21T00:00:00.000Z' },
        monthlyQueries: { limit: 50_000, used: 0, resetsAt: '2026-06-01T00:00:00.000Z' },
        storedBytes: { limit: 1_073_741_824, used: 0, resetsAt: null },
      },
      key: { createdAt: '2026-05-20T12:00:00.000Z', lastUsedAt: '2026-05-20T12:00:00.000Z', last4: apiKey.slice(-4) },
      credential: { kind: 'apiKey', scope: 'account' },
      openSuggestions: 0,
      unreadChanges: expect.any(Number),
      ...(!onPostgres && { lastBackupAt: null }),
    });
    expect(answer.text).not.toContain(apiKey);
  });

  test('returns lastUsedAt null for a key that has never been used', async () => {
    const { apiKey } = await makeTenant(daemon, 'fresh@example.com');
    const { body } = await daemon.call<Account>(apiKey, '/v1/account');
    expect(body.key?.lastUsedAt).toBeNull();
  });

  test.each([
    ['Free', 120],
    ['Pro', 600],
    ['Enterprise', 3000],
  ] as const)('returns for %s the same limit of %i requests per minute as the headers', async (tier, limit) => {
    const { apiKey } = await makeTenant(daemon, `${tier}@example.com`, tier);
    const { body, headers } = await daemon.call<Account>(apiKey, '/v1/account');
    expect(body).toMatchObject({ tier, limits: { requestsPerMinute: limit } });
    expect(headers.get('x-ratelimit-limit')).toBe(String(limit));
  });

  test('returns each key its own account', async () => {
    const tenants = await times(10, (index) => makeTenant(daemon, `own-${index}@example.com`));
    const answers = await times(100, (index) => daemon.call<Account>(tenants[index % 10]!.apiKey, '/v1/account'));
    expect(answers.map(({ body }) => body.tenantId)).toEqual(answers.map((_, index) => tenants[index % 10]!.tenantId));
  });

  test('starts with the tier and quotas that the operator configured', async () => {
    const other = await startTestDaemon({ config: { defaultTier: 'Pro', quotas: 'A' } });
    const { account } = await other.signIn('pro@example.com');
    expect(account).toMatchObject({
      tier: 'Pro',
      quotas: { dailyMemories: { limit: null }, monthlyQueries: { limit: 50_000 } },
    });
    await other.close();
  });
});

describe('GET /v1/usage', () => {
  const usageOf = async (apiKey: string, query = '') =>
    (await daemon.call<Usage>(apiKey, `/v1/usage${query}`)).body.days;

  test('returns a row for each of the last 30 UTC days, oldest first, with zeros for idle days', async () => {
    const { apiKey, tenantId } = await makeTenant(daemon, 'usage@example.com');
    await setUsed(daemon, tenantId, { day: '2026-04-20', memories: 99 });
    await setUsed(daemon, tenantId, { day: '2026-04-21', memories: 1, queries: 2 });
    await setUsed(daemon, tenantId, { day: '2026-05-19', memories: 3, queries: 4 });
    const days = await usageOf(apiKey);
    expect(days).toHaveLength(30);
    expect(days[0]).toEqual({ day: '2026-04-21', requests: 0, memories: 1, queries: 2 });
    expect(days[1]).toEqual({ day: '2026-04-22', requests: 0, memories: 0, queries: 0 });
    expect(days[28]).toEqual({ day: '2026-05-19', requests: 0, memories: 3, queries: 4 });
    expect(days[29]!.day).toBe('2026-05-20');
    expect(days.map(({ day }) => day)).toEqual([...days.map(({ day }) => day)].sort());
  });

  test('counts only the caller’s requests, memories and queries', async () => {
    const { apiKey } = await makeTenant(daemon, 'counts@example.com');
    const other = await makeTenant(daemon, 'uncounted@example.com');
    await daemon.call(apiKey, '/v1/memories', { body: { content: 'tea' } });
    await daemon.call(apiKey, '/v1/search', { body: { query: 'tea' } });
    await daemon.call(apiKey, '/v1/context', { body: { query: 'tea' } });
    await daemon.call(apiKey, '/v1/memories/mem_0');
    await daemon.usage.flushRequests();
    expect(await usageOf(apiKey, '?days=1')).toEqual([{ day: '2026-05-20', requests: 4, memories: 1, queries: 2 }]);
    expect(await usageOf(other.apiKey, '?days=1')).toEqual([
      { day: '2026-05-20', requests: 0, memories: 0, queries: 0 },
    ]);
  });

  test('shows each request and query at once, as many queries as the quota counts', async () => {
    const { apiKey } = await makeTenant(daemon, 'at-once@example.com');
    await daemon.usage.flushRequests();
    for (const query of ['oolong', 'sencha', 'matcha']) await daemon.call(apiKey, '/v1/search', { body: { query } });
    expect(await usageOf(apiKey, '?days=1')).toEqual([{ day: '2026-05-20', requests: 3, memories: 0, queries: 3 }]);
    const { quotas } = (await daemon.call<Account>(apiKey, '/v1/account')).body;
    expect(quotas.monthlyQueries.used).toBe(3);
  });

  test('does not count rate-limited requests', async () => {
    const { apiKey } = await makeTenant(daemon, 'refused@example.com');
    await times(150, () => daemon.call(apiKey, '/v1/account'));
    await daemon.usage.flushRequests();
    daemon.clock.advance(60_000);
    expect((await usageOf(apiKey, '?days=1'))[0]!.requests).toBe(120);
  });

  test.each(['?days=1', '?days=366'])('accepts %s', async (query) => {
    const { apiKey } = await makeTenant(daemon, 'range@example.com');
    expect(await usageOf(apiKey, query)).toHaveLength(Number(query.slice(6)));
  });

  test.each([
    '?days=0',
    '?days=367',
    '?days=-1',
    '?days=1.5',
    '?days=',
    '?days=all',
    '?days=1&days=2',
    '?tenantId=ten_1',
  ])('rejects %s', async (query) => {
    const { apiKey } = await makeTenant(daemon, 'range@example.com');
    const answer = await daemon.call(apiKey, `/v1/usage${query}`);
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
  });
});

test.each([
  ['GET', '/v1/account'],
  ['DELETE', '/v1/account'],
  ['GET', '/v1/usage'],
  ['DELETE', '/v1/auth/key'],
])('%s %s requires a key', async (method, path) => {
  const { apiKey } = await makeTenant(daemon, 'needs@example.com');
  expect((await daemon.call(undefined, path, { method })).status).toBe(401);
  expect((await daemon.call(`${apiKey.slice(0, -1)}x`, path, { method })).status).toBe(401);
  expect((await daemon.call(apiKey, path, { method })).status).toBeLessThan(300);
});

test('an account whose erasure fails each time does not hold up those behind it', async () => {
  const ids = (await times(3, (index) => makeTenant(daemon, `stuck-${index}@example.com`))).map(
    ({ tenantId }) => tenantId,
  );
  const [first, , last] = ids;
  const listLeft = async () => {
    const rows = await daemon.db.readers.all<{ tenantId: string }>(
      'SELECT tenantId FROM tenants WHERE erasedAt IS NOT NULL',
    );
    return rows.map(({ tenantId }) => tenantId).sort();
  };
  for (const tenantId of ids) {
    await daemon.db.writes.write('daemon', async (connection) => {
      await connection.run('DELETE FROM apiKeys WHERE tenantId = ?', [tenantId]);
      await connection.run("UPDATE tenants SET email = 'erased:' || tenantId, erasedAt = 1 WHERE tenantId = ?", [
        tenantId,
      ]);
    });
  }
  const when = `OLD."tenantId" IN ('${first}', '${last}')`;
  const mend = await refuseWrites(daemon, { event: 'DELETE', table: 'tenants', when });
  await expect(daemon.accounts.finishErasing()).rejects.toThrow('refused');
  expect(await listLeft()).toEqual([first, last].sort());
  await mend();
  await daemon.accounts.finishErasing();
  expect(await listLeft()).toEqual([]);
});
