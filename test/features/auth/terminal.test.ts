import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestDaemon } from '../../helpers/daemon.ts';
import {
  askFor,
  codeIn,
  freshAddress,
  pressButton,
  receiveLink,
  signInAs,
  startSignInDaemon,
  startTerminal,
  statusOf,
  typeCode,
  visit,
} from '../../helpers/sign-in.ts';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startSignInDaemon();
});
afterAll(() => daemon.close());

const MINUTE = 60_000;

/** Starts a terminal sign-in and confirms its link. Returns terminal, page and code. */
async function confirmed(email: string, redirectPort?: number) {
  const terminal = startTerminal(redirectPort);
  const { link } = await receiveLink(daemon, email, terminal.login);
  const page = await pressButton(daemon, link);
  return { ...terminal, link, page, code: codeIn(page) };
}

/** A code that differs from this one. */
const wrongCode = (code: string, index = 0) => `${code.slice(0, -1)}${'0123456789'.replace(code.at(-1)!, '')[index]}`;

describe('a terminal sign-in', () => {
  test('returns the key for the typed code and rotates nothing before that', async () => {
    const email = freshAddress();
    const oldKey = await signInAs(daemon, email);
    const { link, ...terminal } = await confirmed(email);
    expect(terminal.page.status).toBe(200);
    expect(terminal.page.headers.get('location')).toBeNull();
    expect(terminal.page.text).not.toContain('svc_live_');
    expect(await statusOf(daemon, oldKey)).toBe(200);

    const answer = await typeCode(daemon, terminal.code, terminal.codeVerifier);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ apiKey: expect.stringMatching(/^svc_live_/), account: { email } });
    expect(await statusOf(daemon, answer.body.apiKey)).toBe(200);
    expect(await statusOf(daemon, oldKey)).toBe(401);
    expect((await pressButton(daemon, link)).status).toBe(410);
  });

  test('accepts the code in any case and without the dash', async () => {
    const { code, codeVerifier } = await confirmed(freshAddress());
    const typed = ` ${code.toLowerCase().replace('-', ' ')}`;
    expect((await typeCode(daemon, typed, codeVerifier)).status).toBe(200);
  });

  test('accepts a code once', async () => {
    const email = freshAddress();
    const { code, codeVerifier } = await confirmed(email);
    const answers = await Promise.all(Array.from({ length: 10 }, () => typeCode(daemon, code, codeVerifier)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(410)]);
    const { apiKey } = answers.find(({ status }) => status === 200)!.body;
    expect(await statusOf(daemon, apiKey)).toBe(200);
  });

  test.each([
    ['9:59', 10 * MINUTE - 1000, 200],
    ['10:01', 10 * MINUTE + 1000, 410],
  ])('a code at the age of %s', async (_age, ageMs, status) => {
    const { code, codeVerifier } = await confirmed(freshAddress());
    daemon.clock.advance(ageMs);
    expect((await typeCode(daemon, code, codeVerifier)).status).toBe(status);
  });

  test('shows the confirmation page even to the browser with the request cookie', async () => {
    const email = freshAddress();
    const { cookie } = await receiveLink(daemon, email);
    const { link } = await receiveLink(daemon, email, startTerminal().login);
    const page = await visit(daemon, link, { headers: { cookie } });
    expect(page.status).toBe(200);
    expect(page.text).toContain('Continue only if you just ran');
    expect(codeIn(page)).toBe('');
    const asked = await askFor(daemon, { email, login: startTerminal().login });
    expect(asked.headers.get('set-cookie')).toBeNull();
  });

  test('a browser sign-in in the meantime voids the code', async () => {
    const email = freshAddress();
    const { code, codeVerifier } = await confirmed(email);
    const newer = await signInAs(daemon, email);
    expect((await typeCode(daemon, code, codeVerifier)).status).toBe(410);
    expect(await statusOf(daemon, newer)).toBe(200);
  });
});

describe('an attacker who starts a terminal sign-in for someone else', () => {
  test('gets nothing without the code, even if the victim confirms', async () => {
    const victim = freshAddress();
    const oldKey = await signInAs(daemon, victim);
    const attacker = await confirmed(victim);
    const tries = [
      typeCode(daemon, '', attacker.codeVerifier),
      typeCode(daemon, '-', attacker.codeVerifier),
      typeCode(daemon, attacker.login.codeChallenge.slice(0, 40), attacker.codeVerifier),
    ];
    for (const answer of await Promise.all(tries)) expect(answer.status).toBe(400);
    expect(await statusOf(daemon, oldKey)).toBe(200);

    const answer = await typeCode(daemon, attacker.code, attacker.codeVerifier);
    expect([answer.status, await statusOf(daemon, oldKey)]).toEqual([200, 401]);
  });

  test('cannot use the code of their own sign-in', async () => {
    const victim = freshAddress();
    const oldKey = await signInAs(daemon, victim);
    const theirs = await confirmed(victim);
    const own = await confirmed(freshAddress());
    expect((await typeCode(daemon, own.code, theirs.codeVerifier)).status).toBe(400);
    expect((await typeCode(daemon, theirs.code, own.codeVerifier)).status).toBe(400);
    expect(await statusOf(daemon, oldKey)).toBe(200);
    expect((await typeCode(daemon, own.code, own.codeVerifier)).status).toBe(200);
  });

  test('with one challenge for two addresses, a code signs in only its own address', async () => {
    const [victim, attacker] = [freshAddress(), freshAddress()];
    const oldKey = await signInAs(daemon, victim);
    const { codeVerifier, login } = startTerminal();
    const links = [await receiveLink(daemon, victim, login), await receiveLink(daemon, attacker, login)];
    const [, page] = await Promise.all(links.map(({ link }) => pressButton(daemon, link)));
    const answer = await typeCode(daemon, codeIn(page!), codeVerifier);
    expect(answer.body).toMatchObject({ account: { email: attacker } });
    expect(await statusOf(daemon, oldKey)).toBe(200);
  });
});

