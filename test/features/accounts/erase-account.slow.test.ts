import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { onPostgres } from '../../helpers/postgres/folder-databases.ts';
import { databaseBytes } from '../../helpers/stored-bytes.ts';
import { rowCounts, traces } from '../../helpers/tables.ts';
import { makeTenant, type Tenant, times } from '../limits/tenants.ts';

let daemon: TestDaemon;
let sequence = 0;

beforeAll(async () => {
  daemon = await startTestDaemon();
});

afterAll(() => daemon.close());

beforeEach(() => daemon.clock.advance(120_000));

/** Counts the tenant's rows by table, omitting tables without any. */
const rowsOf = (tenantId: string) => rowCounts(daemon.db.readers, { tenantId });

/**
 * Which of the texts occur anywhere in the database: on SQLite in its file, including free pages, or its write-ahead
 * log; on PostgreSQL, which cleans its pages on its own schedule, in any row.
 */
async function foundAnywhere(texts: readonly string[]): Promise<string[]> {
  if (onPostgres) {
    const found: string[] = [];
    if (Object.keys(await traces(daemon.db.readers, texts)).length === 0) return found;
    for (const text of texts) {
      if (Object.keys(await traces(daemon.db.readers, [text])).length > 0) found.push(text);
    }
    return found;
  }
  const bytes = (await databaseBytes(daemon.folder)).toString('latin1').toLowerCase();
  return texts.filter((text) => bytes.includes(text));
}

const canary = (name: string) => `canary${name}${randomBytes(6).toString('hex')}`;
const erase = ({ apiKey }: Tenant) => daemon.call(apiKey, '/v1/account', { method: 'DELETE' });

/** Stores tenant data in every table that holds any. Returns the texts written. */
async function fill({ apiKey }: Tenant, memories = 40): Promise<string[]> {
  const names = ['content', 'tag', 'key', 'value', 'user', 'idempotency', 'replaced', 'past', 'source'] as const;
  const texts = Object.fromEntries(names.map((name) => [name, canary(name)])) as Record<(typeof names)[number], string>;
  const first = await daemon.call(apiKey, '/v1/memories', {
    body: {
      content: `${texts.content} is remembered`,
      tags: [texts.tag],
      metadata: { [texts.key]: texts.value },
      user: texts.user,
      source: { conversationId: texts.source },
    },
    headers: { 'idempotency-key': texts.idempotency },
  });
  expect(first.status).toBe(201);
  const old = await daemon.call(apiKey, '/v1/memories', { body: { content: texts.replaced, user: texts.user } });
  const path = `/v1/memories/${old.body.id}`;
  await daemon.call(apiKey, path, { method: 'PATCH', body: { content: texts.past } });
  await daemon.call(apiKey, '/v1/memories', { body: { content: 'newer', supersedes: old.body.id, user: texts.user } });
  await daemon.call(apiKey, '/v1/search', { body: { query: texts.content, user: texts.user } });
  const many = Array.from({ length: memories }, (_, index) => ({
    content: `${texts.content} ${index} ${'lorem ipsum '.repeat(index % 30)}`,
    tags: [`${texts.tag}${index}`],
  }));
  expect((await daemon.call(apiKey, '/v1/memories/batch', { body: { memories: many } })).status).toBe(201);
  return Object.values(texts);
}

