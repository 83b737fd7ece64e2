import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeTenant } from '../features/limits/tenants.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { linkFrameworks } from '../helpers/frameworks.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TSC = join(ROOT, 'node_modules/.bin/tsc');

let folder: string;
let project: string;
let installed: string;
let daemon: TestDaemon;

/** Packs the client and installs it without a network or a cache into an empty project. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-client-package-'));
  project = join(folder, 'project');
  installed = join(project, 'node_modules/@svc-memory/client');
  await execa('npm', ['run', 'pack:client', '--', '--pack-destination', folder], { cwd: ROOT });
  const tarball = (await readdir(folder)).find((name) => name.endsWith('.tgz'))!;
  await mkdir(project);
  await writeFile(join(project, 'package.json'), '{ "type": "module" }');
  const offline = ['--offline', '--cache', join(folder, 'cache')];
  await execa('npm', ['install', ...offline, join(folder, tarball)], { cwd: project });
  daemon = await startTestDaemon();
});

afterAll(async () => {
  await daemon.close();
  await rm(folder, { recursive: true, force: true });
});

/** Type-checks two programs together, of which the second has a mistake; returns the first line of each error. */
async function typeErrors(right: string, wrong: string, module: Module, ...more: string[]): Promise<string[]> {
  await writeFile(join(project, 'wrong.ts'), wrong);
  const output = await compile(right, module, '--noEmit', ...more, 'wrong.ts');
  return output.split('\n').filter((line) => /^\S/.test(line));
}

type Module = 'nodenext' | 'esnext';

async function compile(source: string, module: Module, ...more: string[]): Promise<string> {
  await writeFile(join(project, 'consumer.ts'), source);
  const resolution = module === 'nodenext' ? 'nodenext' : 'bundler';
  const options = ['--strict', '--target', 'es2023', '--lib', 'es2023,dom,dom.iterable', '--types', ''];
  const words = [...options, '--module', module, '--moduleResolution', resolution, ...more, 'consumer.ts'];
  return (await execa(TSC, words, { cwd: project, reject: false })).stdout;
}

async function linkPeer(name: string): Promise<void> {
  const path = join(project, 'node_modules', name);
  await mkdir(dirname(path), { recursive: true });
  await symlink(join(ROOT, 'node_modules', name), path);
}

const SAMPLE = `import { ApiError, type Client, createClient, type Conversation, type Memory, type SearchAnswer } from '@svc-memory/client';
const client: Client = createClient();
export async function use(): Promise<unknown[]> {
  const memory: Memory = await client.memories.create({ content: 'Ada prefers tea', tags: ['taste'] });
  const { response } = await client.memories.get(memory.id).withResponse();
  await client.memories.update(memory.id, { tags: ['drink'] }, { ifMatch: response.etag });
  const found: SearchAnswer = await client.search({ query: 'tea' }, { timeoutMs: 10_000 });
  const talk: Conversation = await client.conversations.create({ title: 'Tea' });
  const { data } = await client.conversations.messages.append(talk.id, [{ role: 'user', content: 'Hello' }]);
  const titles: string[] = [];
  for await (const conversation of client.conversations.list()) titles.push(conversation.title ?? '');
  const code = await client.memories.get('mem_none').catch((error: unknown) => error instanceof ApiError && error.code);
  return [found.results[0]?.content, data[0]?.content, titles, code];
}
`;

