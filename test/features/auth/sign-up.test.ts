import { afterAll, describe, expect, test } from 'vitest';
import type { Config } from '../../../src/daemon/config-settings.ts';
import type { Answer, TestDaemon } from '../../helpers/daemon.ts';
import {
  askFor,
  codeIn,
  fromElsewhere,
  mailsAfterAll,
  pressButton,
  receiveLink,
  signInAs,
  startSignInDaemon,
  startTerminal,
  statusOf,
  typeCode,
} from '../../helpers/sign-in.ts';

const daemons: TestDaemon[] = [];
afterAll(() => Promise.all(daemons.map((daemon) => daemon.close())));

/** Starts a daemon with this policy. Tests run concurrently, each with its own daemon. */
async function start(config: Partial<Config>): Promise<TestDaemon> {
  const daemon = await startSignInDaemon({ config });
  daemons.push(daemon);
  return daemon;
}

/** The deterministic parts of a response. */
function visible({ status, headers, body }: Answer) {
  const names = [...headers.keys()].filter((name) => name !== 'set-cookie');
  return { status, names, fields: Object.keys(body), bodyStatus: body.status, cookies: headers.getSetCookie().length };
}

/** Asserts that all addresses get the same response. Returns the addresses that were sent a mail. */
async function mailed(daemon: TestDaemon, addresses: readonly string[]): Promise<string[]> {
  const answers: Answer[] = [];
  for (const email of addresses) answers.push(await askFor(daemon, { email }));
  for (const answer of answers) expect(visible(answer)).toEqual(visible(answers[0]!));
  expect(answers[0]?.status).toBe(202);
  const counts = await Promise.all(addresses.map((email) => mailsAfterAll(daemon, email)));
  return addresses.filter((_, index) => counts[index] === 1);
}

/** Creates an account regardless of the policy. */
const createAccount = (daemon: TestDaemon, email: string) =>
  daemon.db.writes.write('daemon', (connection) => daemon.accounts.findOrCreate(connection, email));

describe.concurrent('who can create an account', () => {
  test('open: anyone', async () => {
    const daemon = await start({ signup: 'open' });
    expect(await mailed(daemon, ['ada@example.com', 'bob@other.example'])).toEqual([
      'ada@example.com',
      'bob@other.example',
    ]);
    expect(await statusOf(daemon, await signInAs(daemon, 'eve@example.com'))).toBe(200);
  });

  test('open with domains: exact matches of these domains, and existing accounts', async () => {
    const daemon = await start({ signup: 'open', signupDomains: ['example.com'] });
    await createAccount(daemon, 'old@other.example');
    const barred = ['bob@other.example', 'bob@sub.example.com', 'bob@notexample.com', 'bob@example.com.evil.example'];
    expect(
      await mailed(
        daemon,
        [...barred, 'ada@EXAMPLE.com', 'old@other.example'].map((email) => email.toLowerCase()),
      ),
    ).toEqual(['ada@example.com', 'old@other.example']);
  });

  test('closed: new addresses never get a mail, existing accounts can sign in', async () => {
    const daemon = await start({ signup: 'closed' });
    await createAccount(daemon, 'old@example.com');
    await daemon.accounts.invite('invited@example.com');
    expect(await mailed(daemon, ['new@example.com', 'invited@example.com', 'old@example.com'])).toEqual([
      'old@example.com',
    ]);
    const { login } = startTerminal();
    for (let count = 0; count < 5; count += 1) await askFor(daemon, { email: 'new@example.com', login });
    expect(await mailsAfterAll(daemon, 'new@example.com')).toBe(0);
    const link = await daemon.mailbox.latestLink('old@example.com');
    expect((await pressButton(daemon, link)).status).toBe(303);
  });

  test('invite: invited addresses can sign up and sign in again, others get no mail', async () => {
    const daemon = await start({ signup: 'invite' });
    await daemon.accounts.invite('ada@example.com');
    expect(await mailed(daemon, ['ada@example.com', 'bob@example.com'])).toEqual(['ada@example.com']);
    const link = await daemon.mailbox.latestLink('ada@example.com');
    expect((await pressButton(daemon, link)).status).toBe(303);
    expect(await daemon.accounts.invitations()).toEqual([]);
    expect(await statusOf(daemon, await signInAs(daemon, 'ada@example.com'))).toBe(200);
  });

  test('withdrawing an invitation voids the link and code already sent', async () => {
    const daemon = await start({ signup: 'invite' });
    for (const email of ['ada@example.com', 'bob@example.com', 'cleo@example.com']) await daemon.accounts.invite(email);
    const browser = await receiveLink(daemon, 'ada@example.com');
    const terminal = startTerminal();
    const asked = await receiveLink(daemon, 'bob@example.com', terminal.login);
    const code = codeIn(await pressButton(daemon, asked.link));
    await daemon.accounts.withdraw('ada@example.com');
    await daemon.accounts.withdraw('bob@example.com');
    expect((await pressButton(daemon, browser.link)).status).toBe(410);
    expect((await typeCode(daemon, code, terminal.codeVerifier)).status).toBe(410);
    expect(await daemon.accounts.list()).toEqual([]);
    expect(await statusOf(daemon, await signInAs(daemon, 'cleo@example.com'))).toBe(200);
  });

  test('stores no usable link for a barred address', async () => {
    const daemon = await start({ signup: 'closed' });
    await askFor(daemon, { email: 'new@example.com' });
    const [row] = await daemon.db.readers.all<{ delivered: number }>('SELECT delivered FROM signInLinks');
    expect(row?.delivered).toBe(0);
    expect(await mailsAfterAll(daemon, 'new@example.com')).toBe(0);
  });
});

