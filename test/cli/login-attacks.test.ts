import http from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { loginCommand } from '../../src/cli/commands/login.ts';
import { openSession } from '../../src/cli/session.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { codeChallengeOf, mintToken } from '../../src/lib/secret.ts';
import {
  confirmLink,
  createCommandLine,
  type Running,
  type ShownCode,
  type TestCommandLine,
} from '../helpers/command-line.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';

let daemon: TestDaemon;
let line: TestCommandLine;
let victimCount = 0;
let email: string;

beforeAll(async () => {
  daemon = await startTestDaemon();
});
afterAll(() => daemon.close());
beforeEach(async () => {
  daemon.clock.advance(60_000);
  victimCount += 1;
  email = `victim${victimCount}@example.com`;
  line = await createCommandLine();
});
afterEach(() => line.close());

/** Starts a sign-in and opens its link; returns the code that the page shows. */
async function startAndConfirm(): Promise<{ running: Running; shown: Required<ShownCode>; port: number }> {
  const running = line.start(loginCommand, '--url', daemon.baseUrl, '--email', email);
  const shown = (await confirmLink(daemon, email)) as Required<ShownCode>;
  return { running, shown, port: Number(new URL(shown.loopbackUrl!).port) };
}

/** Uses `node:http` because `fetch` does not allow setting the Host header. */
function statusOf(port: number, path: string, { method = 'GET', host = `127.0.0.1:${port}` } = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = http.request({ host: '127.0.0.1', port, path, method, headers: { host } }, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode ?? 0));
    });
    request.once('error', reject).end();
  });
}

describe('the loopback server of a sign-in', () => {
  test('rejects a wrong state, Host, path or method, and then still accepts the right request', async () => {
    const { running, shown, port } = await startAndConfirm();
    const { pathname, search, searchParams } = new URL(shown.loopbackUrl!);
    const right = pathname + search;
    const withState = (state: string) => `/callback?${new URLSearchParams({ code: shown.code, state })}`;
    expect(await statusOf(port, withState('A'.repeat(43)))).toBe(400);
    expect(await statusOf(port, withState(''))).toBe(400);
    expect(await statusOf(port, `/callback?code=${shown.code}`)).toBe(400);
    expect(await statusOf(port, `/callback?state=${searchParams.get('state')}`)).toBe(400);
    for (const host of [
      'svc.evil.example',
      `svc.evil.example:${port}`,
      `localhost:${port}`,
      '127.0.0.1',
      `127.0.0.1:${port}.evil.example`,
    ]) {
      expect(await statusOf(port, right, { host }), host).toBe(400);
    }
    expect(await statusOf(port, '/', {})).toBe(404);
    expect(await statusOf(port, `/x${right}`)).toBe(404);
    expect(await statusOf(port, `http://127.0.0.1:${port}${right}`)).toBe(400);
    for (const method of ['POST', 'HEAD', 'OPTIONS', 'PUT'])
      expect(await statusOf(port, right, { method }), method).toBe(404);
    expect(running.stderr()).not.toContain('Wrong code');
    expect(await statusOf(port, right)).toBe(200);
    expect((await running.ended).exitCode).toBe(0);
  });

  test('counts a wrong code with the right state as a try, and keeps startAndConfirm', async () => {
    const { running, shown, port } = await startAndConfirm();
    const state = new URL(shown.loopbackUrl!).searchParams.get('state')!;
    expect(await statusOf(port, `/callback?${new URLSearchParams({ code: 'AAAA-AAAA', state })}`)).toBe(200);
    await running.hears('4 tries left');
    running.type(shown.code);
    expect((await running.ended).exitCode).toBe(0);
  });

  test('tells browsers not to cache the response, send a referrer, or share it across origins', async () => {
    const { running, shown } = await startAndConfirm();
    const answer = await fetch(shown.loopbackUrl!);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    expect(await answer.text()).not.toContain(shown.code);
    await running.ended;
  });
});

describe('an attacker', () => {
  const redeem = (code: string, codeVerifier: string) =>
    daemon.call(undefined, '/v1/auth/token', { body: { code, codeVerifier } });

  test('who starts a sign-in for a victim cannot redeem it without the code, even after the victim confirms', async () => {
    const { apiKey } = await daemon.signIn(email);
    const before = (await daemon.mailbox.mailsTo(email)).at(-1)?.name;
    const verifier = mintToken(systemRandom);
    const login = { codeChallenge: codeChallengeOf(verifier), device: 'attacker' };
    await daemon.call(undefined, '/v1/auth/magic-link', { body: { email, login } });
    const { code } = await confirmLink(daemon, email, before);
    for (const guess of ['AAAA-AAAA', '', '0000-0000', 'ZZZZ-ZZZZ', '1111-1111']) {
      expect((await redeem(guess, verifier)).status).toBeGreaterThanOrEqual(400);
    }
    expect((await daemon.call(apiKey, '/v1/account')).status).toBe(200);
    const later = await confirmAgain();
    expect((await redeem(later.code, later.verifier)).status).toBe(200);
    expect(code).not.toBe(later.code);
  });

  async function confirmAgain() {
    const before = (await daemon.mailbox.mailsTo(email)).at(-1)?.name;
    const verifier = mintToken(systemRandom);
    const login = { codeChallenge: codeChallengeOf(verifier), device: 'rightful' };
    await daemon.call(undefined, '/v1/auth/magic-link', { body: { email, login } });
    return { verifier, code: (await confirmLink(daemon, email, before)).code };
  }

  test('who sees the code on the page cannot redeem it without the terminal’s verifier', async () => {
    const { running, shown } = await startAndConfirm();
    expect((await redeem(shown.code, mintToken(systemRandom))).status).toBe(400);
    running.type(shown.code);
    expect((await running.ended).exitCode).toBe(0);
    expect((await openSession(line)).apiKey).toMatch(/^svc_live_/);
  });
});

test('a typed code signs in when the link is opened on another machine', async () => {
  const { running, shown } = await startAndConfirm();
  running.type(shown.code.toLowerCase().replace('-', ' '));
  expect((await running.ended).exitCode).toBe(0);
});