describe('wrong codes', () => {
  test('a wrong verifier is rejected, rotates nothing and does not count as a try', async () => {
    const email = freshAddress();
    const oldKey = await signInAs(daemon, email);
    const { code, codeVerifier } = await confirmed(email);
    for (let count = 0; count < 6; count += 1) {
      expect((await typeCode(daemon, code, startTerminal().codeVerifier)).status).toBe(400);
    }
    expect(await statusOf(daemon, oldKey)).toBe(200);
    expect((await typeCode(daemon, code, codeVerifier)).status).toBe(200);
  });

  test('four wrong codes are allowed', async () => {
    const { code, codeVerifier } = await confirmed(freshAddress());
    for (let index = 0; index < 4; index += 1) {
      expect((await typeCode(daemon, wrongCode(code, index), codeVerifier)).status).toBe(400);
    }
    expect((await typeCode(daemon, code, codeVerifier)).status).toBe(200);
  });

  test('five wrong codes void the sign-in and rotate nothing, and a new sign-in works', async () => {
    const email = freshAddress();
    const oldKey = await signInAs(daemon, email);
    const { code, codeVerifier } = await confirmed(email);
    for (let index = 0; index < 5; index += 1) {
      expect((await typeCode(daemon, wrongCode(code, index), codeVerifier)).status).toBe(400);
    }
    expect((await typeCode(daemon, code, codeVerifier)).status).toBe(410);
    expect(await statusOf(daemon, oldKey)).toBe(200);
    daemon.clock.advance(MINUTE);
    const next = await confirmed(email);
    expect((await typeCode(daemon, next.code, next.codeVerifier)).status).toBe(200);
  });

  test('a hundred concurrent codes get only five tries', async () => {
    const { code, codeVerifier } = await confirmed(freshAddress());
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) => typeCode(daemon, wrongCode(code, index % 10), codeVerifier)),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(5).fill(400), ...Array(95).fill(410)]);
    expect((await typeCode(daemon, code, codeVerifier)).status).toBe(410);
  });

  test('five wrong codes before the link is opened void the link too', async () => {
    const { codeVerifier, login } = startTerminal();
    const { link } = await receiveLink(daemon, freshAddress(), login);
    for (let count = 0; count < 4; count += 1) await typeCode(daemon, '0000-0000', codeVerifier);
    expect((await visit(daemon, link)).status).toBe(200);
    await typeCode(daemon, '0000-0000', codeVerifier);
    expect((await visit(daemon, link)).status).toBe(410);
    expect((await pressButton(daemon, link)).status).toBe(410);
  });
});

describe('loopback delivery of the code', () => {
  test('the page may connect only to the terminal’s port on 127.0.0.1, with code and challenge', async () => {
    const { page, code, login } = await confirmed(freshAddress(), 43210);
    const query = new URLSearchParams({ code, state: login.codeChallenge }).toString();
    expect(page.text).toContain(`data-loopback-url="http://127.0.0.1:43210/callback?${query.replace('&', '&amp;')}"`);
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("connect-src 'self' http://127.0.0.1:43210;");
    expect(policy).not.toContain('unsafe');
  });

  test('the page makes no request if the terminal sent no port', async () => {
    const { page, code } = await confirmed(freshAddress());
    expect(code).toMatch(/^[0-9A-Z]{4}-[0-9A-Z]{4}$/);
    expect(page.text).not.toContain('data-loopback-url');
    expect(page.text).not.toContain('127.0.0.1:');
    expect(page.headers.get('content-security-policy')).toContain("connect-src 'self';");
  });

  const challenge = startTerminal().login.codeChallenge;
  const malformed: [string, object][] = [
    ['a privileged port', { codeChallenge: challenge, device: 'desk', redirectPort: 80 }],
    ['a port out of range', { codeChallenge: challenge, device: 'desk', redirectPort: 65_536 }],
    ['a host as the port', { codeChallenge: challenge, device: 'desk', redirectPort: '8080@evil.example' }],
    ['a fractional port', { codeChallenge: challenge, device: 'desk', redirectPort: 8080.5 }],
    ['a custom redirect URI', { codeChallenge: challenge, device: 'desk', redirectUri: 'http://evil.example' }],
    ['a plain verifier as the challenge', { codeChallenge: 'v'.repeat(42), device: 'desk' }],
    ['no challenge', { device: 'desk' }],
    ['no device', { codeChallenge: challenge }],
    ['line feeds in the device', { codeChallenge: challenge, device: 'desk\nBcc: eve@example.com' }],
    ['a device name of 101 characters', { codeChallenge: challenge, device: 'd'.repeat(101) }],
  ];
  test.each(malformed)('rejects %s with 400', async (_name, login) => {
    expect((await askFor(daemon, { email: freshAddress(), login })).status).toBe(400);
  });

  test('shows markup in the device name as text', async () => {
    const terminal = startTerminal();
    const device = '"><script>alert(1)</script>';
    const { link } = await receiveLink(daemon, freshAddress(), { ...terminal.login, device });
    for (const page of [await visit(daemon, link), await pressButton(daemon, link)]) {
      expect(page.text).not.toContain('<script>alert');
      expect(page.text).toContain('&lt;script&gt;alert(1)');
    }
  });
});
