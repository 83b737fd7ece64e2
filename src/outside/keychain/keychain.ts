import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { CHILD_PROGRAM, type ChildAnswer, type ChildRequest } from './keychain-child.ts';
import { KeychainError, keychainFault } from './keychain-fault.ts';

export { KeychainError, type KeychainFault } from './keychain-fault.ts';

/** The operating system's keychain, with keytar's interface. Every call settles in time or throws a `KeychainError`. */
export interface Keychain {
  getPassword(service: string, account: string): Promise<string | null>;
  /** Verifies the write by reading it back. */
  setPassword(service: string, account: string, password: string): Promise<void>;
  /** Returns whether there was one. */
  deletePassword(service: string, account: string): Promise<boolean>;
  /**
   * Resolves if passwords can be stored: writes one, reads it back and deletes it, which may prompt somebody to unlock
   * the keychain. Call it before creating a secret that would otherwise be lost.
   */
  probe(service: string): Promise<void>;
}

export interface KeychainOptions {
  env: Readonly<Record<string, string | undefined>>;
  platform: NodeJS.Platform;
  /** Timeout of a call. Long enough to type a password if somebody may be prompted for one. */
  timeoutMs: number;
  /** Called when a call takes so long that somebody is probably being prompted to unlock the keychain. */
  onSlow?: () => void;
  /** Path of the implementation; replaced in tests. */
  implementation?: string;
}

const SLOW_MS = 1500;

/**
 * Runs each call in a child process (about 70 ms). A keychain that waits for its owner blocks a thread, and a process
 * with a blocked thread cannot exit, but a child can be killed. Secrets pass through pipes, never through arguments or
 * the environment.
 */
export function createKeychain(options: KeychainOptions): Keychain {
  const { env, platform } = options;
  const canPrompt = platform !== 'linux' || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);

  async function call(request: Omit<ChildRequest, 'implementation'>): Promise<string | boolean | null> {
    if (platform === 'linux' && !hasSessionBus(env)) throw new KeychainError('absent');
    const answer = await askChild({ ...request, implementation: implementationOf(options) }, options);
    if ('reason' in answer) throw new KeychainError(keychainFault(answer.reason, canPrompt));
    return answer.value;
  }

  async function callExpectingTrue(request: Omit<ChildRequest, 'implementation'>): Promise<void> {
    if ((await call(request)) !== true) throw new KeychainError('broken');
  }

  return {
    getPassword: async (service, account) => (await call({ action: 'get', service, account })) as string | null,
    setPassword: (service, account, password) => callExpectingTrue({ action: 'set', service, account, password }),
    deletePassword: async (service, account) => (await call({ action: 'delete', service, account })) as boolean,
    probe: (service) => callExpectingTrue({ action: 'probe', service, account: 'probe', password: 'probe' }),
  };
}

function implementationOf({ implementation }: KeychainOptions): string {
  try {
    return implementation ?? createRequire(import.meta.url).resolve('@napi-rs/keyring');
  } catch {
    throw new KeychainError('absent');
  }
}

/**
 * Without a session bus (servers, containers, cron) there is no Secret Service; checking first saves a child process
 * that would fail.
 */
function hasSessionBus(env: KeychainOptions['env']): boolean {
  return Boolean(env.DBUS_SESSION_BUS_ADDRESS) || existsSync(`${runtimeFolder(env)}/bus`);
}

function runtimeFolder(env: KeychainOptions['env']): string {
  return env.XDG_RUNTIME_DIR || `/run/user/${process.getuid?.()}`;
}

async function askChild(request: ChildRequest, { env, timeoutMs, onSlow }: KeychainOptions): Promise<ChildAnswer> {
  // Commands that need no key start faster without these.
  const [{ spawn }, { createInterface }] = await Promise.all([import('node:child_process'), import('node:readline')]);
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['-e', CHILD_PROGRAM], {
      env: environmentOfChild(env),
      stdio: ['pipe', 'pipe', 'ignore'],
      windowsHide: true,
    });
    const slow = setTimeout(() => onSlow?.(), SLOW_MS);
    const late = setTimeout(() => settle(() => reject(new KeychainError('silent'))), timeoutMs);
    function settle(end: () => void): void {
      clearTimeout(slow);
      clearTimeout(late);
      child.kill('SIGKILL');
      end();
    }
    const fail = () => settle(() => reject(new KeychainError('broken')));
    createInterface({ input: child.stdout }).once('line', (line) =>
      settle(() => resolve(JSON.parse(line) as ChildAnswer)),
    );
    child.once('error', fail).once('exit', fail);
    child.stdin.on('error', fail);
    child.stdin.write(`${JSON.stringify(request)}\n`);
  });
}

/** The current environment without our own secrets and without variables that change how Node runs. */
function environmentOfChild(env: KeychainOptions['env']): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^(NODE_|SVC_)/i.test(name)));
}
