import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { makeTenant } from '../features/limits/tenants.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { BIN } from '../helpers/process.ts';

export interface Said {
  role: string;
  content: string;
}

export interface RunOptions {
  env?: Record<string, string>;
  client?: string;
  args?: string[];
}

/** Long enough for a busy machine; the tests of slow daemons use the default. */
export const PATIENT = ['--timeout', '15000'];

export const SILENT = { exitCode: 0, stdout: '', stderr: '' };

/** A daemon for all tests of a file, and for each of them an account and a home folder. */
export interface HookHarness {
  daemon: TestDaemon;
  apiKey: string;
  folder: string;
  /** Runs `svc hook` as an assistant does, with the text or object on standard input. */
  hook(
    event: string,
    input: unknown,
    options?: RunOptions,
  ): Promise<{ exitCode: number | undefined; stdout: string; stderr: string }>;
  /** Returns everything that the account's conversations store, oldest first. */
  stored(): Promise<Said[][]>;
  /** Adds a memory and returns its id. */
  add(content: string, fields?: object): Promise<string>;
}

export function hookHarness(): HookHarness {
  const harness = { hook, stored, add } as HookHarness;
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

  async function hook(
    event: string,
    input: unknown,
    { env = {}, client = 'claude-code', args = PATIENT }: RunOptions = {},
  ) {
    const { folder, daemon, apiKey } = harness;
    const { exitCode, stdout, stderr } = await execa(BIN, ['hook', event, '--client', client, ...args], {
      cwd: folder,
      extendEnv: false,
      env: {
        PATH: process.env.PATH ?? '',
        HOME: folder,
        SVC_CONFIG_DIR: join(folder, 'settings'),
        SVC_URL: daemon.baseUrl,
        SVC_API_KEY: apiKey,
        ...env,
      },
      input: typeof input === 'string' ? input : JSON.stringify(input),
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
