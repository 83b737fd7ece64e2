import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { Command } from 'commander';
import type { AccountContext, StoredSignIn } from '../../src/cli/account-context.ts';
import { toFailure } from '../../src/cli/failure.ts';
import { openSettings, type Profile, type Settings } from '../../src/cli/settings.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { type Keychain, KeychainError, type KeychainFault } from '../../src/outside/keychain/keychain.ts';
import type { TestDaemon } from './daemon.ts';

export interface TestKeychain extends Keychain {
  entries: Map<string, string>;
  /** Makes every call fail; `writes` lets the probe pass and fails later writes. */
  fault: KeychainFault | undefined;
  failWrites: KeychainFault | undefined;
}

/** An in-memory keychain that fails on demand. */
export function createTestKeychain(fault?: KeychainFault): TestKeychain {
  const entries = new Map<string, string>();
  const nameOf = (service: string, account: string) => `${service}|${account}`;
  const keychain: TestKeychain = {
    entries,
    fault,
    failWrites: undefined,
    async getPassword(service, account) {
      check(keychain.fault);
      return entries.get(nameOf(service, account)) ?? null;
    },
    async setPassword(service, account, password) {
      check(keychain.fault ?? keychain.failWrites);
      entries.set(nameOf(service, account), password);
    },
    async deletePassword(service, account) {
      check(keychain.fault);
      return entries.delete(nameOf(service, account));
    },
    probe: async () => check(keychain.fault),
  };
  return keychain;
}

function check(fault: KeychainFault | undefined): void {
  if (fault) throw new KeychainError(fault);
}

interface Ending {
  exitCode: number;
  out: string;
  error: string;
}

/** A running command whose input is a person or a pipe. */
export interface Running {
  type(line: string): void;
  endInput(): void;
  /** Standard error so far. */
  stderr(): string;
  /** Waits for this text on standard error. */
  hears(words: string | RegExp): Promise<string>;
  stop(): void;
  ended: Promise<Ending>;
}

export interface TestCommandLine {
  folder: string;
  settings: Settings;
  keychain: TestKeychain;
  /** Sign-ins reported through `afterLogin`. */
  keptSignIns: StoredSignIn[];
  start(make: (context: AccountContext) => Command, ...words: string[]): Running;
  run(make: (context: AccountContext) => Command, ...words: string[]): Promise<Ending>;
  /** The content of all files in the settings folder. */
  files(): Promise<string>;
  close(): Promise<void>;
}

export interface CommandLineOptions {
  keychain?: TestKeychain;
  env?: Record<string, string>;
  /** The input is a terminal, without an interactive UI. */
  isTty?: boolean;
  columns?: number;
  context?: Partial<AccountContext>;
}

/** Runs the command line in this process, with its own settings folder and an in-memory keychain. */
export async function createCommandLine(options: CommandLineOptions = {}): Promise<TestCommandLine> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-settings-'));
  const environment = {
    home: folder,
    platform: process.platform,
    cwd: folder,
    env: { SVC_CONFIG_DIR: folder, ...options.env },
  };
  const keychain = options.keychain ?? createTestKeychain();
  const keptSignIns: StoredSignIn[] = [];

  function start(make: (context: AccountContext) => Command, ...words: string[]): Running {
    const stdin = new PassThrough();
    const written = { out: '', error: '' };
    let stop = (_signal: string) => {};
    const stopped = new Promise<string>((resolve) => {
      stop = resolve;
    });
    const context: AccountContext = {
      terminal: {
        out(text) {
          written.out += text;
        },
        error(text) {
          written.error += text;
        },
        isTty: false,
        errorIsTty: false,
        columns: options.columns ?? 80,
        color: false,
        closed: new AbortController().signal,
      },
      input: { isTty: options.isTty ?? false, stream: stdin, ask: () => Promise.reject(new Error('not used')) },
      environment,
      clock: systemClock,
      stopSignal: () => stopped,
      random: systemRandom,
      hostName: 'test-machine',
      keychain,
      afterLogin: async (kept) => void keptSignIns.push(kept),
      ...options.context,
    };
    const ended = end(make(context), words, context).then((exitCode) => ({ exitCode, ...written }));
    return {
      type: (line) => void stdin.write(`${line}\n`),
      endInput: () => void stdin.end(),
      stderr: () => written.error,
      hears: (words) => waitFor(() => written.error, words),
      stop: () => stop('SIGINT'),
      ended,
    };
  }

  return {
    folder,
    settings: openSettings(environment),
    keychain,
    keptSignIns,
    start,
    run: (make, ...words) => start(make, ...words).ended,
    files: async () => {
      const names = await readdir(folder);
      return (await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))).join('\n');
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Ends like the program: expected failures as messages, commander's usage errors with exit code 2. */
async function end(command: Command, words: string[], { terminal }: AccountContext): Promise<number> {
  for (const one of [command, ...command.commands]) {
    one.exitOverride().configureOutput({ writeOut: terminal.out, writeErr: terminal.error });
  }
  try {
    await command.parseAsync(words, { from: 'user' });
    return 0;
  } catch (error) {
    if ((error as Error).name === 'CommanderError') return (error as { exitCode: number }).exitCode === 0 ? 0 : 2;
    const failure = toFailure(error);
    if (!failure) throw error;
    if (failure.message !== '') terminal.error(`svc: ${failure.message}\n`);
    return failure.exitCode;
  }
}

/** Polls for up to fifteen seconds until the text appears. */
async function waitFor(text: () => string, words: string | RegExp): Promise<string> {
  for (const deadline = performance.now() + 15_000; performance.now() < deadline; ) {
    const match = typeof words === 'string' ? text().includes(words) : words.test(text());
    if (match) return text();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`Not within fifteen seconds: ${words}\n${text()}`);
}

export interface ShownCode {
  code: string;
  loopbackUrl: string | undefined;
}

/** Opens the newest link mailed to `email`, presses the button and reads the code on the page. */
export async function confirmLink(daemon: TestDaemon, email: string, after?: string): Promise<ShownCode> {
  const page = await daemon.redeem(await daemon.mailbox.latestLink(email, { after }));
  const code = /id="code">([^<]+)</.exec(page.text)?.[1];
  if (code === undefined) throw new Error(`no code: ${page.status} ${page.text}`);
  const loopbackUrl = /data-loopback-url="([^"]+)"/.exec(page.text)?.[1]?.replaceAll('&amp;', '&');
  return { code, loopbackUrl };
}

/** Stores a profile with a key, as a sign-in does. */
export async function keepProfile(
  line: TestCommandLine,
  name: string,
  profile: Profile,
  apiKey: string,
): Promise<void> {
  line.keychain.entries.set(`svc|${name} ${profile.url}`, apiKey);
  await line.settings.save(name, profile);
}
