import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { OperatorOverview, OperatorTask, OperatorTenant } from '../../../src/contract/operator.ts';
import type { Answer } from '../../helpers/daemon.ts';
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { onPostgres } from '../../helpers/postgres/folder-databases.ts';
import { type OperatorPage, openOperatorPage } from './operator-page.ts';

let daemon: TestDaemon;
let page: OperatorPage;
beforeEach(async () => {
  daemon = await startTestDaemon();
  page = await openOperatorPage(daemon);
});
afterEach(() => daemon.close());

type TenantPage = { data: OperatorTenant[]; nextCursor: string | null };
const overview = async () => (await page.call<OperatorOverview>('/overview')).body;
const tenants = async (query = '') => (await page.call<TenantPage>(`/tenants${query}`)).body;
const emails = ({ data }: TenantPage) => data.map(({ email }) => email);

/** Waits until a task has ended. */
async function ended(taskOf: (overview: OperatorOverview) => OperatorTask | null | undefined): Promise<OperatorTask> {
  for (;;) {
    const task = taskOf(await overview());
    if (task && task.state !== 'running') return task;
    daemon.clock.advance(1000);
  }
}

test('the overview tells version, engine, sizes, queues and how long requests take', async () => {
  const { apiKey } = await daemon.signIn('ada@example.com');
  await daemon.call(apiKey, '/v1/memories', { body: { content: 'Ada likes tea' } });
  const found = await overview();
  expect(found).toMatchObject({
    version: '0.0.0-test',
    engine: onPostgres ? 'postgres' : 'sqlite',
    daemons: 1,
    checks: { database: 'ok', disk: 'ok' },
    queues: { writes: 0, jobs: 0, mails: 0 },
    check: null,
  });
  expect(found.dataBytes).toBeGreaterThan(10_000);
  expect(found.freeBytes).toBeGreaterThan(0);
  const added = found.requests.find(({ method, route }) => method === 'POST' && route === '/v1/memories');
  expect(added).toMatchObject({ count: 1 });
  expect(added!.p95Ms).toBeGreaterThanOrEqual(added!.p50Ms);
  expect(added!.p50Ms).toBeGreaterThan(0);
});

describe('accounts', () => {
  test('are listed with counts, and with nothing that they store', async () => {
    const { apiKey, account } = await daemon.signIn('ada@example.com');
    await daemon.call(apiKey, '/v1/memories', { body: { content: 'Ada likes tea' } });
    const answer = await page.call<TenantPage>('/tenants');
    expect(answer.body.data).toEqual([
      {
        tenantId: account.tenantId,
        email: 'ada@example.com',
        tier: 'Free',
        createdAt: expect.any(String),
        lastSeenAt: expect.any(String),
        memories: 1,
        storedBytes: expect.any(Number),
      },
    ]);
    expect(answer.body.data[0]!.storedBytes).toBeGreaterThan(10);
    expect(answer.text).not.toContain('tea');
  });

  test('are paged in every order, and found by a part of the address', async () => {
    for (const [name, length] of [
      ['carol', 10],
      ['ada', 3000],
      ['bob_x', 200],
    ] as const) {
      const { apiKey } = await daemon.signIn(`${name}@example.com`);
      await daemon.call(apiKey, '/v1/memories', { body: { content: 'x'.repeat(length) } });
    }
    const walk = async (sort: string) => {
      const found: string[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const next: TenantPage = await tenants(`?limit=1&sort=${sort}${cursor && `&cursor=${cursor}`}`);
        found.push(...emails(next));
        cursor = next.nextCursor;
      }
      return found.map((email) => email.split('@')[0]);
    };
    expect(await walk('created')).toEqual(['bob_x', 'ada', 'carol']);
    expect(await walk('email')).toEqual(['ada', 'bob_x', 'carol']);
    expect(await walk('storedBytes')).toEqual(['ada', 'bob_x', 'carol']);
    expect(emails(await tenants('?email=CAR'))).toEqual(['carol@example.com']);
    expect(emails(await tenants('?email=b_x'))).toEqual(['bob_x@example.com']);
    expect(emails(await tenants('?email=a_a'))).toEqual([]);
    expect(emails(await tenants('?email=%25'))).toEqual([]);
    const { nextCursor } = await tenants('?limit=1&sort=email');
    expect((await page.call(`/tenants?sort=created&cursor=${nextCursor}`)).status).toBe(400);
  });

  test('change their tier at once', async () => {
    const { apiKey, account } = await daemon.signIn('ada@example.com');
    const path = `/tenants/${account.tenantId}`;
    expect((await page.call(path, { method: 'PATCH', body: { tier: 'Pro' } })).status).toBe(204);
    expect((await daemon.call(apiKey, '/v1/account')).body.tier).toBe('Pro');
    expect((await page.call(path, { method: 'PATCH', body: { tier: 'Gold' } })).status).toBe(400);
    expect((await page.call('/tenants/ten_0', { method: 'PATCH', body: { tier: 'Pro' } })).status).toBe(404);
  });

  test('are erased with all their data, and others stay', async () => {
    const ada = await daemon.signIn('ada@example.com');
    const grace = await daemon.signIn('grace@example.com');
    const path = `/tenants/${ada.account.tenantId}`;
    expect((await page.call(path, { method: 'DELETE' })).status).toBe(204);
    expect((await daemon.call(ada.apiKey, '/v1/account')).status).toBe(401);
    expect((await daemon.call(grace.apiKey, '/v1/account')).status).toBe(200);
    expect(emails(await tenants())).toEqual(['grace@example.com']);
    expect((await page.call(path, { method: 'DELETE' })).status).toBe(404);
  });
});

