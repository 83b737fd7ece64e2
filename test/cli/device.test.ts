import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { loginCommand } from '../../src/cli/commands/login.ts';
import { logoutCommand } from '../../src/cli/commands/logout.ts';
import { statusCommand } from '../../src/cli/commands/status.ts';
import { openSession } from '../../src/cli/session.ts';
import type { Connection } from '../../src/contract/connections.ts';
import { decide } from '../features/connections/device.ts';
import { createCommandLine, type Running, type TestCommandLine } from '../helpers/command-line.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { startBridge } from './bridge-harness.ts';
import { createCliUser } from './memory-harness.ts';

let daemon: TestDaemon;
let line: TestCommandLine;
let apiKey: string;
let email: string;
let people = 0;
let decided: Promise<void>;
let afterDecision: () => void;

beforeAll(async () => {
  daemon = await startTestDaemon();
});
afterAll(() => daemon.close());
beforeEach(async () => {
  daemon.clock.advance(120_000);
  people += 1;
  email = `device${people}@example.com`;
  ({ apiKey } = await daemon.signIn(email));
  line = await createCommandLine({ context: { pause } });
});
afterEach(() => line.close());

const CODE = /^ {2}([0-9A-Z]{4}-[0-9A-Z]{4})$/m;
const statusOf = async (token: string) => (await daemon.call(token, '/v1/account')).status;
const devicesOf = async (key: string) =>
  (await daemon.call<{ data: Connection[] }>(key, '/v1/connections')).body.data.filter(({ kind }) => kind === 'device');
/** Lets the interval between two polls pass as soon as the device is allowed or denied. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await Promise.race([decided, once(signal, 'abort')]);
  signal.throwIfAborted();
  daemon.clock.advance(ms);
}

function start(...words: string[]) {
  decided = new Promise((resolve) => {
    afterDecision = resolve;
  });
  return line.start(loginCommand, '--device', '--url', daemon.baseUrl, '--email', email, ...words);
}

/** Allows or denies the device that a command line shows the code of. Returns the code. */
async function decideOn(running: Running, allow?: boolean): Promise<string> {
  const code = CODE.exec(await running.hears(CODE))![1]!;
  expect((await decide(daemon, apiKey, code, allow)).status).toBe(204);
  afterDecision();
  return code;
}

/** Connects this command line. Returns its token. */
async function connect(...words: string[]) {
  const running = start(...words);
  const code = await decideOn(running);
  const ending = await running.ended;
  expect(ending.error + ending.out).toContain(code);
  return { ...ending, code, token: (await openSession(line)).apiKey };
}

describe('svc login --device', () => {
  test('stores a token in the keychain and leaves the key alone', async () => {
    const { exitCode, out, error, code, token } = await connect();
    expect(exitCode).toBe(0);
    expect(error).toContain(`${daemon.publicUrl}/dashboard/connect?device=${code}`);
    expect(out).toContain(`Signed in as ${email}`);
    expect(out).toContain('as the device test-machine on ');
    expect(token).toMatch(/^svc_dev_/);
    expect(out + error + (await line.files())).not.toContain(token);
    expect([await statusOf(token), await statusOf(apiKey)]).toEqual([200, 200]);
    expect(line.keptSignIns).toEqual([]);
  });

  test('--json prints one object that names the device', async () => {
    const { out } = await connect('--json', '--profile', 'work');
    expect(JSON.parse(out)).toMatchObject({
      ...{ status: 'signed-in', email, profile: 'work', keyStore: 'keychain' },
      device: expect.stringMatching(/^test-machine on /),
    });
  });

  test('again replaces this machine’s connection, so that it is listed once', async () => {
    const first = await connect();
    daemon.clock.advance(60_000);
    const second = await connect();
    expect([await statusOf(first.token), await statusOf(second.token)]).toEqual([401, 200]);
    expect(await devicesOf(apiKey)).toHaveLength(1);
  });

  test('fails if the device is denied, and stores nothing', async () => {
    const running = start();
    await decideOn(running, false);
    const { exitCode, error } = await running.ended;
    expect([exitCode, error]).toEqual([1, expect.stringContaining('The device was denied')]);
    expect(line.keychain.entries.size).toBe(0);
  });

  test('stops at Ctrl-C, and after --timeout', async () => {
    const running = start();
    await running.hears(CODE);
    running.stop();
    expect(await running.ended).toMatchObject({
      exitCode: 130,
      error: expect.stringContaining('Nothing was connected'),
    });
    const impatient = await start('--timeout', '1').ended;
    expect(impatient).toMatchObject({
      exitCode: 1,
      error: expect.stringContaining('This device was not allowed in time'),
    });
  });

  test('revokes the token if it cannot be stored', async () => {
    const running = start('--key-store', 'keychain');
    await running.hears(CODE);
    line.keychain.failWrites = 'locked';
    await decideOn(running);
    expect(await running.ended).toMatchObject({ exitCode: 1, error: expect.stringContaining('was revoked') });
    expect(await devicesOf(apiKey)).toEqual([]);
    expect(await statusOf(apiKey)).toBe(200);
  });
});

