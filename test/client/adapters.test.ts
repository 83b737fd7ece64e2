import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { emptyCheckpoint, MemorySaver } from '@langchain/langgraph-checkpoint';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, createClient } from '../../src/client/client.ts';
import { SvcMemoryService } from '../../src/client/google-adk.ts';
import { keepConversation, SvcStore } from '../../src/client/langgraph.ts';
import { memoryBlock } from '../../src/client/llamaindex.ts';
import { memoryProcessor } from '../../src/client/mastra.ts';
import { createTurns, type TurnOptions } from '../../src/client/turns.ts';
import { makeTenant } from '../features/limits/tenants.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';

/** What adapters of frameworks do at the edges, without the frameworks. `test/slow/frameworks.test.ts` runs those. */

let daemon: TestDaemon;
let client: Client;
let users = 0;

beforeAll(async () => {
  daemon = await startTestDaemon();
  const { apiKey } = await makeTenant(daemon, 'adapters@example.com', 'Enterprise');
  client = createClient({ baseUrl: daemon.baseUrl, apiKey, retries: 0 });
});

afterAll(() => daemon.close());

const newUser = () => `user ${++users}`;
/** An emoji that is cut into halves after this many characters, and is not stored as such. */
const cutAfter = (count: number) => `${'a '.repeat(count / 2).slice(0, count - 1)}😀 tea`;
/** What no message can have, and what takes its place. */
const UNUSUAL = { id: 1234567890123456800, text: 'a\0b\ud83d' };
const STORED = { id: '1234567890123456800', text: 'a\ufffdb\ufffd' };
const LARGE = 'x'.repeat(150_000);

function turnsOf(user: string, options: Partial<TurnOptions> = {}) {
  const errors: unknown[] = [];
  return { errors, ...createTurns({ client, user, onError: (error) => errors.push(error), ...options }) };
}

/** Returns the contents of the messages of each conversation of a user. */
async function talksOf(user: string): Promise<unknown[][]> {
  const talks: unknown[][] = [];
  for await (const { id } of client.conversations.list({ user })) {
    const { data } = await client.conversations.messages.list(id, { order: 'oldest', limit: 200 });
    talks.push(data.map(({ content }) => content));
  }
  return talks;
}

async function deleteTalksOf(user: string): Promise<void> {
  for (const { id } of (await client.conversations.list({ user })).data) await client.conversations.delete(id);
}

async function deleteLastMessageOf(user: string): Promise<void> {
  const [talk] = (await client.conversations.list({ user })).data;
  const [last] = (await client.conversations.messages.list(talk!.id, { order: 'newest' })).data;
  await client.conversations.messages.delete(talk!.id, last!.id);
}

describe('turns', () => {
  test('go on in a new conversation after theirs was deleted', async () => {
    const user = newUser();
    const { add, errors } = turnsOf(user);
    await add('Hello', 'Hi.');
    await deleteTalksOf(user);
    await add('Which tea?', 'Oolong.');
    await add('Thanks', 'You are welcome.');
    expect([errors, await talksOf(user)]).toEqual([[], [['Which tea?', 'Oolong.', 'Thanks', 'You are welcome.']]]);
  });

  test('report that the conversation which they were given is gone', async () => {
    const user = newUser();
    const { id } = await client.conversations.create({ user });
    const { add, errors } = turnsOf(user, { conversationId: id });
    await client.conversations.delete(id);
    await add('Hello', 'Hi.');
    expect(errors).toMatchObject([{ code: 'not_found' }]);
    expect(await talksOf(user)).toEqual([]);
  });

  test('that end at once are in one conversation', async () => {
    const user = newUser();
    const { add } = turnsOf(user);
    await Promise.all([add('One', '1'), add('Two', '2'), add('Three', '3')]);
    expect(await talksOf(user)).toEqual([['One', '1', 'Two', '2', 'Three', '3']]);
  });

  test('are stored and recalled for, whatever their texts are', async () => {
    const user = newUser();
    const { add, recall, errors } = turnsOf(user);
    await add(LARGE, UNUSUAL.text);
    expect(await recall(cutAfter(10_000))).toBe('');
    expect(await recall(UNUSUAL.text)).toBe('');
    expect([errors, await talksOf(user)]).toEqual([[], [[LARGE.slice(0, 100_000), STORED.text]]]);
  });
});

describe('a memory block of LlamaIndex', () => {
  const said = (id: string, content: string) => ({ id, role: 'user', content });
  const result = (id: string, found: unknown) => ({
    ...said(id, ''),
    options: { toolResult: { id: 'call_1', result: found } },
  });

  test('goes on in a new conversation after its own was deleted', async () => {
    const user = newUser();
    const block = memoryBlock({ client, user });
    await block.put([said('1', 'Hello')]);
    await deleteTalksOf(user);
    await block.put([said('2', 'Which tea?')]);
    expect(await talksOf(user)).toEqual([['Which tea?']]);
  });

  test('stores results of tools whatever they are, and what comes after them', async () => {
    const user = newUser();
    const block = memoryBlock({ client, user });
    const nested = JSON.parse('['.repeat(40) + ']'.repeat(40));
    await block.put([result('1', UNUSUAL), result('2', LARGE), result('3', undefined), result('4', nested)]);
    await block.put([result('5', { big: LARGE }), said('6', UNUSUAL.text)]);
    const stored = (content: unknown) => [{ type: 'tool_result', toolCallId: 'call_1', content }];
    expect(await talksOf(user)).toEqual([
      [
        stored(STORED),
        stored(LARGE.slice(0, 100_000)),
        stored(null),
        stored(JSON.stringify(nested)),
        stored(JSON.stringify({ big: LARGE }).slice(0, 100_000)),
        STORED.text,
      ],
    ]);
    const other = memoryBlock({ client, user: newUser() });
    expect(await other.get([said('7', cutAfter(10_000))])).toEqual([]);
  });
});

