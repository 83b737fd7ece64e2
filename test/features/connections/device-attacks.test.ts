import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TestDaemon } from '../../helpers/daemon.ts';
import { freshAddress, fromElsewhere, pressButton, signInAs, startSignInDaemon, visit } from '../../helpers/sign-in.ts';
import { openBrowser } from './browser.ts';
import { askByMail, askForDevice, connectDevice, decide, poll, typeDeviceCode } from './device.ts';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startSignInDaemon();
  daemon.clock.freeze();
});
afterAll(() => daemon.close());
beforeEach(() => daemon.clock.advance(120_000));

const MINUTE_MS = 60_000;
const CODE = '0000-0000';

describe('a code', () => {
  test('is unknown to every account but the one that was asked for', async () => {
    const email = freshAddress();
    const apiKey = await signInAs(daemon, email);
    const stranger = await signInAs(daemon, freshAddress());
    const { deviceCode, userCode } = await askForDevice(daemon, email);
    const inspect = (key: string, code: string) =>
      daemon.call(key, '/v1/auth/device/request', { body: { userCode: code }, headers: fromElsewhere() });
    const [foreign, missing] = [await inspect(stranger, userCode), await inspect(stranger, CODE)];
    expect(foreign.status).toBe(410);
    expect({ ...foreign.body, requestId: '' }).toEqual({ ...missing.body, requestId: '' });
    for (const allow of [true, false]) expect((await decide(daemon, stranger, userCode, allow)).status).toBe(410);
    expect((await poll(daemon, deviceCode)).body.status).toBe('pending');
    expect((await decide(daemon, apiKey, userCode)).status).toBe(204);
  });

  test('is decided once', async () => {
    const email = freshAddress();
    const apiKey = await signInAs(daemon, email);
    const denied = await askForDevice(daemon, email);
    expect((await decide(daemon, apiKey, denied.userCode, false)).status).toBe(204);
    expect((await decide(daemon, apiKey, denied.userCode, true)).status).toBe(410);
    expect(await poll(daemon, denied.deviceCode)).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    const allowed = await askForDevice(daemon, email);
    const answers = await Promise.all(
      [true, false, true].map((allow) => decide(daemon, apiKey, allowed.userCode, allow)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 410, 410]);
  });

  test.each([
    ['9:59', 10 * MINUTE_MS - 1000, 204],
    ['10:00', 10 * MINUTE_MS, 410],
  ])('at the age of %s can be decided, or no longer', async (_, ageMs, status) => {
    const email = freshAddress();
    const apiKey = await signInAs(daemon, email);
    const { deviceCode, userCode } = await askForDevice(daemon, email);
    daemon.clock.advance(ageMs);
    expect((await decide(daemon, apiKey, userCode)).status).toBe(status);
    if (status === 410) expect((await poll(daemon, deviceCode)).status).toBe(410);
  });

  test('can be guessed only as often as an address may sign in', async () => {
    const apiKey = await signInAs(daemon, freshAddress());
    const headers = fromElsewhere();
    const guess = (path: string) =>
      daemon.call(apiKey, `/v1/auth/device/${path}`, {
        body: path === 'request' ? { userCode: CODE } : { userCode: CODE, allow: true },
        headers,
      });
    const statuses = [];
    for (let count = 0; count < 16; count += 1) {
      statuses.push((await guess('request')).status, (await guess('decision')).status);
    }
    expect(statuses.filter((status) => status === 410)).toHaveLength(30);
    expect(statuses.slice(30)).toEqual([429, 429]);
  });

  test.each([
    ['a session', 'connections'],
    ['an API key', 'apiKeys'],
  ])('is not allowed by %s that ends meanwhile', async (_, table) => {
    const email = freshAddress();
    const apiKey = await signInAs(daemon, email);
    const by = table === 'apiKeys' ? apiKey : await openBrowser(daemon, { apiKey });
    const { deviceCode, userCode } = await askForDevice(daemon, email);
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const before = daemon.db.writes.waiting();
    const ended = daemon.db.writes.write('daemon', async (connection) => {
      await released;
      await connection.run(`DELETE FROM ${table} WHERE tenantId = (SELECT tenantId FROM tenants WHERE email = ?)`, [
        email,
      ]);
    });
    const decided = decide(daemon, by, userCode);
    await expect.poll(() => daemon.db.writes.waiting()).toBeGreaterThan(before);
    release();
    await ended;
    expect((await decided).status).toBe(401);
    expect((await poll(daemon, deviceCode)).body.status).toBe('pending');
  });

  test('in the mailed link: five wrong ones void the link, and none allows the device', async () => {
    const email = freshAddress();
    const { deviceCode, userCode, link } = await askByMail(daemon, email);
    const wrong = userCode.startsWith('0') ? `1${userCode.slice(1)}` : `0${userCode.slice(1)}`;
    for (const words of ['4 tries left', '3 tries left', '2 tries left', '1 try left', 'last try']) {
      const answer = await typeDeviceCode(daemon, link, wrong);
      expect(answer).toMatchObject({ status: 400, body: { detail: expect.stringContaining(words) } });
    }
    expect((await typeDeviceCode(daemon, link, userCode)).status).toBe(410);
    expect((await poll(daemon, deviceCode)).body.status).toBe('pending');
  });
});

