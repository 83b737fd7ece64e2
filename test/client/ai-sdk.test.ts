import { generateText, simulateReadableStream, stepCountIs, streamText } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { memoryTools, withMemory } from '../../src/client/ai-sdk.ts';
import { type Client, createClient } from '../../src/client/client.ts';
import { makeTenant } from '../features/limits/tenants.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';

type Generated = Awaited<ReturnType<MockLanguageModelV3['doGenerate']>>;

let daemon: TestDaemon;
let client: Client;

beforeAll(async () => {
  daemon = await startTestDaemon();
  const { apiKey } = await makeTenant(daemon, 'ai-sdk@example.com');
  client = createClient({ baseUrl: daemon.baseUrl, apiKey, retries: 0 });
});

afterAll(() => daemon.close());

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
const says = (text: string): Generated => ({
  content: [{ type: 'text', text }],
  finishReason: { unified: 'stop', raw: 'stop' },
  usage,
  warnings: [],
});
const calls = (toolName: string, input: object): Generated => ({
  content: [{ type: 'tool-call', toolCallId: 'call_1', toolName, input: JSON.stringify(input) }],
  finishReason: { unified: 'tool-calls', raw: 'tool_calls' },
  usage,
  warnings: [],
});

async function turnsOf(user: string): Promise<string[][]> {
  const turns: string[][] = [];
  for await (const { id } of client.conversations.list({ user })) {
    const { data } = await client.conversations.messages.list(id, { order: 'oldest' });
    turns.push(data.map(({ role, content }) => `${role}: ${content}`));
  }
  return turns;
}

