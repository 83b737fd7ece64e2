import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestDaemon } from '../../helpers/daemon.ts';
import {
  codeIn,
  freshAddress,
  fromElsewhere,
  pressButton,
  receiveLink,
  signInAs,
  startSignInDaemon,
  startTerminal,
  typeCode,
} from '../../helpers/sign-in.ts';
import { countRows } from '../../helpers/tables.ts';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startSignInDaemon();
  daemon.clock.freeze();
});
afterAll(() => daemon.close());

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

async function refusalOf(apiKey: string) {
  const answer = await daemon.call(apiKey, '/v1/account', { headers: fromElsewhere() });
  const { code, detail, endedAt, endedBy } = answer.body;
  expect([answer.status, code]).toEqual([401, 'unauthenticated']);
  return { detail, endedAt, endedBy };
}

const nowText = () => new Date(daemon.clock.nowMs()).toISOString();

test('a key that a sign-in on the web replaced says so, and when', async () => {
  const email = freshAddress();
  const oldKey = await signInAs(daemon, email);
  await signInAs(daemon, email);
  const endedAt = nowText();
  const ages: [elapsedMs: number, words: string][] = [
    [0, 'less than a minute ago'],
    [MINUTE_MS, '1 minute ago'],
    [3 * MINUTE_MS, '4 minutes ago'],
    [56 * MINUTE_MS, '1 hour ago'],
    [DAY_MS, '1 day ago'],
  ];
  for (const [elapsedMs, words] of ages) {
    daemon.clock.advance(elapsedMs);
    expect(await refusalOf(oldKey)).toEqual({
      detail: `This API key was replaced by a sign-in on the web ${words}. Use the new key, or run svc login.`,
      endedAt,
      endedBy: 'webSignIn',
    });
  }
});

test('a key that a sign-in in a terminal replaced names the terminal', async () => {
  const email = freshAddress();
  const oldKey = await signInAs(daemon, email);
  const terminal = startTerminal();
  const { link } = await receiveLink(daemon, email, terminal.login);
  const page = await pressButton(daemon, link);
  expect((await typeCode(daemon, codeIn(page), terminal.codeVerifier)).status).toBe(200);
  expect(await refusalOf(oldKey)).toMatchObject({
    detail: expect.stringContaining('replaced by a sign-in in a terminal (desk) less than a minute ago'),
    endedBy: 'terminalSignIn',
  });
});

test('a revoked key says so', async () => {
  const apiKey = await signInAs(daemon, freshAddress());
  expect((await daemon.call(apiKey, '/v1/auth/key', { method: 'DELETE' })).status).toBe(204);
  expect(await refusalOf(apiKey)).toEqual({
    detail: 'This API key was revoked less than a minute ago. To get a new one, run svc login.',
    endedAt: nowText(),
    endedBy: 'revocation',
  });
});

test('only the whole key tells: with any other character the answer is that of an unknown key', async () => {
  const email = freshAddress();
  const oldKey = await signInAs(daemon, email);
  await signInAs(daemon, email);
  const last = oldKey.at(-1) === '0' ? '1' : '0';
  const unknown = await refusalOf(`svc_live_${'0'.repeat(32)}`);
  expect(unknown).toEqual({ detail: expect.stringContaining('Send a valid API key') });
  for (const other of [oldKey.slice(0, -1) + last, oldKey.toUpperCase(), `${oldKey}0`]) {
    expect(await refusalOf(other)).toEqual(unknown);
  }
});

test('after 30 days nothing is remembered', async () => {
  const email = freshAddress();
  const oldKey = await signInAs(daemon, email);
  await signInAs(daemon, email);
  daemon.clock.advance(30 * DAY_MS);
  await daemon.keys.sweep();
  expect(await refusalOf(oldKey)).toMatchObject({ endedBy: 'webSignIn' });
  daemon.clock.advance(1);
  await daemon.keys.sweep();
  expect(await refusalOf(oldKey)).toMatchObject({ endedBy: undefined });
});

test('of an erased account nothing is remembered', async () => {
  const email = freshAddress();
  const oldKey = await signInAs(daemon, email);
  const apiKey = await signInAs(daemon, email);
  const { tenantId } = (await daemon.call<{ tenantId: string }>(apiKey, '/v1/account')).body;
  expect(await countRows(daemon.db.readers, 'endedKeys', { tenantId })).toBe(1);
  expect((await daemon.call(apiKey, '/v1/account', { method: 'DELETE' })).status).toBe(204);
  for (const key of [oldKey, apiKey]) expect(await refusalOf(key)).toMatchObject({ endedBy: undefined });
});