test('invitations are made, listed and withdrawn', async () => {
  expect((await page.call('/invitations', { body: { email: ' Ada@Example.com' } })).status).toBe(204);
  expect((await page.call('/invitations', { body: { email: 'no address' } })).status).toBe(400);
  const listed = await page.call<{ data: { email: string }[] }>('/invitations');
  expect(listed.body.data).toEqual([{ email: 'ada@example.com', createdAt: expect.any(String) }]);
  const withdraw = () => page.call('/invitations/ada%40example.com', { method: 'DELETE' });
  expect([(await withdraw()).status, (await withdraw()).status]).toEqual([204, 404]);
});

test('a check runs once at a time and finds a sound database', async () => {
  const start = () => page.call<OperatorTask>('/check', { method: 'POST' });
  const [first, second]: Answer<OperatorTask>[] = await Promise.all([start(), start()]);
  expect([first!.status, first!.body.state]).toEqual([202, 'running']);
  expect(second!.body.startedAt).toBe(first!.body.startedAt);
  expect(await ended(({ check }) => check)).toMatchObject({ state: 'done', problems: [] });
});

test.skipIf(onPostgres)('a check names what is wrong', async () => {
  const { apiKey } = await daemon.signIn('ada@example.com');
  await daemon.call(apiKey, '/v1/memories', { body: { content: 'Ada likes tea' } });
  await daemon.db.writes.write('daemon', (connection) => connection.exec('UPDATE tenants SET storedBytes = 1'));
  await page.call('/check', { method: 'POST' });
  const { state, problems } = await ended(({ check }) => check);
  expect([state, problems]).toEqual(['done', [expect.stringContaining('is counted with 1 stored bytes')]]);
});

test.skipIf(onPostgres)('a backup is a checked file in the data folder, and the newest one is shown', async () => {
  expect((await overview()).backups).toMatchObject({ newest: null, lastStartedAt: null, task: null });
  expect((await page.call('/backup', { method: 'POST' })).status).toBe(202);
  expect(await ended(({ backups }) => backups?.task)).toMatchObject({ state: 'done', problems: [] });
  const { backups } = await overview();
  expect(backups).toMatchObject({
    folder: `${daemon.folder}/backups`,
    lastStartedAt: expect.any(String),
    newest: { name: expect.stringMatching(/^svc-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.db$/), bytes: expect.any(Number) },
  });
});

test.runIf(onPostgres)('a backup on PostgreSQL is left to its own tools', async () => {
  expect((await overview()).backups).toBeNull();
  const { status, body } = await page.call('/backup', { method: 'POST' });
  expect([status, body.detail]).toEqual([422, expect.stringContaining('pg_dump')]);
});
