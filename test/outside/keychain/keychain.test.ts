import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createKeychain, KeychainError } from '../../../src/outside/keychain/keychain.ts';
import { keychainFault } from '../../../src/outside/keychain/keychain-fault.ts';

const IMPLEMENTATION = fileURLToPath(new URL('fake-keyring.cjs', import.meta.url));
const KEY = 'svc_live_00112233445566778899aabbccddeeff';
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-keychain-'));
});
afterEach(async () => {
  vi.useRealTimers();
  await rm(folder, { recursive: true, force: true });
});

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

interface Call {
  account: string;
  pid: number;
  words: string[];
  env: Record<string, string>;
}

/** The calls that reached the implementation, as it recorded them. */
async function recordedCalls(): Promise<Call[]> {
  const lines = (await readFile(join(folder, 'store.json.calls'), 'utf8').catch(() => '')).split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line));
}

/** Waits for the process in which a call hangs. */
async function hangingProcess(): Promise<Call> {
  const calls = async () => (await recordedCalls()).filter(({ account }) => account === 'hangs');
  await expect.poll(calls).not.toEqual([]);
  return (await calls())[0]!;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
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

  test.each([
    [
      'absent',
      false,
      'Platform failure: DBus error: Using X11 for dbus-daemon autolaunch was disabled at compile time',
    ],
    ['absent', false, "Couldn't access platform storage: Secret Service: no result found"],
    ['locked', false, 'zbus error: org.freedesktop.Secret.Error.IsLocked: Cannot get secret of a locked object'],
    ['locked', false, "Couldn't access platform storage: Secret Service: unlock prompt was dismissed"],
    ['refused', true, "Couldn't access platform storage: Secret Service: unlock prompt was dismissed"],
    ['refused', false, "Couldn't access platform storage: AccessDenied"],
    ['broken', false, 'Platform failure: 42'],
  ] as const)('distinguishes %s (with a display: %s): %s', (fault, canPrompt, reason) => {
    expect(keychainFault(reason, canPrompt)).toBe(fault);
  });

  test('a dismissed prompt is a refusal only where there is a display', async () => {
    const faults = [open(), open({ env: { DISPLAY: ':0' } })].map((keychain) =>
      faultOf(keychain.getPassword('svc', 'dismissed')),
    );
    expect(await Promise.all(faults)).toEqual(['locked', 'refused']);
  });

  test('without a session bus is absent immediately, without starting a process', async () => {
    const keychain = open({ env: { DBUS_SESSION_BUS_ADDRESS: '', XDG_RUNTIME_DIR: folder } });
    expect(await faultOf(keychain.probe('svc'))).toBe('absent');
    expect(await recordedCalls()).toEqual([]);
    expect(await faultOf(open().getPassword('svc', 'dismissed'))).toBe('locked');
    expect(await recordedCalls()).toHaveLength(1);
  });

  test('a call that hangs times out, and its process is killed', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    let slow = 0;
    const failing = faultOf(open({ onSlow: () => (slow += 1) }).setPassword('svc', 'hangs', KEY));
    const { pid } = await hangingProcess();
    vi.advanceTimersByTime(9_999);
    expect(slow).toBe(1);
    expect(isRunning(pid)).toBe(true);
    vi.advanceTimersByTime(1);
    expect(await failing).toBe('silent');
    expect(slow).toBe(1);
    await expect.poll(() => isRunning(pid)).toBe(false);
  });

  test('the secret appears in no argument, environment or error', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const keychain = open({ env: { SVC_API_KEY: KEY, NODE_OPTIONS: '--trace-warnings' } });
    const failing = faultOf(keychain.setPassword('svc', 'hangs', KEY));
    const { words, env } = await hangingProcess();
    expect(words.join()).toContain('AsyncEntry');
    expect(words.join()).not.toContain(KEY);
    expect(env).toMatchObject({ PATH: process.env.PATH });
    expect(JSON.stringify(env)).not.toContain(KEY);
    expect(env).not.toHaveProperty('NODE_OPTIONS');
    vi.advanceTimersByTime(10_000);
    expect(await failing).toBe('silent');
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
