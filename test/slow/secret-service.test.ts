import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createKeychain, KeychainError } from '../../src/outside/keychain/keychain.ts';
import { confirmLink } from '../helpers/command-line.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { startSession, type TestSession } from '../helpers/secret-service.ts';

/** Runs the keychain and the built `svc` against a real Secret Service. */

const SVC = fileURLToPath(new URL('../../bin/svc', import.meta.url));
const EMAIL = 'ana@example.com';
const KEY = /svc_live_[0-9a-f]{32}/;
let session: TestSession | undefined;

afterEach(async () => {
  await session?.close();
  session = undefined;
});

async function open(options: Parameters<typeof startSession>[0], timeoutMs = 10_000) {
  session = await startSession(options);
  return createKeychain({ env: session.env, platform: 'linux', timeoutMs });
}

async function faultOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return error instanceof KeychainError ? error.fault : `no fault: ${error}`;
}

describe('a real Secret Service', () => {
  test('stores, returns and deletes a password', async () => {
    const keychain = await open({ keyring: true });
    await keychain.probe('svc');
    expect(await keychain.getPassword('svc', 'probe')).toBeNull();
    await keychain.setPassword('svc', 'default http://127.0.0.1:8787', 'one');
    await keychain.setPassword('svc', 'work https://svc.example.com', 'two');
    await keychain.setPassword('svc', 'default http://127.0.0.1:8787', 'three');
    expect(await keychain.getPassword('svc', 'default http://127.0.0.1:8787')).toBe('three');
    expect(await keychain.getPassword('svc', 'work https://svc.example.com')).toBe('two');
    expect(await keychain.deletePassword('svc', 'work https://svc.example.com')).toBe(true);
    expect(await keychain.deletePassword('svc', 'work https://svc.example.com')).toBe(false);
    expect(await keychain.getPassword('svc', 'work https://svc.example.com')).toBeNull();
  });

  test('is absent without a Secret Service on the bus, or without a bus', async () => {
    const keychain = await open({ keyring: false });
    expect(await faultOf(keychain.probe('svc'))).toBe('absent');
    expect(await faultOf(keychain.getPassword('svc', 'a'))).toBe('absent');
    const env = { ...session!.env, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere' };
    const nowhere = createKeychain({ env, platform: 'linux', timeoutMs: 10_000 });
    expect(await faultOf(nowhere.probe('svc'))).toBe('absent');
  });

  test('is locked at once if it cannot prompt', async () => {
    const keychain = await open({ keyring: true });
    await keychain.setPassword('svc', 'a', 'one');
    await session!.lock();
    const beganMs = performance.now();
    expect(await faultOf(keychain.getPassword('svc', 'a'))).toBe('locked');
    expect(await faultOf(keychain.setPassword('svc', 'a', 'two'))).toBe('locked');
    expect(await faultOf(keychain.deletePassword('svc', 'a'))).toBe('locked');
    expect(await faultOf(keychain.probe('svc'))).toBe('locked');
    expect(performance.now() - beganMs).toBeLessThan(5000);
  });

  test('is silent if nobody answers its prompt, without hanging', async () => {
    const keychain = await open({ keyring: true, hangingPrompt: true }, 1500);
    await keychain.setPassword('svc', 'a', 'one');
    await session!.lock();
    const beganMs = performance.now();
    expect(await faultOf(keychain.getPassword('svc', 'a'))).toBe('silent');
    expect(performance.now() - beganMs).toBeLessThan(3000);
  });
});

describe('svc with a Secret Service', () => {
  let daemon: TestDaemon;
  let folder: string;

  beforeAll(async () => {
    daemon = await startTestDaemon();
    folder = await mkdtemp(join(tmpdir(), 'svc-keychain-'));
  });
  afterAll(async () => {
    await daemon.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Runs svc with the debug logs of libraries and of Node's child processes. */
  const svc = (env: Record<string, string>, ...words: string[]) =>
    execa(process.execPath, [SVC, ...words], {
      env: {
        ...env,
        SVC_CONFIG_DIR: join(folder, 'svc'),
        SVC_URL: daemon.baseUrl,
        DEBUG: '*',
        NODE_DEBUG: 'child_process',
      },
      extendEnv: false,
      reject: false,
      timeout: 60_000,
    });

  async function settingsText(): Promise<string> {
    const names = await readdir(join(folder, 'svc'));
    return (await Promise.all(names.map((name) => readFile(join(folder, 'svc', name), 'utf8')))).join('\n');
  }

  test('signs in and out without the key in any argument, output, debug log or file', async () => {
    session = await startSession({ keyring: true });
    const watch = watchProcesses();
    const login = svc(session.env, 'login', '--email', EMAIL, '--json');
    login.stdin.write(`${(await confirmLink(daemon, EMAIL)).code}\n`);
    const signedIn = await login;
    expect(signedIn.exitCode, signedIn.stderr).toBe(0);
    expect(JSON.parse(signedIn.stdout)).toMatchObject({ email: EMAIL, keyStore: 'keychain' });
    const status = await svc(session.env, 'status', '--json');
    expect(JSON.parse(status.stdout)).toMatchObject({ signedIn: true, keyStore: 'keychain' });
    const keychain = createKeychain({ env: session.env, platform: 'linux', timeoutMs: 10_000 });
    const account = `default ${daemon.baseUrl}`;
    expect(await keychain.getPassword('svc', account)).toMatch(KEY);
    const settings = await settingsText();
    const signedOut = await svc(session.env, 'logout');
    expect(signedOut.exitCode, signedOut.stderr).toBe(0);
    expect(await keychain.getPassword('svc', account)).toBeNull();
    const seen = await watch.stop();
    expect(seen).toContain('AsyncEntry');
    for (const text of [seen, settings, daemon.logLines.join('\n')]) expect(text).not.toMatch(KEY);
    for (const { stdout, stderr } of [signedIn, status, signedOut]) expect(stdout + stderr).not.toMatch(KEY);
  });

  test('svc status reports a locked keyring in bounded time', async () => {
    session = await startSession({ keyring: true, hangingPrompt: true });
    const login = svc(session.env, 'login', '--email', EMAIL, '--json');
    const before = (await daemon.mailbox.mailsTo(EMAIL)).at(-1)?.name;
    login.stdin.write(`${(await confirmLink(daemon, EMAIL, before)).code}\n`);
    expect((await login).exitCode).toBe(0);
    await session.lock();
    const beganMs = performance.now();
    const { exitCode, stdout } = await svc(session.env, 'status');
    expect(exitCode).toBe(1);
    expect(stdout).toContain('did not respond in time');
    expect(performance.now() - beganMs).toBeLessThan(15_000);
  });
});

/** Collects the command lines of all processes on the machine until stopped. */
function watchProcesses() {
  const seen = new Set<string>();
  let running = true;
  const watching = (async () => {
    while (running) {
      for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
        seen.add(await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''));
      }
    }
  })();
  return {
    async stop() {
      running = false;
      await watching;
      return [...seen].join('\n');
    },
  };
}
