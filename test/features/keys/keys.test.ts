import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { breakTable } from '../../helpers/broken-tables.ts';
import type { TestDaemon } from '../../helpers/daemon.ts';
import { sendHead } from '../../helpers/late-body.ts';
import {
  freshAddress,
  fromElsewhere,
  keyIn,
  pressButton,
  receiveLink,
  sendRaw,
  signInAs,
  startSignInDaemon,
  statusOf,
} from '../../helpers/sign-in.ts';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startSignInDaemon();
});
afterAll(() => daemon.close());

const tenantOf = async (apiKey: string) => (await daemon.call(apiKey, '/v1/account')).body.tenantId as string;
const keysOf = (tenantId: string) =>
  daemon.db.readers.all<{ hash: string }>('SELECT * FROM apiKeys WHERE tenantId = ?', [tenantId]);
const revoke = (apiKey: string) => daemon.call(apiKey, '/v1/auth/key', { method: 'DELETE', headers: fromElsewhere() });

describe('a tenant has one key', () => {
  test('each sign-in invalidates the previous key immediately', async () => {
    const email = freshAddress();
    const keys: string[] = [];
    for (let count = 0; count < 4; count += 1) {
      keys.push(await signInAs(daemon, email));
      const statuses = await Promise.all(keys.map((key) => statusOf(daemon, key)));
      expect(statuses).toEqual([...Array(count).fill(401), 200]);
      daemon.clock.advance(61_000);
    }
    const tenantId = await tenantOf(keys.at(-1)!);
    expect(await keysOf(tenantId)).toHaveLength(1);
  });

  test('a request whose body arrives seconds after its head is refused if its key was replaced meanwhile', async () => {
    const email = freshAddress();
    const former = await signInAs(daemon, email);
    const url = 'https://hooks.example.com/svc';
    const sent = [
      await sendHead(daemon, former, '/v1/webhooks', { body: { url } }),
      await sendHead(daemon, former, '/v1/memories', { body: { content: 'Ada likes tea' } }),
      await sendHead(daemon, former, '/v1/account', { method: 'DELETE' }),
    ];
    const apiKey = await signInAs(daemon, email);
    await sleep(1100);
    expect(await Promise.all(sent.map(({ finish }) => finish()))).toEqual([401, 401, 401]);
    expect((await daemon.call(apiKey, '/v1/webhooks')).body).toMatchObject({ data: [] });
    expect((await daemon.call(apiKey, '/v1/memories')).body).toMatchObject({ data: [] });
  });

  test('a request whose body takes seconds is answered while its key lasts', async () => {
    const apiKey = await signInAs(daemon, freshAddress());
    const { finish } = await sendHead(daemon, apiKey, '/v1/memories', { body: { content: 'Ada likes tea' } });
    await sleep(1100);
    expect(await finish()).toBe(201);
  });

  test('concurrent sign-ins of one address leave exactly one valid key', async () => {
    const email = freshAddress();
    const links = [];
    for (let count = 0; count < 3; count += 1) links.push((await receiveLink(daemon, email)).link);
    const answers = await Promise.all(links.map((link) => pressButton(daemon, link)));
    const keys = answers.flatMap((answer) => keyIn(answer) ?? []);
    const statuses = await Promise.all(keys.map((key) => statusOf(daemon, key)));
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 410, 410]);
  });

  test('concurrent first sign-ins create one tenant', async () => {
    const email = freshAddress();
    const tenants = await Promise.all(
      Array.from({ length: 20 }, () =>
        daemon.db.writes.write(
          'daemon',
          async (connection) => (await daemon.accounts.findOrCreate(connection, email)).tenantId,
        ),
      ),
    );
    expect(new Set(tenants).size).toBe(1);
  });

  test('the key is stored only as its SHA-256 and its last four characters', async () => {
    const apiKey = await signInAs(daemon, freshAddress());
    const [row] = await keysOf(await tenantOf(apiKey));
    expect(row).toMatchObject({ hash: createHash('sha256').update(apiKey).digest('hex'), last4: apiKey.slice(-4) });
    expect(JSON.stringify(row)).not.toContain(apiKey.slice(9));
    const { body } = await daemon.call(apiKey, '/v1/account');
    expect(body.key).toMatchObject({ last4: apiKey.slice(-4) });
  });

  test('lastUsedAt is accurate to the minute', async () => {
    const apiKey = await signInAs(daemon, freshAddress());
    const lastUsed = async () => {
      await statusOf(daemon, apiKey);
      await daemon.db.writes.write('daemon', async () => undefined);
      return (await daemon.call<{ key: { lastUsedAt: string } }>(apiKey, '/v1/account')).body.key.lastUsedAt;
    };
    const first = Date.parse(await lastUsed());
    expect(Math.abs(first - daemon.clock.nowMs())).toBeLessThan(60_000);
    daemon.clock.advance(30_000);
    expect(Date.parse(await lastUsed())).toBe(first);
    daemon.clock.advance(31_000);
    expect(Date.parse(await lastUsed())).toBeGreaterThan(first + 60_000);
  });
});

