import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Environment } from '../../src/cli/settings.ts';
import { runMcpConfig } from '../cli/assistants/run-mcp-config.ts';
import { createHome, installAssistants, runAssistant, storeKey } from '../helpers/assistants/real-assistants.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { BIN } from '../helpers/process.ts';

/** Real assistants, installed from npm, connect to svc with the configuration that `svc mcp-config` wrote. */

interface Assistant {
  id: string;
  list: string[];
  /** The line for a connected server or, for Codex, whose list does not connect, a configured one. */
  listed: RegExp;
  /** A command that connects to the servers, if the list command does not. */
  connect?: (modelUrl: string) => string[];
}

const ASSISTANTS: Assistant[] = [
  { id: 'claude-code', list: ['claude', 'mcp', 'list'], listed: /^svc: .* ✔ Connected$/m },
  {
    id: 'codex',
    list: ['codex', 'mcp', 'list'],
    listed: /^svc .* enabled /m,
    // The model only returns errors, but Codex starts its MCP servers anyway.
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
let model: Server;
let environment: Environment;
/** The status codes of the daemon's responses at `/v1/mcp`. */
const statuses: number[] = [];

beforeAll(async () => {
  await installAssistants();
  // A configured key comes before the OAuth that the daemon advertises.
  daemon = await startTestDaemon({ config: { oauth: 'on' } });
  apiKey = (await daemon.signIn('a@example.com')).apiKey;
  daemon.app.server.on('request', (request, response) => {
    response.on(
      'finish',
      () => request.url === '/v1/mcp' && request.method === 'POST' && statuses.push(response.statusCode),
    );
  });
  model = createServer((_, response) => response.writeHead(400, { 'content-type': 'application/json' }).end('{}'));
  await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve));
}, 600_000);

afterAll(async () => {
  await daemon?.close();
  model?.close();
});

beforeEach(async () => {
  const created = await createHome();
  environment = created;
  const { home, cwd } = created;
  await mkdir(join(home, '.gemini'));
  await writeFile(join(home, '.gemini/trustedFolders.json'), JSON.stringify({ [cwd]: 'TRUST_FOLDER' }));
  statuses.length = 0;
  return created.remove;
});

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

const start = (command: string[], env?: Record<string, string>) => runAssistant(environment, command, env);

async function expectConnected({ list, listed, connect }: Assistant, env: Record<string, string> = {}): Promise<void> {
  const listOutput = await start(list, env);
  expect(listOutput).toMatch(listed);
  const connectOutput = connect
    ? await start(connect(`http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`), env)
    : '';
  expect(statuses.filter((status) => status === 200).length, listOutput + connectOutput).toBeGreaterThanOrEqual(2);
  expect(statuses.filter((status) => status >= 400)).toEqual([]);
}

describe.each(ASSISTANTS)('$id', (assistant) => {
  test('connects to svc over HTTP with the key in the file, and does not list svc after it is removed', async () => {
    await setUp(assistant.id, '--transport', 'http');
    await expectConnected(assistant);
    await setUp(assistant.id, '--remove');
    expect(await start(assistant.list)).not.toMatch(/\bsvc\b.*(connected|enabled)/i);
  });

  test('connects to svc over HTTP with the key from the environment', async () => {
    await setUp(assistant.id, '--transport', 'http', '--key-from', 'env');
    await expectConnected(assistant, { SVC_API_KEY: apiKey });
  });

  test('connects to svc through the bridge, which reads the stored key', async () => {
    await storeKey(environment, daemon.baseUrl, apiKey);
    await setUp(assistant.id);
    await expectConnected(assistant);
  });
});

test('project files are read by the assistants that support them', async () => {
  await setUp('claude-code', 'gemini', 'opencode', '--scope', 'project', '--transport', 'http');
  const env = { SVC_API_KEY: apiKey };
  expect(await start(['claude', 'mcp', 'list'], env)).toMatch(/^svc: .* Pending approval/m);
  for (const id of ['gemini', 'opencode'])
    await expectConnected(ASSISTANTS.find((assistant) => assistant.id === id)!, env);
});