describe.concurrent('an account', () => {
  test('is created at the first sign-in, not at the link request', async () => {
    const daemon = await start({});
    const { link } = await receiveLink(daemon, 'ada@example.com');
    expect(await daemon.accounts.list()).toEqual([]);
    await pressButton(daemon, link);
    expect(await daemon.accounts.list()).toHaveLength(1);
  });

  test('can sign up again empty after erasure, and its old key and links stay invalid', async () => {
    const daemon = await start({});
    const email = 'ada@example.com';
    const oldKey = await signInAs(daemon, email);
    const memory = { content: 'Anna takes her tea without sugar.' };
    await daemon.call(oldKey, '/v1/memories', { body: memory });
    const old = (await daemon.call(oldKey, '/v1/account')).body;
    const { link } = await receiveLink(daemon, email);
    const erased = await daemon.call(oldKey, '/v1/account', { method: 'DELETE', headers: fromElsewhere() });
    expect(erased.status).toBe(204);
    expect(await statusOf(daemon, oldKey)).toBe(401);
    expect((await pressButton(daemon, link)).status).toBe(410);

    const newKey = await signInAs(daemon, email);
    const fresh = (await daemon.call(newKey, '/v1/account')).body;
    expect(fresh.email).toBe(email);
    expect(fresh.tenantId).not.toBe(old.tenantId);
    expect((await daemon.call(newKey, '/v1/memories')).body).toMatchObject({ data: [] });
    expect(await statusOf(daemon, oldKey)).toBe(401);
  });

  test('needs a new invitation after erasure if sign-up is by invitation', async () => {
    const daemon = await start({ signup: 'invite' });
    await daemon.accounts.invite('ada@example.com');
    const key = await signInAs(daemon, 'ada@example.com');
    await daemon.call(key, '/v1/account', { method: 'DELETE' });
    await askFor(daemon, { email: 'ada@example.com' });
    expect(await mailsAfterAll(daemon, 'ada@example.com')).toBe(1);
    await daemon.accounts.invite('ada@example.com');
    expect(await statusOf(daemon, await signInAs(daemon, 'ada@example.com'))).toBe(200);
  });
});