describe('DELETE /v1/auth/key', () => {
  test('invalidates only the calling key, and a new sign-in opens the same account', async () => {
    const [email, neighbour] = [freshAddress(), freshAddress()];
    const apiKey = await signInAs(daemon, email);
    const other = await signInAs(daemon, neighbour);
    const tenantId = await tenantOf(apiKey);
    const gone = await revoke(apiKey);
    expect([gone.status, gone.text]).toEqual([204, '']);
    expect(await statusOf(daemon, apiKey)).toBe(401);
    expect((await revoke(apiKey)).status).toBe(401);
    expect(await statusOf(daemon, other)).toBe(200);
    expect(await tenantOf(await signInAs(daemon, email))).toBe(tenantId);
  });

  test('a late revocation by the old key does not invalidate the new key', async () => {
    const email = freshAddress();
    const oldKey = await signInAs(daemon, email);
    const principal = await daemon.keys.authenticate(oldKey);
    const newKey = await signInAs(daemon, email);
    await daemon.keys.revoke(principal!);
    expect(await statusOf(daemon, newKey)).toBe(200);
  });
});

describe('a rotation with requests in flight', () => {
  test('twenty callers get 2xx until the rotation and only 401 after it', async () => {
    const email = freshAddress();
    const oldKey = await signInAs(daemon, email);
    await daemon.accounts.setTier(await tenantOf(oldKey), 'Enterprise');
    const { link } = await receiveLink(daemon, email);

    /** Calls until a request is rejected. */
    async function callUntilRejected(caller: number): Promise<{ accepted: number; last: number }> {
      const write = caller % 2 === 1 && { body: { content: `Thought ${caller}` } };
      for (let accepted = 0; ; accepted += 1) {
        const path = write ? '/v1/memories' : '/v1/account';
        const { status } = await daemon.call(oldKey, path, { ...write, headers: fromElsewhere() });
        if (status !== 200 && status !== 201) return { accepted, last: status };
      }
    }
    const callers = Array.from({ length: 20 }, (_, caller) => callUntilRejected(caller));
    await statusOf(daemon, oldKey);
    const newKey = keyIn(await pressButton(daemon, link))!;
    const after = await Promise.all(Array.from({ length: 20 }, () => statusOf(daemon, oldKey)));
    const outcomes = await Promise.all(callers);

    expect(new Set(outcomes.map(({ last }) => last))).toEqual(new Set([401]));
    expect(outcomes.reduce((sum, { accepted }) => sum + accepted, 0)).toBeGreaterThan(0);
    expect(new Set(after)).toEqual(new Set([401]));
    const live = await Promise.all(Array.from({ length: 20 }, () => statusOf(daemon, newKey)));
    expect(new Set(live)).toEqual(new Set([200]));
  });
});

