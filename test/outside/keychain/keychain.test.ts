import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createKeychain, KeychainError } from '../../../src/outside/keychain/keychain.ts';

const IMPLEMENTATION = fileURLToPath(new URL('fake-keyring.cjs', import.meta.url));
const KEY = 'svc_live_00112233445566778899aabbccddeeff';
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-keychain-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function open({ env = {}, timeoutMs = 10_000, onSlow = () => {} } = {}) {
  const bus = { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere', FAKE_KEYRING: join(folder, 'store.json') };
  return createKeychain({
    env: { PATH: process.env.PATH, ...bus, ...env },
    platform: 'linux',
    timeoutMs,
    onSlow,
    implementation: IMPLEMENTATION,
  });
}

async function faultOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => new Error('it succeeded'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof KeychainError)) throw error;
  expect(`${error.message} ${error.stack}`).not.toContain(KEY);
  return error.fault;
}

/** Ids of the processes running the child program. */
async function childrenOfOurs(): Promise<{ pid: number; commandLine: string; environment: string }[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
      return { pid: Number(pid), commandLine, environment };
    }),
  );
  return found.filter(
    ({ commandLine, environment }) => commandLine.includes('AsyncEntry') && environment.includes(folder),
  );
}

describe('the keychain', () => {
  test('stores, returns and deletes a password', async () => {
    const keychain = open();
    expect(await keychain.getPassword('svc', 'a')).toBeNull();
    await keychain.setPassword('svc', 'a', KEY);
    expect(await keychain.getPassword('svc', 'a')).toBe(KEY);
    expect(await keychain.getPassword('svc', 'b')).toBeNull();
    expect(await keychain.deletePassword('svc', 'a')).toBe(true);
    expect(await keychain.deletePassword('svc', 'a')).toBe(false);
  });

  test('a probe leaves nothing behind', async () => {
    await open().probe('svc');
    expect(JSON.parse(await readFile(join(folder, 'store.json'), 'utf8'))).toEqual({});
  });

  test('a write that cannot be read back is a fault', async () => {
    expect(await faultOf(open().setPassword('svc', 'forgets', KEY))).toBe('broken');
  });

  test('distinguishes absent, locked, refused and broken', async () => {
    const bare = open();
    const desktop = open({ env: { DISPLAY: ':0' } });
    expect(await faultOf(bare.getPassword('svc', 'nobus'))).toBe('absent');
    expect(await faultOf(bare.getPassword('svc', 'nokeyring'))).toBe('absent');
    expect(await faultOf(bare.getPassword('svc', 'locked'))).toBe('locked');
    expect(await faultOf(bare.getPassword('svc', 'dismissed'))).toBe('locked');
    expect(await faultOf(desktop.getPassword('svc', 'dismissed'))).toBe('refused');
    expect(await faultOf(bare.getPassword('svc', 'denied'))).toBe('refused');
    expect(await faultOf(bare.getPassword('svc', 'strange'))).toBe('broken');
  });

  test('without a session bus is absent immediately, without starting a process', async () => {
    const keychain = open({ env: { DBUS_SESSION_BUS_ADDRESS: '', XDG_RUNTIME_DIR: folder } });
    const probing = faultOf(keychain.probe('svc'));
    expect(await childrenOfOurs()).toEqual([]);
    expect(await probing).toBe('absent');
  });

  test('a call that hangs times out, and its process is killed', async () => {
    let slow = 0;
    const keychain = open({ timeoutMs: 2000, onSlow: () => (slow += 1) });
    const failing = faultOf(keychain.setPassword('svc', 'hangs', KEY));
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const during = await childrenOfOurs();
    expect(during).toHaveLength(1);
    expect(await failing).toBe('silent');
    expect(slow).toBe(1);
    await expect.poll(childrenOfOurs).toEqual([]);
  });

  test('the secret appears in no argument, environment or error', async () => {
    const env = { SVC_API_KEY: KEY, NODE_OPTIONS: '--trace-warnings' };
    const keychain = open({ timeoutMs: 1000, env });
    const failing = faultOf(keychain.setPassword('svc', 'hangs', KEY));
    await expect.poll(async () => (await childrenOfOurs()).length).toBe(1);
    const [child] = await childrenOfOurs();
    expect(child?.commandLine).not.toContain(KEY);
    expect(child?.environment).not.toContain(KEY);
    expect(child?.environment).not.toContain('NODE_OPTIONS');
    await failing;
    expect(await faultOf(keychain.setPassword('svc', 'leaks', KEY))).toBe('broken');
  });

  test('an implementation that cannot be loaded is an absent keychain', async () => {
    const env = { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere', PATH: process.env.PATH };
    const keychain = createKeychain({
      env,
      platform: 'linux',
      timeoutMs: 5000,
      implementation: join(folder, 'none.cjs'),
    });
    expect(await faultOf(keychain.getPassword('svc', 'a'))).toBe('absent');
  });
});