describe('withMemory', () => {
  test('adds what is remembered to the system message and stores the turn', async () => {
    await client.memories.create({ content: 'Ada prefers oolong tea', user: 'ada' });
    const model = new MockLanguageModelV3({ doGenerate: [says('Oolong, then.'), says('You are welcome.')] });
    const remembering = withMemory(model, { client, user: 'ada' });
    const { text } = await generateText({ model: remembering, system: 'Be brief.', prompt: 'Which tea for Ada?' });
    expect(text).toBe('Oolong, then.');
    const [system, question] = model.doGenerateCalls[0]!.prompt;
    expect(system).toMatchObject({ role: 'system', content: expect.stringMatching(/^Be brief\.\n\n.*oolong tea/s) });
    expect(question).toMatchObject({ role: 'user', content: [{ type: 'text', text: 'Which tea for Ada?' }] });
    await generateText({ model: remembering, prompt: 'Thanks' });
    expect(await turnsOf('ada')).toEqual([
      ['user: Which tea for Ada?', 'assistant: Oolong, then.', 'user: Thanks', 'assistant: You are welcome.'],
    ]);
  });

  test('adds nothing that is less relevant than minRelevance', async () => {
    await client.memories.create({ content: 'Guy keeps the basilisk in the cellar', user: 'guy' });
    const systemFor = async (prompt: string) => {
      const model = new MockLanguageModelV3({ doGenerate: says('Noted.') });
      const options = { client, user: 'guy', minRelevance: 0.35, store: false };
      await generateText({ model: withMemory(model, options), prompt });
      return JSON.stringify(model.doGenerateCalls[0]!.prompt);
    };
    expect(await systemFor('Where is the basilisk?')).toContain('cellar');
    expect(await systemFor('Keep going, and explain monads')).not.toContain('cellar');
  });

  test('remembers turns in later conversations, of the same user alone', async () => {
    const asked = async (user: string) => {
      const model = new MockLanguageModelV3({ doGenerate: says('Noted.') });
      await generateText({ model: withMemory(model, { client, user }), prompt: 'Where did I leave the basilisk key?' });
      return JSON.stringify(model.doGenerateCalls[0]!.prompt);
    };
    const model = new MockLanguageModelV3({ doGenerate: [says('Noted.'), says('Under it.')] });
    const told = withMemory(model, { client, user: 'bo' });
    await generateText({ model: told, prompt: 'The basilisk key is under the mat.' });
    // The same conversation is in the prompt already.
    await generateText({ model: told, prompt: 'Where is the basilisk key?' });
    expect(JSON.stringify(model.doGenerateCalls[1]!.prompt)).not.toContain('under the mat');
    expect(await asked('bo')).toContain('under the mat');
    expect(await asked('cy')).not.toContain('under the mat');
  });

  test('keeps each user and conversation that calls of one model name apart', async () => {
    const model = new MockLanguageModelV3({ doGenerate: async () => says('Noted.') });
    const shared = withMemory(model, { client, user: 'jo' });
    const { id: conversationId } = await client.conversations.create({ user: 'kim' });
    const ask = (prompt: string, svc: { user?: string; conversationId?: string }) =>
      generateText({ model: shared, prompt, providerOptions: { svc } });
    await ask('Kim keeps the griffin key in the well.', { user: 'kim', conversationId });
    await ask('Lou keeps it in the barn.', { user: 'lou' });
    await ask('Thanks.', { user: 'lou' });
    await ask('Where is the griffin key?', {});
    expect(JSON.stringify(model.doGenerateCalls.at(-1)!.prompt)).not.toMatch(/well|barn/);
    await ask('Where is the griffin key?', { user: 'kim' });
    expect(JSON.stringify(model.doGenerateCalls.at(-1)!.prompt)).toContain('in the well');
    await ask('And the lamp?', { user: 'kim', conversationId });
    const noted = 'assistant: Noted.';
    expect(await turnsOf('lou')).toEqual([['user: Lou keeps it in the barn.', noted, 'user: Thanks.', noted]]);
    expect(await turnsOf('jo')).toEqual([['user: Where is the griffin key?', noted]]);
    expect(await turnsOf('kim')).toEqual([
      ['user: Where is the griffin key?', noted],
      ['user: Kim keeps the griffin key in the well.', noted, 'user: And the lamp?', noted],
    ]);
  });

  test.each([{ userId: 'kim' }, { user: 7 }])('refuses a call for %j, and stores no turn', async (svc) => {
    const model = new MockLanguageModelV3({ doGenerate: says('Hello.') });
    const asked = generateText({
      model: withMemory(model, { client, user: 'mo' }),
      prompt: 'Hi',
      providerOptions: { svc },
    });
    await expect(asked).rejects.toThrow(/^providerOptions\.svc takes the texts user and conversationId, not user/);
    expect([model.doGenerateCalls, await turnsOf('mo')]).toEqual([[], []]);
  });

  test('stores a streamed turn', async () => {
    const chunks = [
      { type: 'text-start' as const, id: '1' },
      { type: 'text-delta' as const, id: '1', delta: 'Green ' },
      { type: 'text-delta' as const, id: '1', delta: 'tea.' },
      { type: 'text-end' as const, id: '1' },
      { type: 'finish' as const, finishReason: { unified: 'stop' as const, raw: 'stop' }, usage },
    ];
    const model = new MockLanguageModelV3({ doStream: { stream: simulateReadableStream({ chunks }) } });
    const { id: conversationId } = await client.conversations.create({ user: 'di' });
    const remembering = withMemory(model, { client, user: 'di', conversationId });
    expect(await streamText({ model: remembering, prompt: 'Which?' }).text).toBe('Green tea.');
    expect(await turnsOf('di')).toEqual([['user: Which?', 'assistant: Green tea.']]);
  });

  test('stores a turn with tool calls once, at its end', async () => {
    const model = new MockLanguageModelV3({
      doGenerate: [calls('memoryAdd', { content: 'Eve likes matcha', tags: ['taste'] }), says('I will remember that.')],
    });
    const result = await generateText({
      model: withMemory(model, { client, user: 'eve' }),
      tools: memoryTools({ client, user: 'eve' }),
      stopWhen: stepCountIs(3),
      prompt: 'I like matcha.',
    });
    expect(result.text).toBe('I will remember that.');
    expect((await client.memories.list({ user: 'eve' })).data).toMatchObject([{ content: 'Eve likes matcha' }]);
    expect(await turnsOf('eve')).toEqual([['user: I like matcha.', 'assistant: I will remember that.']]);
  });

  test('tells the model what a fact may replace, which it supersedes by adding the fact again', async () => {
    const old = await client.memories.create({ content: 'Flo likes sencha tea', user: 'flo' });
    await client.memories.create({ content: 'Flo likes tea', user: 'other' });
    const { memoryAdd } = memoryTools({ client, user: 'flo' });
    const call = { toolCallId: 'call-1', messages: [], context: undefined };
    const fact = { content: 'Flo likes coffee, no more tea' };
    const added = await memoryAdd.execute(fact, call);
    const { id, content, createdAt } = old;
    expect(added).toMatchObject({ duplicate: false, storedBefore: [{ id, content, createdAt }] });
    expect(await memoryAdd.execute({ ...fact, supersedes: id }, call)).toEqual({
      ...{ id: added.id, duplicate: true, storedBefore: [] },
    });
    expect((await client.memories.get(id)).supersededBy).toBe(added.id);
  });

  test('lets the model answer if svc cannot be used, and reports why', async () => {
    const errors: unknown[] = [];
    const unreachable = createClient({ baseUrl: 'http://127.0.0.1:9', retries: 0 });
    const model = new MockLanguageModelV3({ doGenerate: says('Hello.') });
    const remembering = withMemory(model, { client: unreachable, onError: (error) => errors.push(error) });
    expect((await generateText({ model: remembering, prompt: 'Hi' })).text).toBe('Hello.');
    expect(errors).toMatchObject([{ name: 'UnreachableError' }, { name: 'UnreachableError' }]);
  });

  test('stores nothing if told so', async () => {
    const model = new MockLanguageModelV3({ doGenerate: says('Hello.') });
    await generateText({ model: withMemory(model, { client, user: 'flo', store: false }), prompt: 'Hi' });
    expect(await turnsOf('flo')).toEqual([]);
  });
});

