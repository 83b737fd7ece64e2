import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { EXIT } from '../../src/cli/exit.ts';
import { makeTenant } from '../features/limits/tenants.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { BIN } from '../helpers/process.ts';
import { runHookHere } from '../helpers/run-hook.ts';

export interface Said {
  role: string;
  content: string;
}

interface RunOptions {
  env?: Record<string, string>;
  client?: string;
  args?: string[];
}

/** Long enough for a busy machine; the tests of slow daemons use the default. */
export const PATIENT = ['--timeout', '15000'];

interface Ran {
  exitCode: number | undefined;
  stdout: string;
  stderr: string;
}

export const SILENT = { exitCode: 0, stdout: '', stderr: '' };

/** A daemon for all tests of a file, and for each of them an account and a home folder. */
export interface HookHarness {
  daemon: TestDaemon;
  apiKey: string;
  folder: string;
  /** Runs `svc hook` in this process, with the text or object on standard input. */
  hook(event: string, input: unknown, options?: RunOptions): Promise<Ran>;
  /** Runs `svc hook` as an assistant does, in another process. */
  hookProcess(event: string, input: unknown, options?: RunOptions): Promise<Ran>;
  /** Returns everything that the account's conversations store, oldest first. */
  stored(): Promise<Said[][]>;
  /** Adds a memory and returns its id. */
  add(content: string, fields?: object): Promise<string>;
}

export function hookHarness(): HookHarness {
  const harness = { hook, hookProcess, stored, add } as HookHarness;
  let accounts = 0;

  beforeAll(async () => {
    harness.daemon = await startTestDaemon();
  });
  afterAll(() => harness.daemon.close());
  beforeEach(async () => {
    accounts += 1;
    const { apiKey } = await makeTenant(harness.daemon, `hook-${accounts}@example.com`, 'Enterprise');
    const folder = await mkdtemp(join(tmpdir(), 'svc-hook-'));
    Object.assign(harness, { apiKey, folder });
    return () => rm(folder, { recursive: true, force: true });
  });

  const environmentOf = (env: Record<string, string>) => ({
    PATH: process.env.PATH ?? '',
    HOME: harness.folder,
    SVC_CONFIG_DIR: join(harness.folder, 'settings'),
    SVC_URL: harness.daemon.baseUrl,
    SVC_API_KEY: harness.apiKey,
    ...env,
  });

  async function hook(
    event: string,
    input: unknown,
    { env = {}, client = 'claude-code', args = PATIENT }: RunOptions = {},
  ) {
    const environment = {
      home: harness.folder,
      platform: process.platform,
      cwd: harness.folder,
      env: environmentOf(env),
    };
    const words = [event, '--client', client, ...args];
    return { exitCode: EXIT.done, ...(await runHookHere(words, { input: textOf(input), environment })) };
  }

  async function hookProcess(
    event: string,
    input: unknown,
    { env = {}, client = 'claude-code', args = PATIENT }: RunOptions = {},
  ) {
    const { exitCode, stdout, stderr } = await execa(BIN, ['hook', event, '--client', client, ...args], {
      cwd: harness.folder,
      extendEnv: false,
      env: environmentOf(env),
      input: textOf(input),
      reject: false,
      stripFinalNewline: false,
    });
    return { exitCode, stdout, stderr };
  }

  async function stored(): Promise<Said[][]> {
    const { daemon, apiKey } = harness;
    const { body } = await daemon.call<{ data: { id: string }[] }>(apiKey, '/v1/conversations?limit=100');
    return Promise.all(
      body.data.map(async ({ id }) => {
        const path = `/v1/conversations/${id}/messages?order=oldest&limit=100`;
        const { data } = (await daemon.call<{ data: Said[] }>(apiKey, path)).body;
        return data.map(({ role, content }) => ({ role, content }));
      }),
    );
  }

  async function add(content: string, fields: object = {}) {
    const { daemon, apiKey } = harness;
    return (await daemon.call<{ id: string }>(apiKey, '/v1/memories', { body: { content, ...fields } })).body.id;
  }

  return harness;
}

const textOf = (input: unknown) => (typeof input === 'string' ? input : JSON.stringify(input));
