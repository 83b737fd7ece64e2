import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeClientCode } from '../../scripts/client-package.ts';
import { createClient } from '../../src/client/client.ts';
import { makeTenant } from '../features/limits/tenants.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { frameworkNode, linkFrameworks } from '../helpers/frameworks.ts';
import { type ScriptedModel, startScriptedModel } from '../helpers/scripted-model/server.ts';

let project: string;
let daemon: TestDaemon;
let model: ScriptedModel;

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'svc-frameworks-'));
  await writeFile(join(project, 'package.json'), '{ "type": "module" }');
  await writeClientCode(join(project, 'node_modules/@svc-memory/client'));
  await linkFrameworks(project);
  daemon = await startTestDaemon();
  model = await startScriptedModel();
}, 300_000);

afterAll(async () => {
  await model.close();
  await daemon.close();
  await rm(project, { recursive: true, force: true });
});

/** Runs a program in the project; returns what it prints. */
async function run(source: string, env: Record<string, string>): Promise<{ stdout: string; stderr: string }> {
  await writeFile(join(project, 'program.mjs'), source);
  return execa(frameworkNode(), ['program.mjs'], { cwd: project, env: { ...env, MODEL_URL: `${model.url}/v1` } });
}

async function signUp(name: string) {
  const { apiKey } = await makeTenant(daemon, `${name}@example.com`);
  const env = { SVC_URL: daemon.baseUrl, SVC_API_KEY: apiKey };
  return { env, client: createClient({ baseUrl: daemon.baseUrl, apiKey }) };
}

describe('a memory service of the ADK', () => {
  const program = (
    calls: string,
  ) => `import { FunctionTool, Gemini, InMemoryRunner, LlmAgent, LOAD_MEMORY, LogLevel, setLogLevel, StreamingMode } from '@google/adk';
import { createClient } from '@svc-memory/client';
import { SvcMemoryService } from '@svc-memory/client/google-adk';
setLogLevel(LogLevel.WARN);
const look = new FunctionTool({ name: 'look', description: 'Look', execute: async () => ({ seen: 'a wyvern' }) });
const agent = new LlmAgent({ name: 'guide', model: new Gemini({ model: 'scripted' }), tools: [look, LOAD_MEMORY] });
const newService = () => new SvcMemoryService({ client: createClient({ retries: 0 }) });
async function chat(appName, memoryService) {
  const runner = new InMemoryRunner({ appName, agent });
  runner.memoryService = memoryService;
  const session = await runner.sessionService.createSession({ appName, userId: 'ada' });
  const ids = { userId: 'ada', sessionId: session.id };
  return {
    async ask(text) {
      const message = { newMessage: { role: 'user', parts: [{ text }] }, runConfig: { streamingMode: StreamingMode.SSE } };
      for await (const event of runner.runAsync({ ...ids, ...message })) if (event.errorMessage) throw new Error(event.errorMessage);
    },
    session: () => runner.sessionService.getSession({ appName, ...ids }),
  };
}
${calls}`;
  const environment = (env: Record<string, string>) => ({
    ...env,
    GOOGLE_GEMINI_BASE_URL: model.url,
    GEMINI_API_KEY: 'none',
  });

  test('stores each event of a session once, whoever adds it how often', async () => {
    const { env, client } = await signUp('adk');
    model.answers({ tool: 'look', input: {} }, { text: 'A wyvern.' }, { text: 'Green.' }, { text: 'Yes.' });
    const calls = `
const service = newService();
const { ask, session } = await chat('caves', service);
await ask('What is in the cave?');
await service.addSessionToMemory(await session());
await service.addSessionToMemory(await session());
await ask('Which color?');
await newService().addSessionToMemory(await session());
await ask('Is it asleep?');
await Promise.allSettled([service, newService()].map(async (any) => any.addSessionToMemory(await session())));
await service.addSessionToMemory(await session());`;
    await run(program(calls), environment(env));
    const { data } = await client.conversations.list({ user: 'ada' });
    expect(data).toMatchObject([{ project: 'caves' }]);
    const messages = await client.conversations.messages.list(data[0]!.id, { order: 'oldest' });
    expect(messages.data.map(({ role, name, content }) => [role, name, content])).toEqual([
      ['user', null, 'What is in the cave?'],
      ['assistant', 'guide', [{ type: 'tool_call', id: expect.any(String), name: 'look', arguments: {} }]],
      ['tool', null, [{ type: 'tool_result', toolCallId: expect.any(String), content: { seen: 'a wyvern' } }]],
      ['assistant', 'guide', 'A wyvern.'],
      ['user', null, 'Which color?'],
      ['assistant', 'guide', 'Green.'],
      ['user', null, 'Is it asleep?'],
      ['assistant', 'guide', 'Yes.'],
    ]);
  });

  test('stores a session anew after its conversation was deleted', async () => {
    const { env, client } = await signUp('adk-deleted');
    const calls = `
const service = newService();
const { ask, session } = await chat('caves', service);
await ask('What is in the cave?');
await service.addSessionToMemory(await session());
const client = createClient();
const { data } = await client.conversations.list({ user: 'ada' });
await client.conversations.delete(data[0].id);
await service.addSessionToMemory(await session());`;
    await run(program(calls), environment(env));
    expect((await client.conversations.list({ user: 'ada' })).data).toMatchObject([{ messageCount: 2 }]);
  });

  test('finds what was said in other sessions of the app, and not what was said in another app', async () => {
    const { env, client } = await signUp('adk-search');
    await client.memories.create({ content: 'Ada is afraid of the basilisk', user: 'ada' });
    model.answers({ text: 'Noted.' }, { tool: 'load_memory', input: { query: 'Where does the basilisk sleep?' } });
    const calls = `
const service = newService();
const first = await chat('caves', service);
await first.ask('The basilisk sleeps in the cellar');
await service.addSessionToMemory(await first.session());
await (await chat('caves', service)).ask('Where does it sleep?');
const query = 'Where does the basilisk sleep?';
for (const appName of ['caves', 'other']) console.log(JSON.stringify(await service.searchMemory({ appName, userId: 'ada', query })));`;
    const { stdout } = await run(program(calls), environment(env));
    expect(model.requests.at(-1)!.text).toContain('The basilisk sleeps in the cellar');
    const [same, other] = stdout.split('\n').map((line) => JSON.parse(line));
    expect(same.memories[0]).toEqual({
      content: { role: 'user', parts: [{ text: 'The basilisk sleeps in the cellar' }] },
      author: 'user',
      timestamp: expect.any(String),
    });
    expect(JSON.stringify(other)).toContain('Ada is afraid');
    expect(JSON.stringify(other)).not.toContain('cellar');
  });
});