describe('the token', () => {
  test('is handed out once, to many who ask at once too', async () => {
    const email = freshAddress();
    const apiKey = await signInAs(daemon, email);
    const { deviceCode, userCode } = await askForDevice(daemon, email);
    await decide(daemon, apiKey, userCode);
    const answers = await Promise.all(Array.from({ length: 8 }, () => poll(daemon, deviceCode)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(410)]);
    expect((await poll(daemon, deviceCode)).status).toBe(410);
  });

  test('is not for who asks too often: the interval grows', async () => {
    const { deviceCode } = await askForDevice(daemon, freshAddress());
    expect((await poll(daemon, deviceCode)).body).toMatchObject({ intervalSeconds: 2 });
    const refused = await poll(daemon, deviceCode);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '4']);
    daemon.clock.advance(2000);
    expect((await poll(daemon, deviceCode)).status).toBe(429);
    daemon.clock.advance(6000);
    expect((await poll(daemon, deviceCode)).body).toMatchObject({ status: 'pending', intervalSeconds: 6 });
  });

  test('is not handed out for another code, and is stored only as a hash', async () => {
    const email = freshAddress();
    const apiKey = await signInAs(daemon, email);
    expect((await poll(daemon, 'x'.repeat(43))).status).toBe(410);
    const { deviceCode, userCode } = await askForDevice(daemon, email);
    expect((await poll(daemon, userCode)).status).toBe(410);
    const token = await connectDevice(daemon, apiKey);
    const rows = await daemon.db.readers.all('SELECT * FROM connections');
    const requests = await daemon.db.readers.all('SELECT * FROM deviceRequests');
    const stored = JSON.stringify([rows, requests]) + daemon.logLines.join('');
    for (const secret of [token, deviceCode, userCode]) expect(stored).not.toContain(secret);
  });

  test('does not authenticate with another character, as a cookie, or to begin a session', async () => {
    const token = await connectDevice(daemon, await signInAs(daemon, freshAddress()));
    const call = async (headers: Record<string, string>) =>
      (await daemon.call(undefined, '/v1/account', { headers: { ...fromElsewhere(), ...headers } })).status;
    const last = token.at(-1) === 'A' ? 'B' : 'A';
    expect(await call({ authorization: `Bearer ${token.slice(0, -1)}${last}` })).toBe(401);
    expect(await call({ cookie: `svc_session=${token}`, 'sec-fetch-site': 'same-origin' })).toBe(401);
    const begun = await daemon.call(token, '/v1/session', { body: {}, headers: { 'sec-fetch-site': 'same-origin' } });
    expect(begun.status).toBe(400);
  });
});

