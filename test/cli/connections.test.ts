import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { insertConnection } from '../../src/features/connections/connections-store.ts';
import { type Browser, openBrowser } from '../features/connections/browser.ts';
import { makeTenant } from '../features/limits/tenants.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { freshAddress } from '../helpers/sign-in.ts';
import { type CliUser, createCliUser } from './memory-harness.ts';

const TTY = { tty: true };
let daemon: TestDaemon;
let person: CliUser;
let apiKey: string;

beforeAll(async () => {
  daemon = await startTestDaemon();
});
beforeEach(async () => {
  ({ apiKey } = await makeTenant(daemon, freshAddress(), 'Enterprise'));
  person = await createCliUser(daemon.baseUrl, apiKey, daemon.clock);
  return person.close;
});
afterAll(() => daemon.close());

/** Signs two browsers in; the latest comes first. */
async function openTwo(): Promise<[Browser, Browser]> {
  const first = await openBrowser(daemon, { apiKey });
  return [await openBrowser(daemon, { apiKey }), first];
}

test('svc connections says so if there are none', async () => {
  expect((await person.run(['connections'], TTY)).out).toBe('No connections. Only the API key may use this account.\n');
  expect((await person.run(['connections'])).out).toBe('');
});

test('svc connections lists them, latest first, for people and for programs', async () => {
  const ids = (await openTwo()).map(({ session }) => session.id);
  const shown = (await person.run(['connections'], TTY)).out;
  for (const id of ids)
    expect(shown).toContain(
      `${id.slice(-8)}  Unknown browser\n  web app, signed in just now, last used just now from 127.0.0.1\n`,
    );
  const lines = (await person.run(['connections'])).out.trimEnd().split('\n');
  expect(lines.map((line) => line.split('\t'))).toEqual(
    ids.map((id) => [id, 'page', expect.stringMatching(/Z$/), 'Unknown browser']),
  );
  const { data } = JSON.parse((await person.run(['connections', '--json'])).out);
  expect(data).toMatchObject(ids.map((id) => ({ id, kind: 'page', current: false })));
});

test('svc connections revoke signs a browser out, named by a part of its id', async () => {
  const [kept, ended] = await openTwo();
  const result = await person.run(['connections', 'revoke', ended.session.id.slice(-8)]);
  expect(result).toMatchObject({ code: 0, out: 'Revoked the connection.\n' });
  expect((await ended.call('/v1/account')).status).toBe(401);
  expect((await kept.call('/v1/account')).status).toBe(200);
  const json = await person.run(['connections', 'revoke', kept.session.id, '--json']);
  expect(JSON.parse(json.out)).toEqual({ revoked: [kept.session.id] });
  expect((await daemon.call(apiKey, '/v1/account')).status).toBe(200);
});

test('svc connections revoke fails for an id that is none, or of none', async () => {
  expect(await person.run(['connections', 'revoke', 'nonsense'])).toMatchObject({ code: 2 });
  expect(await person.run(['connections', 'revoke', 'deadbeef'])).toMatchObject({
    code: 1,
    err: "svc: No connection's id begins or ends with deadbeef. Run svc connections to see them.\n",
  });
  expect(await person.run(['connections', 'revoke', `con_${'0'.repeat(32)}`])).toMatchObject({ code: 1 });
});

test('svc connections shows who vouches for the name of an assistant', async () => {
  const { tenantId } = (await daemon.call<{ tenantId: string }>(apiKey, '/v1/account')).body;
  const nowMs = daemon.clock.nowMs();
  const ends = { createdAt: nowMs, lastUsedAt: nowMs, expiresAt: nowMs + 60_000, endsAt: nowMs + 60_000 };
  for (const [letter, verifiedHost] of [
    ['a', null],
    ['b', 'vetted.example'],
  ] as const) {
    const named = { client: 'Claude', verifiedHost, scope: 'memory', address: null, openedBy: null } as const;
    const row = { tenantId, id: `con_${letter.repeat(32)}`, kind: 'oauth', tokenHash: letter } as const;
    await daemon.db.writes.write(tenantId, (connection) => insertConnection(connection, { ...row, ...named, ...ends }));
  }
  const shown = (await person.run(['connections'], TTY)).out;
  expect(shown).toContain('aaaaaaaa  Claude (unverified name)\n');
  expect(shown).toContain('bbbbbbbb  Claude (verified by vetted.example)\n');
  expect((await person.run(['connections'])).out).toMatch(/\tClaude\tvetted\.example\n.*\tClaude\tunverified\n/);
});