describe('a memory block of LlamaIndex', () => {
  const program = (calls: string) => `import { createMemory } from '@llamaindex/core/memory';
import { createClient } from '@svc-memory/client';
import { memoryBlock } from '@svc-memory/client/llamaindex';
const block = (more) => memoryBlock({ client: createClient({ retries: 0 }), user: 'ada', ...more });
const print = (value) => console.log(JSON.stringify(value));
${calls}`;

  test('stores each message once, when it leaves short-term memory or is saved', async () => {
    const { env, client } = await signUp('llamaindex');
    const calls = `
const ours = block();
const memory = createMemory({ memoryBlocks: [ours], tokenLimit: 20 });
await memory.add({ role: 'system', content: 'Be brief.' });
await memory.add({ role: 'user', content: 'What is in the cave? '.repeat(10) });
await memory.add({ role: 'assistant', content: '', options: { toolCall: [{ id: 'call_1', name: 'look', input: { far: true } }] } });
await memory.add({ role: 'user', content: 'a wyvern', options: { toolResult: { id: 'call_1', result: 'a wyvern', isError: false } } });
await memory.add({ role: 'assistant', content: [{ type: 'text', text: 'A wyvern.' }] });
await ours.save(memory);
await ours.save(memory);`;
    await run(program(calls), env);
    const { data } = await client.conversations.list({ user: 'ada' });
    expect(data).toHaveLength(1);
    const messages = await client.conversations.messages.list(data[0]!.id, { order: 'oldest' });
    expect(messages.data.map(({ role, content }) => [role, content])).toEqual([
      ['user', 'What is in the cave? '.repeat(10)],
      ['assistant', [{ type: 'tool_call', id: 'call_1', name: 'look', arguments: { far: true } }]],
      ['tool', [{ type: 'tool_result', toolCallId: 'call_1', content: 'a wyvern' }]],
      ['assistant', 'A wyvern.'],
    ]);
  });

  test('recalls what is known of the person, for the last user message, also with tool results after it', async () => {
    const { env, client } = await signUp('llamaindex-recall');
    await client.memories.create({ content: 'The basilisk sleeps in the cellar', user: 'ada' });
    await client.memories.create({ content: 'The basilisk of Bo sleeps in the attic', user: 'bo' });
    const calls = `
const memory = createMemory({ memoryBlocks: [block()] });
await memory.add({ role: 'user', content: 'Where does the basilisk sleep?' });
await memory.add({ role: 'user', content: '42', options: { toolResult: { id: 'call_1', result: '42', isError: false } } });
print(await memory.getLLM());`;
    const { stdout } = await run(program(calls), env);
    const [recalled, ...rest] = JSON.parse(stdout);
    expect(recalled).toMatchObject({ role: 'memory', content: expect.stringContaining('sleeps in the cellar') });
    expect(recalled.content).not.toContain('attic');
    expect(rest).toMatchObject([{ role: 'user', content: 'Where does the basilisk sleep?' }, { content: '42' }]);
  });

  test('stores with the next messages what could not be stored, and answers meanwhile', async () => {
    const { env, client } = await signUp('llamaindex-broken');
    const calls = `
let isBroken = true;
const broken = (...request) => (isBroken ? Promise.reject(new Error('the cable is cut')) : fetch(...request));
const ours = block({ client: createClient({ retries: 0, fetch: broken }) });
const memory = createMemory({ memoryBlocks: [ours], tokenLimit: 4 });
await memory.add({ role: 'user', content: 'The griffin sleeps in the attic' });
print(await memory.getLLM());
isBroken = false;
await memory.add({ role: 'user', content: 'The basilisk sleeps in the cellar' });`;
    const { stdout } = await run(program(calls), env);
    expect(stdout).toMatch(/^\[\]$/m);
    const { data } = await client.conversations.list({ user: 'ada' });
    expect(data).toMatchObject([{ messageCount: 2 }]);
  });
});