describe('another site', () => {
  test('cannot allow a device through a signed-in browser', async () => {
    const email = freshAddress();
    const browser = await openBrowser(daemon, { apiKey: await signInAs(daemon, email) });
    const { deviceCode, userCode } = await askForDevice(daemon, email);
    const body = { userCode, allow: true };
    const foreign: Record<string, string>[] = [
      { 'x-svc-csrf': '' },
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'https://evil.example' },
    ];
    for (const headers of foreign) {
      expect((await browser.call('/v1/auth/device/decision', { body, headers })).status).toBe(403);
    }
    expect((await poll(daemon, deviceCode)).body.status).toBe('pending');
  });

  test('cannot submit the form of a mailed link', async () => {
    const email = freshAddress();
    const { deviceCode, userCode, link } = await askByMail(daemon, email);
    const answer = await typeDeviceCode(daemon, link, userCode, { 'sec-fetch-site': 'cross-site' });
    expect(answer.status).toBe(403);
    expect((await poll(daemon, deviceCode)).body.status).toBe('pending');
  });
});

describe('mailed links', () => {
  test('of a device sign nobody in, and those of a sign-in allow no device', async () => {
    const email = freshAddress();
    const apiKey = await signInAs(daemon, email);
    const { link: ofDevice } = await askByMail(daemon, email);
    expect((await pressButton(daemon, ofDevice)).status).toBe(410);
    expect((await daemon.call(apiKey, '/v1/account')).status).toBe(200);
    daemon.clock.advance(MINUTE_MS);
    const ofSignIn = await daemon.requestLink(email);
    expect((await typeDeviceCode(daemon, ofSignIn, CODE)).status).toBe(410);
    expect((await pressButton(daemon, ofSignIn)).status).toBe(303);
  });

  test('work once', async () => {
    const email = freshAddress();
    const { userCode, link } = await askByMail(daemon, email);
    expect((await typeDeviceCode(daemon, link, userCode)).status).toBe(200);
    expect((await typeDeviceCode(daemon, link, userCode)).status).toBe(410);
  });

  test('are as many as of terminals: a flood fills no mailbox, and the answer stays the same', async () => {
    const email = freshAddress();
    for (let count = 0; count < 6; count += 1) await askForDevice(daemon, email);
    const delivered = 'SELECT SUM(delivered) AS mails FROM signInLinks WHERE email = ?';
    expect(await daemon.db.readers.get(delivered, [email])).toEqual({ mails: 2 });
  });

  test('show the name of a terminal as text, without invisible characters', async () => {
    const email = freshAddress();
    const name = 'desk\u202e <b>x</b>';
    const page = await visit(daemon, (await askByMail(daemon, email, { name, system: 'Linux' })).link);
    expect(page.text).toContain('desk &lt;b&gt;x&lt;/b&gt;');
    expect(page.text).not.toContain('\u202e');
  });
});

test('an address that may not sign in gets the same answer and no mail', async () => {
  const closed = await startSignInDaemon({ config: { signup: 'closed' } });
  try {
    const answer = await askForDevice(closed, 'nobody@example.com');
    expect(Object.keys(answer)).toEqual(Object.keys(await askForDevice(daemon, freshAddress())));
    await closed.db.writes.write('daemon', async () => undefined);
    const [row] = await closed.db.readers.all<{ delivered: number }>('SELECT delivered FROM signInLinks');
    expect(row!.delivered).toBe(0);
  } finally {
    await closed.close();
  }
});

test('shows a page in the browser that says the code was wrong', async () => {
  const { link } = await askByMail(daemon, freshAddress());
  const page = await typeDeviceCode(daemon, link, CODE, { accept: 'text/html' });
  expect([page.status, page.text]).toEqual([400, expect.stringContaining('The device was not connected')]);
  expect(page.text).toContain('Wrong code, 4 tries left.');
});
