import { copyFile, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeClientPackage } from '../../scripts/client-package.ts';
import { frameworkNode, linkFrameworks, linkPackage } from '../helpers/frameworks.ts';
import { createWorkplaces, type DaemonProcess, signInAt } from '../helpers/process.ts';
import { type ScriptedModel, type ScriptLine, startScriptedModel } from '../helpers/scripted-model/server.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** What the examples import besides the client. */
const PACKAGES = [
  '@ai-sdk/openai',
  '@anthropic-ai/sdk',
  '@langchain/langgraph-checkpoint',
  '@openai/agents-core',
  'ai',
];

const places = createWorkplaces();
let project: string;
let daemon: DaemonProcess;
let model: ScriptedModel;
let apiKey: string;

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'svc-examples-'));
  await writeClientPackage(join(project, 'node_modules/@svc-memory/client'));
  for (const name of PACKAGES) await linkPackage(join(ROOT, 'node_modules', name), project, name);
  await linkFrameworks(project);
  for (const name of await examples()) await copyFile(join(ROOT, 'examples', name), join(project, name));
  daemon = await places.start({ dataDir: await places.folder() });
  apiKey = await signInAt(daemon, 'examples@example.com');
  model = await startScriptedModel();
}, 300_000);

afterAll(async () => {
  await model.close();
  await places.clean();
  await rm(project, { recursive: true, force: true });
});

async function examples(): Promise<string[]> {
  return (await readdir(join(ROOT, 'examples'))).filter((name) => /\.(?:mjs|py)$/.test(name));
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
    PYTHONPATH: join(ROOT, 'clients/python/src'),
    PYTHONDONTWRITEBYTECODE: '1',
  };
  return (await execa(node, words, { cwd: project, env })).stdout;
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
  async 'google-adk.mjs'() {
    const ask = (question: string) => runWith(frameworkNode(), ['google-adk.mjs', question]);
    expect(await ask('My manticore sleeps in the barn.')).toBe('Untitled');
    await ask('Where does my manticore sleep?');
    expect(lastRead()).toContain('My manticore sleeps in the barn.');
  },
  async 'langgraph.mjs'() {
    expect(await run(['langgraph.mjs', 'What does Ada drink?'])).toBe('tea: Ada prefers oolong tea\nada/facts');
  },
  async 'llamaindex.mjs'() {
    expect(await run(['llamaindex.mjs', 'My hippogriff is called Kim.'])).toBe('Untitled');
    await run(['llamaindex.mjs', 'What is my hippogriff called?']);
    expect(lastRead()).toContain('My hippogriff is called Kim.');
  },
  async 'mastra.mjs'() {
    const ask = (...words: string[]) => runWith(frameworkNode(), ['mastra.mjs', ...words]);
    expect(await ask('I keep a wyvern.', 'eve')).toBe('Untitled');
    await ask('What do I keep?', 'eve');
    expect(lastRead()).toContain('I keep a wyvern.');
    await ask('What do I keep?', 'bo');
    expect(lastRead()).not.toContain('wyvern');
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
};

test('every example is listed and tried', async () => {
  const index = await readFile(join(ROOT, 'examples/README.md'), 'utf8');
  const listed = [...index.matchAll(/^\| \[([\w-]+\.(?:mjs|py))\]\(\1\) \|/gm)].map(([, name]) => name);
  expect(listed.sort()).toEqual((await examples()).sort());
  expect(Object.keys(RUNS).sort()).toEqual(listed);
});

test.each(Object.entries(RUNS))('%s runs', (_, attempt) => attempt());