// Again where SQLite kept a copy of an index entry in an unused part of a page: see docs/decisions/0009.
describe('erasing an account', { retry: 2 }, () => {
  test('leaves no row in any table and no byte in the files, and keeps other tenants unchanged', async () => {
    const email = `${canary('email')}@example.com`;
    const { apiKey, account } = await daemon.signInByMail(email);
    const tenant = { apiKey, tenantId: account.tenantId };
    const neighbour = await makeTenant(daemon, 'neighbour@example.com');
    const texts = [...(await fill(tenant)), email];
    const kept = await fill(neighbour);
    await daemon.accounts.invite(email);
    await daemon.usage.flushRequests();
    await daemon.learning.flush();
    await daemon.activity.flush();
    expect(await foundAnywhere([...texts, ...kept])).toHaveLength(texts.length + kept.length);
    const before = await rowsOf(neighbour.tenantId);
    const tables = [...Object.keys(before), 'connections'].sort();
    expect(Object.keys(await rowsOf(tenant.tenantId)).sort()).toEqual(tables);

    expect((await erase(tenant)).status).toBe(204);
    await daemon.usage.flushRequests();
    expect(await rowsOf(tenant.tenantId)).toEqual({});
    expect(await foundAnywhere(texts)).toEqual([]);
    expect(await rowsOf(neighbour.tenantId)).toEqual(before);
    expect((await foundAnywhere(kept)).sort()).toEqual(kept.toSorted());
  });

  test.skipIf(onPostgres)('erases every copy that page reorganization left in the file', async () => {
    const tenants = await times(3, (index) => makeTenant(daemon, `mixed-${index}@example.com`, 'Enterprise'));
    const texts = tenants.map(() => canary('mixed'));
    for (let round = 0; round < 6; round += 1) {
      await times(3, async (index) => {
        const memories = Array.from({ length: 80 }, (_, n) => ({
          content: `${texts[index]} ${round} ${n} ${'x'.repeat((n * 37) % 900)}`,
          tags: [`${texts[index]}-${n}`],
          metadata: { note: `${texts[index]} ${'y'.repeat((n * 53) % 400)}` },
        }));
        await daemon.call(tenants[index]!.apiKey, '/v1/memories/batch', { body: { memories } });
      });
    }
    expect((await erase(tenants[1]!)).status).toBe(204);
    expect((await foundAnywhere(texts)).sort()).toEqual([texts[0], texts[2]].sort());
  });

  test('rejects the old key, and the address can sign up again with an empty account', async () => {
    const { apiKey, account } = await daemon.signIn('again@example.com');
    await fill({ apiKey, tenantId: account.tenantId });
    expect((await erase({ apiKey, tenantId: account.tenantId })).status).toBe(204);
    for (const path of ['/v1/account', '/v1/memories', '/v1/usage']) {
      expect((await daemon.call(apiKey, path)).status, path).toBe(401);
    }
    const fresh = await daemon.signIn('again@example.com');
    expect(fresh.account.tenantId).not.toBe(account.tenantId);
    expect(fresh.account.quotas).toMatchObject({ dailyMemories: { used: 0 }, monthlyQueries: { used: 0 } });
    expect((await daemon.call(fresh.apiKey, '/v1/memories')).body.data).toEqual([]);
    const search = await daemon.call(fresh.apiKey, '/v1/search', { body: { query: 'remembered newer lorem' } });
    expect(search.body.results).toEqual([]);
    expect((await daemon.call(apiKey, '/v1/account')).status).toBe(401);
  });

  test('voids sign-in links that were mailed before', async () => {
    const { apiKey, account } = await daemon.signIn('links@example.com');
    const link = await daemon.requestLink('links@example.com');
    expect((await erase({ apiKey, tenantId: account.tenantId })).status).toBe(204);
    expect((await daemon.redeem(link)).status).toBe(410);
    expect((await daemon.redeem(await daemon.requestLink('links@example.com'))).status).toBe(303);
  });

  test('runs once when requested many times concurrently', async () => {
    const tenant = await makeTenant(daemon, 'twice@example.com');
    await fill(tenant);
    const answers = await times(10, () => erase(tenant));
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(1);
    expect(answers.filter(({ status }) => ![204, 401, 404].includes(status))).toEqual([]);
    expect(await rowsOf(tenant.tenantId)).toEqual({});
  });

  test('resumes at the next start if the daemon stopped halfway', async () => {
    const tenant = await makeTenant(daemon, 'half@example.com');
    const neighbour = await makeTenant(daemon, 'whole@example.com');
    const texts = await fill(tenant);
    await fill(neighbour);
    await daemon.db.writes.write('daemon', async (connection) => {
      await connection.run('DELETE FROM apiKeys WHERE tenantId = ?', [tenant.tenantId]);
      await connection.run("UPDATE tenants SET email = 'erased', erasedAt = 1 WHERE tenantId = ?", [tenant.tenantId]);
    });
    await daemon.stop();
    daemon = await startTestDaemon({ dataDir: daemon.folder });
    await expect.poll(() => rowsOf(tenant.tenantId)).toEqual({});
    // The rows go first, and their words are purged from the index after them.
    await vi.waitFor(async () => {
      await daemon.db.emptyLog();
      expect(await foundAnywhere(texts)).toEqual([]);
    }, 10_000);
    expect((await daemon.call(neighbour.apiKey, '/v1/account')).status).toBe(200);
  });
});

