import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeClientCode } from '../../scripts/client-package.ts';
import { writeBundle } from '../../scripts/release/bundle.ts';
import { nativeFolder } from '../../src/cli/sync/native-assistants.ts';
import { createClient } from '../../src/client/client.ts';
import { frameworkNode, linkFrameworks, linkPackage } from '../helpers/frameworks.ts';
import { freePort } from '../helpers/free-port.ts';
import { HERMES_STUB } from '../helpers/hermes-stub.ts';
import { commandsOf, installPackages } from '../helpers/npm-packages.ts';
import { BIN, createWorkplaces, type DaemonProcess, signInAt } from '../helpers/process.ts';
import { type ScriptedModel, type ScriptLine, startScriptedModel } from '../helpers/scripted-model/server.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** What the examples import besides the client. */
const PACKAGES = [
  '@ai-sdk/openai',
  '@anthropic-ai/sdk',
  '@langchain/core',
  '@langchain/langgraph-checkpoint',
  '@modelcontextprotocol/client',
  '@openai/agents-core',
  'ai',
  'standardwebhooks',
];
/** Examples that need a program of their own, and the files that run them. */
const ELSEWHERE: Record<string, string> = { 'n8n.json': 'n8n.test.ts', 'openclaw.sh': 'openclaw.test.ts' };

const places = createWorkplaces();
let project: string;
let daemon: DaemonProcess;
let model: ScriptedModel;
let apiKey: string;

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'svc-examples-'));
  await writeClientCode(join(project, 'node_modules/@svc-memory/client'));
  for (const name of PACKAGES) await linkPackage(join(ROOT, 'node_modules', name), project, name);
  await linkFrameworks(project);
  for (const name of await examples()) await copyFile(join(ROOT, 'examples', name), join(project, name));
  await mkdir(join(project, 'bin'));
  await symlink(BIN, join(project, 'bin/svc'));
  const env = { SVC_PROVIDER_HOSTS: '127.0.0.1', SVC_DEFAULT_TIER: 'Enterprise' };
  daemon = await places.start({ dataDir: await places.folder(), env });
  apiKey = await signInAt(daemon, 'examples@example.com');
  model = await startScriptedModel();
}, 300_000);

afterAll(async () => {
  await model.close();
  await places.clean();
  await rm(project, { recursive: true, force: true });
});

async function examples(): Promise<string[]> {
  return (await readdir(join(ROOT, 'examples'))).filter((name) => name !== 'README.md');
}

/** Runs an example in its own process and returns what it prints. */
const run = (words: string[], ...script: ScriptLine[]) => runWith(process.execPath, words, ...script);

async function runWith(node: string, words: string[], ...script: ScriptLine[]): Promise<string> {
  model.answers(...script);
  const env = {
    SVC_URL: daemon.url,
    SVC_API_KEY: apiKey,
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: 'none',
    OPENAI_BASE_URL: `${model.url}/v1`,
    OPENAI_API_KEY: 'none',
    GOOGLE_GEMINI_BASE_URL: model.url,
    GEMINI_API_KEY: 'none',
    GEMINI_MODEL: 'scripted',
    // The tests of the client have a stub of LangGraph.
    PYTHONPATH: [join(ROOT, 'clients/python/src'), join(ROOT, 'clients/python')].join(':'),
    PYTHONDONTWRITEBYTECODE: '1',
  };
  return (await execa(node, words, { cwd: project, env })).stdout;
}

const client = () => createClient({ baseUrl: daemon.url, apiKey });

/** Runs an example for the shell in an empty home, with `svc` on the PATH. */
async function runInShell(name: string, words: string[] = [], home = project): Promise<string> {
  const env = {
    ...{ HOME: home, PATH: `${join(project, 'bin')}:${process.env.PATH}`, SVC_URL: daemon.url, SVC_API_KEY: apiKey },
    ...{ PYTHONPATH: join(ROOT, 'clients/python/src'), PYTHONDONTWRITEBYTECODE: '1' },
  };
  const options = { cwd: home, extendEnv: false, env, stdin: 'ignore' } as const;
  return (await execa('sh', [join(project, name), ...words], options)).stdout;
}