describe('401 reveals nothing', () => {
  const routes: [string, string][] = [
    ['GET', '/v1/account'],
    ['DELETE', '/v1/account'],
    ['DELETE', '/v1/auth/key'],
    ['GET', '/v1/memories'],
    ['GET', '/v1/usage'],
    ['GET', '/v1/memories/mem_00000000000000000000000000000000'],
    ['POST', '/v1/search'],
    ['POST', '/v1/mcp'],
  ];

  /** Request headers without a valid key. `{key}` is a valid key. */
  const causes: [string, string[]][] = [
    ['missing', []],
    ['empty', ['Authorization:']],
    ['a scheme alone', ['Authorization: Bearer']],
    ['malformed', ['Authorization: Bearer hello']],
    ['made up', [`Authorization: Bearer svc_live_${'0'.repeat(32)}`]],
    ['unknown', [`Authorization: Bearer svc_live_${'0'.repeat(32)}`]],
    ['twice the same', ['Authorization: Bearer {key}', 'Authorization: Bearer {key}']],
    ['two different', ['Authorization: Bearer {key}', `authorization: Bearer svc_live_${'0'.repeat(32)}`]],
    ['two in one', ['Authorization: Bearer {key}, Bearer {key}']],
    ['upper case', ['Authorization: Bearer {KEY}']],
    ['too short', ['Authorization: Bearer {short}']],
    ['too long', ['Authorization: Bearer {key}0']],
    ['another scheme', ['Authorization: Basic {key}']],
    ['no scheme', ['Authorization: {key}']],
    ['in another header', ['X-Api-Key: {key}', 'Cookie: key={key}; svc_signin={key}']],
    ['by a proxy header', ['Proxy-Authorization: Bearer {key}']],
    ['with a NUL written out', ['Authorization: Bearer {key}%00']],
    ['quoted', ['Authorization: Bearer "{key}"']],
  ];

  let apiKey: string;
  beforeAll(async () => {
    apiKey = await signInAs(daemon, freshAddress());
  });

  const fill = (text: string) =>
    text
      .replaceAll('{key}', apiKey)
      .replaceAll('{KEY}', apiKey.slice(0, 9) + apiKey.slice(9).toUpperCase().replace(/^\d+$/, 'ABCD'))
      .replaceAll('{short}', apiKey.slice(0, -1));

  async function answerTo(lines: readonly string[], method = 'GET', path = '/v1/account') {
    const elsewhere = `X-Forwarded-For: ${fromElsewhere()['x-forwarded-for']}`;
    const start = `${method} ${path} HTTP/1.1`;
    const answer = await sendRaw(daemon, [start, 'Host: svc', elsewhere, 'Content-Length: 0', ...lines.map(fill)]);
    return { ...answer, text: answer.text.replace(/req_[0-9a-f]{32}/, 'req_') };
  }

  const headerNames = (head: string) =>
    head
      .split('\r\n')
      .slice(1)
      .map((line) => line.split(':')[0]!.toLowerCase());

  test.each(causes)('%s: returns the same bytes except the request id', async (_name, lines) => {
    const reference = await answerTo([]);
    const answer = await answerTo(lines);
    expect([answer.status, answer.text]).toEqual([401, reference.text]);
    expect(headerNames(answer.head)).toEqual(headerNames(reference.head));
    const sent = lines.some((line) => /^authorization/i.test(line)) ? ', error="invalid_token"' : '';
    expect(answer.head.toLowerCase()).toContain(`www-authenticate: bearer realm="svc"${sent}\r\n`);
  });

  test.each(['key', 'apiKey', 'api_key', 'access_token', 'token', 'authorization'])(
    'ignores a key in the query parameter %s and does not log it',
    async (name) => {
      const answer = await answerTo([], 'GET', `/v1/account?${name}=${apiKey}`);
      expect([answer.status, answer.text]).toEqual([401, (await answerTo([])).text]);
      expect(daemon.logLines.join('\n')).not.toContain(apiKey);
    },
  );

  test.each(routes)('%s %s returns the same body', async (method, path) => {
    const reference = (await answerTo([])).text;
    for (const lines of [[], ['Authorization: Bearer {key}0'], ['Authorization: Bearer hello']]) {
      const answer = await answerTo(lines, method, path);
      expect([answer.status, answer.text]).toEqual([401, reference]);
    }
  });

  test.each([['Bearer {key}'], ['bearer {key}'], ['BEARER   {key}']])('accepts a valid key: %s', async (text) => {
    expect((await answerTo([`Authorization: ${text}`])).status).toBe(200);
  });

  test('the key of an erased account gets the same response as any invalid key', async () => {
    const erased = await signInAs(daemon, freshAddress());
    expect((await daemon.call(erased, '/v1/account', { method: 'DELETE' })).status).toBe(204);
    const answer = await answerTo([`Authorization: Bearer ${erased}`]);
    expect([answer.status, answer.text]).toEqual([401, (await answerTo([])).text]);
  });
});

describe('a database failure', () => {
  test('returns 503 and never 401, and the key works again afterwards', async () => {
    const own = await startSignInDaemon();
    const apiKey = await signInAs(own, 'ada@example.com');
    const madeUp = `svc_live_${'0'.repeat(32)}`;
    const repair = await breakTable(own, 'apiKeys');
    for (const key of [apiKey, madeUp]) {
      const answer = await own.call(key, '/v1/account', { headers: fromElsewhere() });
      expect([answer.status, answer.body.code]).toEqual([503, 'unavailable']);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(answer.headers.get('www-authenticate')).toBeNull();
      expect(answer.headers.get('x-ratelimit-limit')).toBe('120');
      expect(answer.text).not.toMatch(/sqlite|table|apiKeys/i);
    }
    expect((await own.call(undefined, '/v1/account')).status).toBe(401);
    expect((await own.call(apiKey, '/healthz')).status).toBe(200);
    await repair();
    expect(await statusOf(own, apiKey)).toBe(200);
    expect(await statusOf(own, madeUp)).toBe(401);
    await own.close();
  });

  test('returns 503 to thirty concurrent requests and accepts thirty afterwards', async () => {
    const own = await startSignInDaemon();
    const apiKey = await signInAs(own, 'ada@example.com');
    const thirty = () => Promise.all(Array.from({ length: 30 }, () => statusOf(own, apiKey)));
    const repair = await breakTable(own, 'tenants');
    expect(new Set(await thirty())).toEqual(new Set([503]));
    await repair();
    expect(new Set(await thirty())).toEqual(new Set([200]));
    await own.close();
  });
});