describe('requests in flight while the account is erased', () => {
  /** Sends a request whose key is checked now and whose body is sent when the returned function is called. */
  async function startSlowly(
    { apiKey }: Tenant,
    path: string,
    { method, body }: { method: string; body: string },
  ): Promise<() => Promise<string>> {
    const socket: Socket = connect(Number(new URL(daemon.baseUrl).port), '127.0.0.1');
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk.toString();
    });
    const closed = new Promise((resolve) => socket.on('close', resolve));
    const checked = vi.spyOn(daemon.keys, 'authenticate');
    socket.write(
      `${method} ${path} HTTP/1.1\r\nHost: svc\r\nConnection: close\r\nAuthorization: Bearer ${apiKey}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body.slice(0, 5)}`,
    );
    await expect.poll(() => checked.mock.settledResults, { interval: 5 }).toMatchObject([{ type: 'fulfilled' }]);
    checked.mockRestore();
    return async () => {
      socket.write(body.slice(5));
      await closed;
      return answer;
    };
  }

  test.each([
    ['a memory', '/v1/memories', { content: 'left behind' }],
    ['a batch', '/v1/memories/batch', { memories: [{ content: 'left behind', user: 'nobody' }] }],
    ['a search', '/v1/search', { query: 'left behind' }],
    ['a context', '/v1/context', { query: 'left behind' }],
    ['what happens with suggestions', '/v1/suggestion-settings', { merge: { mode: 'off' } }, 'PATCH'],
    ['what is learned', '/v1/retrieval', { infersUses: false }, 'PATCH'],
  ])('%s gets the same 401 as an invalid key and leaves no data', async (_, path, body: object, method = 'POST') => {
    const tenant = await makeTenant(daemon, `slow-${sequence++}@example.com`);
    const neighbour = await makeTenant(daemon, `steady-${sequence++}@example.com`);
    const request = { method, body: JSON.stringify(body) };
    const finish = await startSlowly(tenant, path, request);
    const finishNeighbour = await startSlowly(neighbour, path, request);
    expect((await erase(tenant)).status).toBe(204);
    // Both share one transaction: rejecting one must not reject the other.
    const [answer, neighbourAnswer] = await Promise.all([finish(), finishNeighbour()]);
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
    expect(answer).toMatch(/\r\nwww-authenticate: Bearer realm="svc", error="invalid_token"\r\n/i);
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))).toEqual({
      ...(await daemon.call(tenant.apiKey, path, { method, body })).body,
      requestId: expect.any(String),
    });
    expect(neighbourAnswer).toMatch(/^HTTP\/1\.1 20[01] /);
    await daemon.usage.flushRequests();
    expect(await rowsOf(tenant.tenantId)).toEqual({});
  });

  test('forty concurrent writes leave no data', async () => {
    const tenant = await makeTenant(daemon, 'busy@example.com', 'Pro');
    const write = (index: number) =>
      daemon.call(tenant.apiKey, '/v1/memories', { body: { content: `memory ${index}`, user: `user ${index}` } });
    const before = Array.from({ length: 20 }, (_, index) => write(index));
    expect((await Promise.race(before)).status).toBe(201);
    const erasing = erase(tenant);
    const during = Array.from({ length: 20 }, (_, index) => write(20 + index));
    expect((await erasing).status).toBe(204);
    const answers = await Promise.all([...before, ...during, write(40)]);
    expect(answers.filter(({ status }) => ![201, 401].includes(status))).toEqual([]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 401]));
    await daemon.usage.flushRequests();
    expect(await rowsOf(tenant.tenantId)).toEqual({});
  });
});

test('an erased account needs a new invitation when sign-up is by invitation', async () => {
  const other = await startTestDaemon({ config: { signup: 'invite' } });
  const canSignIn = () => other.accounts.canSignIn(other.db.readers, 'back@example.com');
  const tenant = await makeTenant(other, 'back@example.com');
  await other.accounts.invite('back@example.com');
  expect(await canSignIn()).toBe(true);
  await other.accounts.erase(tenant.tenantId);
  expect(await canSignIn()).toBe(false);
  expect(await other.accounts.invitations()).toEqual([]);
  await other.accounts.invite('back@example.com');
  expect(await canSignIn()).toBe(true);
  await other.close();
});