describe('memoryTools', () => {
  async function useTool(user: string, name: string, input: object): Promise<unknown> {
    const model = new MockLanguageModelV3({ doGenerate: [calls(name, input), says('Done.')] });
    const tools = memoryTools({ client, user });
    const { steps } = await generateText({ model, tools, stopWhen: stepCountIs(2), prompt: 'Go on.' });
    const [part] = steps[0]!.content.filter(({ type }) => type === 'tool-result' || type === 'tool-error');
    if (part?.type === 'tool-error') throw part.error;
    return part?.type === 'tool-result' ? part.output : undefined;
  }

  test('search, update and delete the memories of the user', async () => {
    const { id } = await client.memories.create({ content: 'Gil lives in Oslo', user: 'gil' });
    expect(await useTool('gil', 'memorySearch', { query: 'Where does Gil live?' })).toMatchObject([
      { type: 'memory', id, content: 'Gil lives in Oslo' },
    ]);
    expect(await useTool('gil', 'memorySearch', { query: 'zebra', wordings: ['Oslo', 'city'] })).toMatchObject([
      { id },
    ]);
    expect(await useTool('gil', 'memoryUpdate', { id, content: 'Gil lives in Bergen' })).toEqual({ id, version: 2 });
    expect(await client.memories.get(id)).toMatchObject({ content: 'Gil lives in Bergen' });
    expect(await useTool('gil', 'memoryDelete', { id })).toEqual({ id, deleted: true });
    await expect(client.memories.get(id)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('do not reach the memories of another user', async () => {
    const { id } = await client.memories.create({ content: 'Hal keeps the well', user: 'hal' });
    expect(await useTool('ida', 'memorySearch', { query: 'Who keeps the well?' })).toEqual([]);
    await expect(useTool('ida', 'memoryUpdate', { id, content: 'Ida keeps it' })).rejects.toThrow('There is no memory');
    const refused = (unknown: string) => useTool('ida', 'memoryDelete', { id: unknown }).catch((error: Error) => error);
    const [foreign, missing] = [await refused(id), await refused(`mem_${'0'.repeat(32)}`)] as Error[];
    expect(foreign!.message).toBe(missing!.message);
    expect(await client.memories.get(id)).toMatchObject({ content: 'Hal keeps the well', version: 1 });
  });
});