describe('the packed client', () => {
  test('has no dependencies and contains only code, types, guide and license', async () => {
    const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
    const daemonManifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
    expect(manifest).toMatchObject({ name: '@svc-memory/client', version: daemonManifest.version, sideEffects: false });
    expect(manifest.dependencies).toBeUndefined();
    expect(Object.keys(manifest.peerDependenciesMeta)).toEqual(Object.keys(manifest.peerDependencies));
    expect(await readdir(join(project, 'node_modules'))).toEqual(['.package-lock.json', '@svc-memory']);
    const names = (await readdir(installed)).sort();
    const code = [
      'ai-sdk.js',
      'anthropic.js',
      'entry.js',
      'google-adk.js',
      'langgraph.js',
      'llamaindex.js',
      'mastra.js',
      'openai-agents.js',
      'openclaw.js',
    ];
    expect(names).toEqual([...code, 'LICENSE', 'README.md', 'openclaw.plugin.json', 'package.json', 'types'].sort());
    expect(await readFile(join(installed, 'README.md'), 'utf8')).not.toMatch(/\]\((?!https:|#)/);
  });

  test.each(['nodenext', 'esnext'] as const)('type-checks a strict program of module %s', async (module) => {
    const wrong = `${SAMPLE}export const wrong: number = (await client.account.get()).email;\n`;
    expect(await typeErrors(SAMPLE, wrong, module)).toEqual([
      expect.stringMatching(/^wrong\.ts\(.*Type 'string' is not assignable to type 'number'/),
    ]);
  });

  test('runs the program against a daemon', async () => {
    expect(await compile(`${SAMPLE}console.log(JSON.stringify(await use()));\n`, 'nodenext', '--noCheck')).toBe('');
    const { apiKey } = await makeTenant(daemon, 'packed@example.com');
    const env = { SVC_URL: daemon.baseUrl, SVC_API_KEY: apiKey };
    const { stdout } = await execa(process.execPath, ['consumer.js'], { cwd: project, env });
    expect(JSON.parse(stdout)).toEqual(['Ada prefers tea', 'Hello', ['Tea'], 'not_found']);
  });

  test('can be bundled for a browser', async () => {
    await writeFile(join(project, 'page.js'), "import { createClient } from '@svc-memory/client';\ncreateClient();");
    const { outputFiles, metafile } = await build({
      entryPoints: [join(project, 'page.js')],
      bundle: true,
      write: false,
      metafile: true,
      platform: 'browser',
      format: 'esm',
    });
    expect(Object.values(metafile.inputs).flatMap(({ imports }) => imports.filter(({ external }) => external))).toEqual(
      [],
    );
    expect(outputFiles[0]!.text).not.toContain('node:');
  });

  test('has the types that the daemon has', async () => {
    const types = [
      'Account',
      'Conversation',
      'Episode',
      'Job',
      'Memory',
      'Message',
      'NewMemory',
      'SearchAnswer',
      'Usage',
    ];
    const contract = join(ROOT, 'src/client/client.ts');
    const same = `type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;\n`;
    const checks = types.map((name) => `export const is${name}: Same<packed.${name}, source.${name}> = true;\n`);
    const imports = `import type * as packed from '@svc-memory/client';\nimport type * as source from '${contract}';\n`;
    const options = ['--allowImportingTsExtensions', '--skipLibCheck'];
    const wrong = 'export const isOther: Same<packed.Memory, source.Conversation> = true;';
    const [right, other] = [checks.join(''), wrong].map((text) => imports + same + text);
    expect(await typeErrors(right!, other!, 'nodenext', ...options)).toEqual([
      expect.stringMatching(/^wrong\.ts\(.*'true' is not assignable to/),
    ]);
  });

  test('type-checks its adapters against the packages and frameworks that they adapt to', async () => {
    await linkPeer('ai');
    await linkPeer('@anthropic-ai/sdk');
    await linkPeer('@langchain/langgraph-checkpoint');
    await linkPeer('@openai/agents-core');
    await linkFrameworks(project);
    const source = `import { createClient } from '@svc-memory/client';
import { memoryTools, withMemory } from '@svc-memory/client/ai-sdk';
import { memoryFiles } from '@svc-memory/client/anthropic';
import { SvcMemoryService } from '@svc-memory/client/google-adk';
import { keepConversation, SvcStore } from '@svc-memory/client/langgraph';
import { memoryBlock } from '@svc-memory/client/llamaindex';
import { memoryProcessor } from '@svc-memory/client/mastra';
import { SvcSession } from '@svc-memory/client/openai-agents';
import { betaMemoryTool } from '@anthropic-ai/sdk/helpers/beta/memory';
import type { BaseMemoryService } from '@google/adk';
import { type BaseCheckpointSaver, type BaseStore, MemorySaver } from '@langchain/langgraph-checkpoint';
import { createMemory, type BaseMemoryBlock } from '@llamaindex/core/memory';
import type { InputProcessor, OutputProcessor } from '@mastra/core/processors';
import type { Session } from '@openai/agents-core';
import { generateText, type LanguageModel } from 'ai';
const client = createClient();
declare const model: Parameters<typeof withMemory>[0];
const remembering: LanguageModel = withMemory(model, { client, user: 'ada' });
export const answer = generateText({ model: remembering, tools: memoryTools({ client }), prompt: 'Hello' });
export const tool = betaMemoryTool(memoryFiles({ client, user: 'ada' }));
export const store: BaseStore = new SvcStore({ client, user: 'ada' });
export const checkpointer: BaseCheckpointSaver = keepConversation(new MemorySaver(), { client });
export const session: Session = new SvcSession({ client });
const processor = memoryProcessor({ client, user: 'ada' });
export const input: InputProcessor = processor;
export const output: OutputProcessor = processor;
export const service: BaseMemoryService = new SvcMemoryService({ client });
export const block: BaseMemoryBlock = memoryBlock({ client, user: 'ada' });
export const saved = memoryBlock({ client }).save(createMemory({ memoryBlocks: [block] }));
`;
    const wrong = `${source}export const none: string = memoryTools({ client }).memoryAdd;
export const wrong: InputProcessor = memoryProcessor;
`;
    // The declarations of the peers need more libraries than a strict check of ours.
    expect(await typeErrors(source, wrong, 'nodenext', '--skipLibCheck')).toEqual([
      expect.stringMatching(/^wrong\.ts\(.*is not assignable to type 'string'/),
      expect.stringMatching(/^wrong\.ts\(.*error TS/),
    ]);
  });
});