describe('a memory service of the ADK', () => {
  const event = (id: string, part: object) => ({
    ...{ id, author: 'user', timestamp: daemon.clock.nowMs() },
    content: { role: 'user', parts: [part] },
  });
  const session = (userId: string, events: ReturnType<typeof event>[]) => ({ id: 's', appName: 'app', userId, events });

  test('stores each event once when a session is added again before it is stored', async () => {
    const user = newUser();
    const service = new SvcMemoryService({ client });
    const [one, two] = [event('1', { text: 'One' }), event('2', { text: 'Two' })];
    await Promise.all([
      service.addSessionToMemory(session(user, [one])),
      service.addSessionToMemory(session(user, [one, two])),
    ]);
    expect(await talksOf(user)).toEqual([['One', 'Two']]);
  });

  test('stores results of tools whatever they are, and what comes after them', async () => {
    const user = newUser();
    const service = new SvcMemoryService({ client });
    const result = (response: unknown) => ({ functionResponse: { id: 'call_1', name: 'look', response } });
    const events = [
      event('1', result(UNUSUAL)),
      event('2', result({ big: LARGE })),
      event('3', { text: UNUSUAL.text }),
    ];
    await service.addSessionToMemory(session(user, events));
    expect(await talksOf(user)).toMatchObject([
      [[{ content: STORED }], [{ content: expect.stringMatching(/^{"big":"x{99992}$/) }], STORED.text],
    ]);
    const query = cutAfter(10_000);
    expect(await service.searchMemory({ appName: 'app', userId: newUser(), query })).toEqual({ memories: [] });
  });

  test('does not bring back the last message after a person deleted it', async () => {
    const user = newUser();
    const service = new SvcMemoryService({ client });
    const events = [event('1', { text: 'Hello' }), event('2', { text: 'My PIN is on the fridge' })];
    await service.addSessionToMemory(session(user, events));
    await deleteLastMessageOf(user);
    await service.addSessionToMemory(session(user, [...events, event('3', { text: 'Bye' })]));
    expect(await talksOf(user)).toEqual([['Hello', 'Bye']]);
  });
});

describe('the conversations of LangGraph', () => {
  let steps = 0;

  /** Returns a function that puts the messages of a thread, as a graph does after each step. */
  function newThread(user: string) {
    const saver = keepConversation(new MemorySaver(), {
      ...{ client, user },
      onError(error) {
        throw error;
      },
    });
    const thread = { configurable: { thread_id: user, checkpoint_ns: '' } };
    return (messages: unknown[]) => {
      const step = ++steps;
      const checkpoint = { ...emptyCheckpoint(), channel_values: { messages }, channel_versions: { messages: step } };
      return saver.put(thread, checkpoint, { source: 'loop', step, parents: {} }, { messages: step });
    };
  }

  test('have calls of tools and results whatever they are, and what comes after them', async () => {
    const user = newUser();
    const put = newThread(user);
    const messages = [
      new AIMessage({ id: '1', content: '', tool_calls: [{ id: 'call_1', name: 'look', args: UNUSUAL }] }),
      new ToolMessage({ id: '2', content: LARGE, tool_call_id: 'call_1' }),
      new HumanMessage({ id: '3', content: UNUSUAL.text }),
    ];
    await put(messages);
    expect(await talksOf(user)).toMatchObject([
      [[{ arguments: STORED }], [{ content: LARGE.slice(0, 100_000) }], STORED.text],
    ]);
  });

  test('do not get back the last message after a person deleted it', async () => {
    const user = newUser();
    const put = newThread(user);
    const messages = [
      new HumanMessage({ id: '1', content: 'Hello' }),
      new HumanMessage({ id: '2', content: 'My PIN' }),
    ];
    await put(messages);
    await deleteLastMessageOf(user);
    await put([...messages, new AIMessage({ id: '3', content: 'Noted.' })]);
    expect(await talksOf(user)).toEqual([['Hello', 'Noted.']]);
  });
});

test('a store of LangGraph searches for a query that is too long, wherever it is cut', async () => {
  const store = new SvcStore({ client, user: newUser() });
  await store.put(['a'], 'tea', { text: 'Oolong' });
  await expect(store.search(['a'], { query: cutAfter(10_000) })).resolves.toEqual(expect.any(Array));
});

test('a processor of Mastra recalls earlier calls without a thread, each a conversation of its own', async () => {
  const user = newUser();
  const processor = memoryProcessor({ client, user });
  const call = async (text: string, answer: string) => {
    const messages = [{ role: 'user', content: { parts: [{ type: 'text', text }] } }];
    const state = {};
    const { systemMessages } = await processor.processInput({ messages, systemMessages: [] as object[], state });
    await processor.processOutputResult({ messages, state, result: { text: answer, finishReason: 'stop' } });
    return JSON.stringify(systemMessages);
  };
  await call('The basilisk key is under the blue pot', 'Noted.');
  expect(await call('Where is the basilisk key?', 'Under the pot.')).toContain('under the blue pot');
  expect((await talksOf(user)).map((talk) => talk.length)).toEqual([2, 2]);
});