test('commands work with the token; once it is revoked they exit with 3 and say why', async () => {
  const { token } = await connect();
  const person = await createCliUser(daemon.baseUrl, token, daemon.clock);
  try {
    expect(await person.run(['add', 'Ada prefers tea'])).toMatchObject({ code: 0 });
    expect((await person.run(['search', 'tea'])).out).toContain('Ada prefers tea');
    const listed = await person.run(['connections'], { tty: true });
    expect(listed.out).toMatch(/test-machine on \w+ \(this one\)\n {2}device, connected .*, last used .* from 127/);
    const [device] = await devicesOf(apiKey);
    const owner = await createCliUser(daemon.baseUrl, apiKey, daemon.clock);
    expect(await owner.run(['connections', 'revoke', device!.id.slice(-8)])).toMatchObject({ code: 0 });
    await owner.close();
    const refused = await person.run(['list']);
    expect(refused).toMatchObject({
      code: 3,
      err: expect.stringMatching(/This device \(test-machine on \w+\) was disconnected/),
    });
  } finally {
    await person.close();
  }
});

test('the bridge works with the token; once it is revoked it says which command connects the device again', async () => {
  const { token } = await connect();
  const bridge = await startBridge({ session: () => openSession(line) });
  try {
    const call = async () => (await bridge.ask('tools/call', { name: 'memory_list', arguments: {} })).result;
    expect((await call())?.content?.[0]?.text).toBe('No memories.');
    const [device] = await devicesOf(apiKey);
    await daemon.call(apiKey, `/v1/connections/${device!.id}`, { method: 'DELETE' });
    const refused = await call();
    expect(refused?.isError).toBe(true);
    expect(refused?.content?.[0]?.text).toMatch(/was disconnected less than a minute ago.*run `svc login --device`/s);
    expect(bridge.logged.join()).not.toContain(token);
  } finally {
    await bridge.close();
  }
});

test('svc status says which credential it uses, and svc logout disconnects the device alone', async () => {
  const { token } = await connect();
  expect((await line.run(statusCommand)).out).toMatch(/Device +test-machine on \w+: has a separate token/);
  const { credential } = JSON.parse((await line.run(statusCommand, '--json')).out);
  expect(credential).toMatchObject({ kind: 'device', scope: 'memory' });
  const { exitCode, out } = await line.run(logoutCommand);
  expect([exitCode, out]).toEqual([0, expect.stringContaining('this device was disconnected')]);
  expect([await statusOf(token), await statusOf(apiKey)]).toEqual([401, 200]);
  expect(line.keychain.entries.size).toBe(0);
});

test('a device stays connected when this machine or another signs in', async () => {
  const { token } = await connect();
  daemon.clock.advance(60_000);
  await daemon.signIn(email);
  expect([await statusOf(token), await statusOf(apiKey)]).toEqual([200, 401]);
  expect((await line.run(statusCommand)).exitCode).toBe(0);
});