describe('a processor of Mastra', () => {
  const program = (calls: string) => `import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { createClient } from '@svc-memory/client';
import { memoryProcessor } from '@svc-memory/client/mastra';
const memory = memoryProcessor({ client: createClient({ retries: 0 }) });
const look = createTool({ id: 'look', description: 'Look', execute: async () => ({ seen: 'a wyvern' }) });
const agent = new Agent({
  id: 'guide', name: 'Guide', instructions: 'Be brief.', tools: { look },
  model: { id: 'openai/scripted', url: process.env.MODEL_URL, apiKey: 'none' },
  inputProcessors: [memory], outputProcessors: [memory],
});
const of = (resource, thread) => ({ memory: { resource, thread } });
${calls}`;

  test('stores a turn with tool calls once, as the question and the final answer', async () => {
    const { env, client } = await signUp('mastra-tools');
    model.answers({ tool: 'look', input: {} }, { text: 'A wyvern.' });
    const calls = `console.log((await agent.generate('What is in the cave?', of('ada', 'one'))).text);`;
    expect((await run(program(calls), env)).stdout).toBe('A wyvern.');
    const { data } = await client.conversations.list();
    expect(data).toMatchObject([{ user: 'ada', messageCount: 2 }]);
    const messages = await client.conversations.messages.list(data[0]!.id, { order: 'oldest' });
    expect(messages.data.map(({ role, content }) => [role, content])).toEqual([
      ['user', 'What is in the cave?'],
      ['assistant', 'A wyvern.'],
    ]);
  });

  test('keeps each thread in a conversation, and recalls those of the same person alone', async () => {
    const { env, client } = await signUp('mastra-threads');
    await client.memories.create({ content: 'Bo keeps a griffin in the attic', user: 'bo' });
    model.answers({ text: 'Noted.' }, { text: 'In the cellar.' }, { text: 'Unknown.' });
    const calls = `
await agent.generate('My basilisk sleeps in the cellar.', of('ada', 'one'));
const { textStream } = await agent.stream('Where does my basilisk sleep?', of('ada', 'two'));
for await (const text of textStream) process.stdout.write(text);
await agent.generate('Does the griffin sleep in the cellar?', of('ada', 'one'));`;
    const before = model.requests.length;
    expect((await run(program(calls), env)).stdout).toBe('In the cellar.');
    const [, other, same] = model.requests.slice(before).map(({ text }) => text);
    expect(other).toContain('My basilisk sleeps in the cellar.');
    expect(same).not.toContain('attic');
    const { data } = await client.conversations.list({ user: 'ada' });
    expect(data.map(({ messageCount }) => messageCount).sort()).toEqual([2, 4]);
  });

  test('lets the model answer without memory if svc cannot be reached', async () => {
    model.answers({ text: 'I do not know.' });
    const calls = `console.log((await agent.generate('What is in the cave?', of('ada', 'one'))).text);`;
    const { stdout, stderr } = await run(program(calls), { SVC_URL: 'http://127.0.0.1:1', SVC_API_KEY: 'none' });
    expect(stdout).toBe('I do not know.');
    expect(stderr).toContain('svc: the model answers without memory');
  });
});