/** Returns everything that the model read in its latest request. */
const lastRead = () => model.requests.at(-1)!.text;

const RUNS: Record<string, () => Promise<void>> = {
  async 'ai-sdk.mjs'() {
    const add = { content: 'Ada owns a basilisk', tags: ['pets'] };
    const told = [{ tool: 'memoryAdd', input: add }, { text: 'Noted.' }];
    expect(await run(['ai-sdk.mjs', 'I own a basilisk.'], ...told)).toBe('Noted.');
    expect(await run(['ai-sdk.mjs', 'What is my basilisk?'], { text: 'A pet.' })).toBe('A pet.');
    expect(lastRead()).toContain('Ada owns a basilisk');
  },
  async 'anthropic-memory.mjs'() {
    const create = { command: 'create', path: '/memories/taste.md', file_text: 'Drinks oolong tea.' };
    const told = [{ tool: 'memory', input: create }, { text: 'Noted.' }];
    expect(await run(['anthropic-memory.mjs', 'I drink oolong tea.'], ...told)).toMatch(
      /^Noted\.\nHere're the files [\s\S]*\t\/memories\/taste\.md$/,
    );
    const view = { command: 'view', path: '/memories/taste.md' };
    const asked = [{ tool: 'memory', input: view }, { text: 'Oolong.' }];
    expect(await run(['anthropic-memory.mjs', 'Which tea?'], ...asked)).toMatch(/^Oolong\./);
    expect(lastRead()).toContain('Drinks oolong tea.');
  },
  async 'anthropic-memory-stores.mjs'() {
    expect((await run(['anthropic-memory-stores.mjs'])).split('\n')).toEqual([
      '409 memory_precondition_failed_error',
      '/people/ada.md Drinks oolong tea.',
      'modified kept',
      'created redacted',
    ]);
  },
  async 'chatgpt.mjs'() {
    const { id } = await client().memories.create({ content: 'A chimera guards the cellar' });
    const printed = await run(['chatgpt.mjs', 'Who guards the cellar?']);
    expect(printed).toContain('A chimera guards the cellar');
    expect(printed).toMatch(new RegExp(`^http://.*${id}`, 'm'));
  },
  async 'claude-code-notes.sh'() {
    const home = await places.folder();
    const folder = await nativeFolder('claude-code', home, { home, cwd: home, env: {}, platform: process.platform });
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'MEMORY.md'), 'The kraken sleeps under the pier\n');
    expect(await runInShell('claude-code-notes.sh', [], home)).toMatch(/sent 1 new[\s\S]*The kraken sleeps/);
  },
  async 'google-adk.mjs'() {
    const ask = (question: string) => runWith(frameworkNode(), ['google-adk.mjs', question]);
    expect(await ask('My manticore sleeps in the barn.')).toBe('Untitled');
    await ask('Where does my manticore sleep?');
    expect(lastRead()).toContain('My manticore sleeps in the barn.');
  },
  async 'hermes.sh'() {
    const home = await places.folder();
    await writeFile(join(project, 'bin/hermes'), HERMES_STUB, { mode: 0o755 });
    await client().memories.create({ content: 'The gryphon is fed at noon' });
    expect(await runInShell('hermes.sh', [], home)).toMatch(/^config set memory\.provider svc\n[\s\S]*fed at noon/);
  },
  async 'langgraph-conversation.mjs'() {
    expect(await run(['langgraph-conversation.mjs', 'Where is my griffin?'])).toBe(
      'user: Where is my griffin?\nassistant: On the roof, in row C.',
    );
    const { results } = await client().search({ query: 'Where is my griffin?', types: ['message'] });
    expect(results[0]).toMatchObject({ content: 'Where is my griffin?' });
  },
  async 'langgraph-store.py'() {
    const program = "import runpy, tests.langgraph_stub; runpy.run_path('langgraph-store.py')";
    const printed = await runWith('python3', ['-c', program, 'What does Ada drink?']);
    expect(printed).toBe('tea: Ada prefers oolong tea');
  },
  async 'langgraph.mjs'() {
    expect(await run(['langgraph.mjs', 'What does Ada drink?'])).toBe('tea: Ada prefers oolong tea\nada/facts');
  },
  async 'llamaindex.mjs'() {
    expect(await run(['llamaindex.mjs', 'My hippogriff is called Kim.'])).toBe('Untitled');
    await run(['llamaindex.mjs', 'What is my hippogriff called?']);
    expect(lastRead()).toContain('My hippogriff is called Kim.');
  },
  async 'markdown-folder.sh'() {
    const home = await places.folder();
    await client().memories.create({ content: 'The phoenix nests on the roof' });
    expect(await runInShell('markdown-folder.sh', ['notes'], home)).toMatch(/sent 1 new[\s\S]*Ada prefers oolong tea/);
    const names = (await readdir(join(home, 'notes'))).filter((name) => name.endsWith('.md'));
    const notes = await Promise.all(names.map((name) => readFile(join(home, 'notes', name), 'utf8')));
    expect(notes.join('\n')).toContain('The phoenix nests on the roof');
  },
  async 'mastra.mjs'() {
    const ask = (...words: string[]) => runWith(frameworkNode(), ['mastra.mjs', ...words]);
    expect(await ask('I keep a wyvern.', 'eve')).toBe('Untitled');
    await ask('What do I keep?', 'eve');
    expect(lastRead()).toContain('I keep a wyvern.');
    await ask('What do I keep?', 'bo');
    expect(lastRead()).not.toContain('wyvern');
  },
  async 'mcp-bundle.mjs'() {
    await installPackages('mcpb', ['@anthropic-ai/mcpb@2.1.2']);
    const bundle = await writeBundle(await places.folder());
    await execa(join(commandsOf('mcpb'), 'mcpb'), ['unpack', bundle, 'bundle'], { cwd: project });
    await client().memories.create({ content: 'The sphinx asks three riddles' });
    expect(await run(['mcp-bundle.mjs', 'bundle', 'riddles'])).toContain('The sphinx asks three riddles');
  },
  async 'openai-agents.mjs'() {
    const first = await run(['openai-agents.mjs', 'I drink oolong tea.']);
    const id = /^Untitled\nContinue with: .* (conv_\w+)$/.exec(first)![1]!;
    await run(['openai-agents.mjs', 'Which tea?', id]);
    expect(lastRead()).toMatch(/I drink oolong tea\.[\s\S]*Untitled[\s\S]*Which tea\?/);
  },
  async 'python.py'() {
    expect(await runWith('python3', ['python.py', 'Which tea does Ada take?'])).toContain('Ada prefers oolong tea');
  },
  async 'review-app.mjs'() {
    expect(await run(['review-app.mjs'])).toMatch(/^ui:\/\/svc\/review text\/html;profile=mcp-app, \d{4,} characters/m);
  },
  async 'shell.sh'() {
    const printed = await runInShell('shell.sh', ['Which tea does Ada take?'], await places.folder());
    expect(printed).toMatch(/Ada prefers oolong tea, never coffee after four[\s\S]*Which tea does Ada take\?$/);
  },
  async 'webhook.mjs'() {
    const url = `http://127.0.0.1:${await freePort()}/`;
    expect(await run(['webhook.mjs', url])).toMatch(/^memory\.created A webhook was tried at /);
    expect((await client().webhooks.list()).data).toEqual([]);
  },
};

test('every example is listed and tried', async () => {
  const index = await readFile(join(ROOT, 'examples/README.md'), 'utf8');
  const listed = [...index.matchAll(/^\| \[([\w.-]+)\]\(\1\) \|/gm)].map(([, name]) => name);
  expect(listed).toEqual((await examples()).sort());
  expect([...Object.keys(RUNS), ...Object.keys(ELSEWHERE)].sort()).toEqual(listed);
  for (const [name, file] of Object.entries(ELSEWHERE))
    expect(await readFile(join(ROOT, 'test/slow', file), 'utf8')).toContain(`examples/${name}`);
});

test.each(Object.entries(RUNS))('%s runs', (_, attempt) => attempt());
