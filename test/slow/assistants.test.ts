import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { execa } from 'execa';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createKeyStore } from '../../src/cli/key-store.ts';
import type { Environment } from '../../src/cli/settings.ts';
import { openSettings } from '../../src/cli/settings.ts';
import { runMcpConfig } from '../cli/assistants/run-mcp-config.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { BIN } from '../helpers/process.ts';

/** Real assistants, installed from the registry, list and reach svc through what `svc mcp-config` wrote. */

const PACKAGES = ['@anthropic-ai/claude-code', '@openai/codex', '@google/gemini-cli', 'opencode-ai'];

interface Assistant {
  id: string;
  list: string[];
  /** What the list says of a server that was reached, or (Codex, which does not try) of one that is known. */
  listed: RegExp;
  /** A command that makes it connect, where the list does not. */
  connect?: (modelUrl: string) => string[];
}

const ASSISTANTS: Assistant[] = [
  { id: 'claude-code', list: ['claude', 'mcp', 'list'], listed: /^svc: .* ✔ Connected$/m },
  {
    id: 'codex',
    list: ['codex', 'mcp', 'list'],
    listed: /^svc .* enabled /m,
    // A turn with a model that answers nothing but errors: the servers are started all the same.
    connect: (modelUrl) => [
      ...['codex', 'exec', '--skip-git-repo-check', '-c', 'model_provider=none'],
      ...['-c', `model_providers.none={name="none",base_url="${modelUrl}",wire_api="responses",request_max_retries=0}`],
      'Hello',
    ],
  },
  { id: 'gemini', list: ['gemini', 'mcp', 'list'], listed: /✓ svc: .* - Connected$/m },
  { id: 'opencode', list: ['opencode', 'mcp', 'list'], listed: /✓ svc .*connected/ },
];

let daemon: TestDaemon;
let apiKey: string;
let installed: string;
let model: Server;
let home: string;
let environment: Environment;
/** Status of each answer that the daemon gave at its MCP door. */
const answers: number[] = [];

beforeAll(async () => {
  installed = await mkdtemp(join(tmpdir(), 'svc-assistants-'));
  await execa('npm', ['install', '--prefix', installed, '--no-audit', '--no-fund', ...PACKAGES]);
  daemon = await startTestDaemon();
  apiKey = (await daemon.signIn('a@example.com')).apiKey;
  daemon.app.server.on('request', (request, response) => {
    response.on(
      'finish',
      () => request.url === '/v1/mcp' && request.method === 'POST' && answers.push(response.statusCode),
    );
  });
  model = createServer((_, response) => response.writeHead(400, { 'content-type': 'application/json' }).end('{}'));
  await new Promise<void>((listening) => model.listen(0, '127.0.0.1', listening));
}, 600_000);

afterAll(async () => {
  await daemon?.close();
  model?.close();
  await rm(installed, { recursive: true, force: true });
});

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'svc-assistant-home-'));
  const cwd = join(home, 'project');
  await mkdir(cwd);
  await mkdir(join(home, '.gemini'));
  await writeFile(join(home, '.gemini/trustedFolders.json'), JSON.stringify({ [cwd]: 'TRUST_FOLDER' }));
  const env = { PATH: process.env.PATH, SVC_CONFIG_DIR: join(home, 'svc') };
  environment = { home, cwd, platform: process.platform, env };
  answers.length = 0;
  return () => rm(home, { recursive: true, force: true, maxRetries: 5 });
});

/** Signs in as `svc login` leaves it where there is no keychain. */
async function keepKey(): Promise<void> {
  const settings = openSettings(environment);
  await settings.save('default', { url: daemon.baseUrl, email: 'a@example.com', tenantId: 'ten_1', keyStore: 'file' });
  const keychain = { getPassword: none, setPassword: none, deletePassword: none, probe: none };
  await createKeyStore('file', { settings, keychain }).set('default', daemon.baseUrl, apiKey);
}

const none = () => Promise.reject(new Error('no keychain'));

async function setUp(...argv: string[]): Promise<void> {
  const result = await runMcpConfig(argv, {
    environment,
    context: {
      session: async () => ({ profileName: 'default', url: daemon.baseUrl, apiKey }),
      program: { node: process.execPath, script: BIN },
    },
  });
  expect(result, result.error).toMatchObject({ exitCode: 0 });
}

/** Runs an assistant with nothing of this machine but its search path. */
async function start([command = '', ...args]: string[], env: Record<string, string> = {}): Promise<string> {
  const { all } = await execa(join(installed, 'node_modules/.bin', command), args, {
    extendEnv: false,
    env: { PATH: process.env.PATH ?? '', HOME: home, NO_COLOR: '1', ...env },
    cwd: environment.cwd,
    stdin: 'ignore',
    all: true,
    reject: false,
    timeout: 120_000,
  });
  return stripVTControlCharacters(all);
}

async function expectReached({ list, listed, connect }: Assistant, env: Record<string, string> = {}): Promise<void> {
  const shown = await start(list, env);
  expect(shown).toMatch(listed);
  const tried = connect
    ? await start(connect(`http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`), env)
    : '';
  expect(answers.filter((status) => status === 200).length, shown + tried).toBeGreaterThanOrEqual(2);
  expect(answers.filter((status) => status >= 400)).toEqual([]);
}

describe.each(ASSISTANTS)('$id', (assistant) => {
  test('reaches svc by its address, with the key in the file', async () => {
    await setUp(assistant.id, '--transport', 'http');
    await expectReached(assistant);
  });

  test('reaches svc by its address, with the key from the environment', async () => {
    await setUp(assistant.id, '--transport', 'http', '--key-from', 'env');
    await expectReached(assistant, { SVC_API_KEY: apiKey });
  });

  test('reaches svc by the bridge, which finds the key by itself', async () => {
    await keepKey();
    await setUp(assistant.id);
    await expectReached(assistant);
  });

  test('no longer knows svc once it was removed', async () => {
    await setUp(assistant.id, '--transport', 'http');
    await start(assistant.list);
    await setUp(assistant.id, '--remove');
    expect(await start(assistant.list)).not.toMatch(/\bsvc\b.*(connected|enabled)/i);
  });
});

test('the file of a project is read by those that have one', async () => {
  await setUp('claude-code', 'gemini', 'opencode', '--scope', 'project', '--transport', 'http');
  const env = { SVC_API_KEY: apiKey };
  expect(await start(['claude', 'mcp', 'list'], env)).toMatch(/^svc: .* Pending approval/m);
  for (const id of ['gemini', 'opencode']) await expectReached(ASSISTANTS.find((one) => one.id === id)!, env);
});
