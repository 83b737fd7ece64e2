import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeClientCode } from '../../scripts/client-package.ts';
import { createClient } from '../../src/client/client.ts';
import { makeTenant } from '../features/limits/tenants.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { frameworkNode, installNode } from '../helpers/frameworks.ts';
import { commandsOf, installPackages } from '../helpers/npm-packages.ts';
import { type ScriptedModel, startScriptedModel } from '../helpers/scripted-model/server.ts';

const EXAMPLE = fileURLToPath(new URL('../../examples/openclaw.sh', import.meta.url));
/** Its own scripts and optional packages bring what a memory plugin does not need. */
const OPENCLAW = ['openclaw@2026.9.6', '--ignore-scripts', '--omit=optional'];

let folder: string;
let plugin: string;
let daemon: TestDaemon;
let model: ScriptedModel;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-openclaw-'));
  await Promise.all([installNode(), installPackages('openclaw', OPENCLAW)]);
  await writeClientCode(join(folder, 'client'));
  await execa('npm', ['pack', '--silent', '--pack-destination', folder, './client'], { cwd: folder });
  plugin = join(folder, (await readdir(folder)).find((name) => name.endsWith('.tgz'))!);
  daemon = await startTestDaemon();
  model = await startScriptedModel();
}, 300_000);

afterAll(async () => {
  await model.close();
  await daemon.close();
  await rm(folder, { recursive: true, force: true });
});

test('OpenClaw installs the plugin; its agent recalls, stores and searches memories, and the turn becomes a conversation', async () => {
  const { apiKey } = await makeTenant(daemon, 'openclaw@example.com');
  const client = createClient({ baseUrl: daemon.baseUrl, apiKey });
  await client.memories.create({ content: 'Ada keeps a wyvern called Kim' });
  const home = join(folder, 'home');
  await mkdir(join(home, '.openclaw'), { recursive: true });
  const models = [{ id: 'scripted', name: 'Scripted', contextWindow: 200_000, maxTokens: 4096 }];
  const scripted = { baseUrl: `${model.url}/v1`, apiKey: 'none', api: 'openai-completions', models };
  const settings = {
    models: { providers: { scripted } },
    agents: { defaults: { model: { primary: 'scripted/scripted' }, skipBootstrap: true } },
  };
  await writeFile(join(home, '.openclaw/openclaw.json'), JSON.stringify(settings));
  await writeFile(
    join(folder, 'example.sh'),
    (await readFile(EXAMPLE, 'utf8')).replace('@svc-memory/client', `npm-pack:${plugin}`),
  );
  model.answers(
    { tool: 'tool_call', input: { id: 'memory_store', args: { content: 'Kim the wyvern eats on Fridays' } } },
    { tool: 'tool_call', input: { id: 'memory_recall', args: { query: 'When does the wyvern eat?' } } },
    { text: 'On Fridays.' },
  );
  const { stdout } = await execa('sh', ['example.sh', 'Remember: my wyvern eats on Fridays.'], {
    cwd: folder,
    extendEnv: false,
    timeout: 240_000,
    env: {
      // For networks with certificates of their own.
      NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS ?? '',
      HOME: home,
      PATH: `${dirname(frameworkNode())}:${commandsOf('openclaw')}:${process.env.PATH}`,
      SVC_URL: daemon.baseUrl,
      SVC_API_KEY: apiKey,
    },
    stdin: 'ignore',
  });
  expect(stdout).toContain('On Fridays.');
  expect(model.requests[0]!.text).toContain('Ada keeps a wyvern called Kim');
  const { data: memories } = await client.memories.list({});
  expect(memories.map(({ content }) => content)).toContain('Kim the wyvern eats on Fridays');
  expect(model.requests.at(-1)!.text).toContain(memories.find(({ content }) => content.includes('Fridays'))!.id);
  const [conversation] = (await client.conversations.list()).data;
  const { data: messages } = await client.conversations.messages.list(conversation!.id, { order: 'oldest' });
  expect(messages.map(({ role, content }) => [role, content])).toEqual([
    ['user', 'Remember: my wyvern eats on Fridays.'],
    ['assistant', 'On Fridays.'],
  ]);
});
