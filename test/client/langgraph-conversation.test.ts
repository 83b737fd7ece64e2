import { AIMessage, type BaseMessage, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages';
import {
  type BaseCheckpointSaver,
  type CheckpointMetadata,
  emptyCheckpoint,
  MemorySaver,
  uuid6,
} from '@langchain/langgraph-checkpoint';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Client, createClient, type Message } from '../../src/client/client.ts';
import { type KeepConversationOptions, keepConversation } from '../../src/client/langgraph.ts';
import { makeTenant } from '../features/limits/tenants.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';

type Config = Parameters<BaseCheckpointSaver['put']>[0];

let daemon: TestDaemon;
let client: Client;
let threads = 0;
let steps = 0;

beforeAll(async () => {
  daemon = await startTestDaemon();
  const { apiKey } = await makeTenant(daemon, 'threads@example.com', 'Enterprise');
  client = createClient({ baseUrl: daemon.baseUrl, apiKey, retries: 0 });
});

afterAll(() => daemon.close());

const human = (id: string, content: string) => new HumanMessage({ id, content });
const model = (id: string, content: string) => new AIMessage({ id, content });
/** A checkpointer that keeps conversations, of a program that has just started. */
const kept = (saver: BaseCheckpointSaver, options: Partial<KeepConversationOptions> = {}) =>
  keepConversation(saver, { client, user: 'ada', ...options });

/** Returns where a new thread begins. */
function newThread(): Config {
  daemon.clock.advance(60_000);
  return { configurable: { thread_id: `thread ${++threads}`, checkpoint_ns: '' } };
}

/** Puts the checkpoint that follows another one, as a graph does after each step. */
function put(saver: BaseCheckpointSaver, after: Config, messages: unknown[], id = uuid6(steps)): Promise<Config> {
  const step = ++steps;
  const checkpoint = { ...emptyCheckpoint(), id, channel_values: { messages }, channel_versions: { messages: step } };
  return saver.put(after, checkpoint, { source: 'loop', step, parents: {} }, { messages: step });
}

async function conversationOf(saver: BaseCheckpointSaver, config: Config): Promise<string> {
  const tuple = await saver.getTuple(config);
  return (tuple!.metadata as CheckpointMetadata<{ svcConversation: string }>).svcConversation;
}

async function messagesOf(saver: BaseCheckpointSaver, config: Config): Promise<Message[]> {
  const found: Message[] = [];
  const id = await conversationOf(saver, config);
  for await (const message of client.conversations.messages.list(id, { order: 'oldest' })) found.push(message);
  return found;
}

const contentsOf = async (saver: BaseCheckpointSaver, config: Config) =>
  (await messagesOf(saver, config)).map(({ content }) => content);

test('stores each message of a thread once and in order, also by programs that start later', async () => {
  const memory = new MemorySaver();
  const all: BaseMessage[] = [];
  let config = newThread();
  for (let turn = 0; turn < 6; turn += 1) {
    all.push(turn % 2 === 0 ? human(`m${turn}`, `Turn ${turn}`) : model(`m${turn}`, `Turn ${turn}`));
    config = await put(turn < 3 ? memory : kept(memory), config, all);
  }
  expect(await contentsOf(memory, config)).toEqual(all.map(({ content }) => content));
  const { id, user, metadata } = await client.conversations.get(await conversationOf(memory, config));
  expect({ user, metadata }).toEqual({
    user: 'ada',
    metadata: { langgraphThread: config.configurable!.thread_id },
  });
  const { results } = await client.search({ query: 'Turn 4', user: 'ada', types: ['message'] });
  expect(results.some((result) => result.type === 'message' && result.conversationId === id)).toBe(true);
});

test('stores calls of tools and their results, and leaves out instructions and summaries', async () => {
  const saver = kept(new MemorySaver());
  const call = { id: 'call_1', name: 'look', args: { far: true } };
  const large = 'x'.repeat(500_000);
  const config = await put(saver, newThread(), [
    new SystemMessage({ id: 's', content: 'Be brief.' }),
    new HumanMessage({ id: 'h0', content: 'What was said before', additional_kwargs: { lc_source: 'summarization' } }),
    new HumanMessage({ id: 'h', content: [{ type: 'text', text: 'What is in the cave?' }] }),
    new AIMessage({ id: 'a', content: 'I look.', tool_calls: [call, { id: 'call_2', name: 'map', args: { large } }] }),
    new ToolMessage({ id: 't', content: 'a wyvern', tool_call_id: 'call_1' }),
    new ToolMessage({ id: 't2', content: large, tool_call_id: 'call_2' }),
    new AIMessage({ id: 'a2', content: '', tool_calls: [call] }),
    new AIMessage({ id: 'a3', content: ' ' }),
    { role: 'assistant', id: 'a4', content: 'A \ud800 wyvern.' },
  ]);
  const part = { type: 'tool_call', id: 'call_1', name: 'look', arguments: { far: true } };
  const stored = await messagesOf(saver, config);
  expect(stored.map(({ role, content }) => [role, content])).toEqual([
    ['user', 'What is in the cave?'],
    ['assistant', 'I look.'],
    ['tool', [{ type: 'tool_result', toolCallId: 'call_1', content: 'a wyvern' }]],
    ['tool', [{ type: 'tool_result', toolCallId: 'call_2', content: 'x'.repeat(100_000) }]],
    ['assistant', [part]],
    ['assistant', 'A \ufffd wyvern.'],
  ]);
});

test('stores nothing twice when a checkpoint is put again, by several programs at once', async () => {
  const memory = new MemorySaver();
  const start = newThread();
  const first = await put(kept(memory), start, [human('1', 'Where is Ada?')]);
  const next = [human('1', 'Where is Ada?'), model('2', 'In Graz.'), human('3', 'Since when?')];
  const id = uuid6(1000);
  const same = kept(memory);
  await Promise.all([same, same, kept(memory), kept(memory)].map((saver) => put(saver, first, next, id)));
  const again = await put(kept(memory), first, next, id);
  expect(await contentsOf(memory, again)).toEqual(['Where is Ada?', 'In Graz.', 'Since when?']);
});

test('stores nothing twice when steps of a thread are put while an earlier one is being stored', async () => {
  const memory = new MemorySaver();
  const saver = kept(memory);
  const all = ['one', 'two', 'three', 'four'].map((content) => human(content, content));
  const first = await put(saver, newThread(), all.slice(0, 1));
  const [, , last] = await Promise.all([2, 3, 4].map((count) => put(saver, first, all.slice(0, count))));
  expect(await contentsOf(memory, last!)).toEqual(['one', 'two', 'three', 'four']);
});

test('appends what is new in a fork, and updates a message that was edited', async () => {
  const memory = new MemorySaver();
  const one = human('1', 'Where is Ada?');
  const first = await put(kept(memory), newThread(), [one]);
  const second = await put(kept(memory), first, [one, model('2', 'In Graz.'), human('3', 'Thanks.')]);
  const fork = await put(kept(memory), first, [one, model('4', 'In Linz.')]);
  await put(kept(memory), second, [one, model('2', 'In Wels.'), human('3', 'Thanks.'), model('5', 'Welcome.')]);
  await put(kept(memory), fork, [one, model('4', 'In Linz.'), human('6', 'Really?')]);
  const contents = await contentsOf(memory, fork);
  expect(contents).toEqual(['Where is Ada?', 'In Wels.', 'Thanks.', 'In Linz.', 'Welcome.', 'Really?']);
});

test('leaves alone what a person has changed or deleted in the conversation', async () => {
  const memory = new MemorySaver();
  const all = [human('1', 'My PIN is on the fridge'), model('2', 'Noted.'), human('3', 'Bye.')];
  const config = await put(kept(memory), newThread(), all);
  const [first, second] = await messagesOf(memory, config);
  const id = await conversationOf(memory, config);
  await client.conversations.messages.delete(id, first!.id);
  await client.conversations.messages.update(id, second!.id, { content: 'Noted it.' });
  const later = await put(kept(memory), config, [...all, model('4', 'Bye, Ada.')]);
  expect(await contentsOf(memory, later)).toEqual(['Noted it.', 'Bye.', 'Bye, Ada.']);
});

test('stores a thread anew after its conversation was deleted', async () => {
  const memory = new MemorySaver();
  const saver = kept(memory);
  const config = await put(saver, newThread(), [human('1', 'Hello')]);
  const deleted = await conversationOf(memory, config);
  await client.conversations.delete(deleted);
  const second = await put(saver, config, [human('1', 'Hello'), model('2', 'Hi.')]);
  const third = await put(saver, second, [human('1', 'Hello'), model('2', 'Hi.'), human('3', 'Bye.')]);
  expect(await conversationOf(memory, third)).not.toBe(deleted);
  expect(await contentsOf(memory, third)).toEqual(['Hello', 'Hi.', 'Bye.']);
});

test('recognizes messages without ids by their content', async () => {
  const memory = new MemorySaver();
  const say = (content: string) => ({ role: 'user', content });
  const first = await put(kept(memory), newThread(), [say('Yes'), say('No')]);
  const second = await put(kept(memory), first, [say('Yes'), say('No'), say('Yes')]);
  expect(await contentsOf(memory, second)).toEqual(['Yes', 'No', 'Yes']);
});

test('goes on without svc, and stores later what is missing', async () => {
  const memory = new MemorySaver();
  const onError = vi.fn();
  let isAway = true;
  const failing: typeof fetch = async (...call) => {
    if (isAway) throw new TypeError('fetch failed');
    return fetch(...call);
  };
  const { baseUrl, apiKey } = {
    baseUrl: daemon.baseUrl,
    apiKey: (await makeTenant(daemon, 'away@example.com')).apiKey,
  };
  const away = createClient({ baseUrl, apiKey, retries: 0, fetch: failing });
  const saver = kept(memory, { client: away, onError });
  const first = await put(saver, newThread(), [human('1', 'Hello')]);
  expect(await memory.getTuple(first)).toBeDefined();
  expect(onError).toHaveBeenCalledTimes(1);
  isAway = false;
  const second = await put(saver, first, [human('1', 'Hello'), model('2', 'Hi.')]);
  isAway = true;
  const all = [human('1', 'Hello'), model('2', 'Hi.'), human('3', 'Bye.')];
  const third = await put(saver, second, all);
  expect(onError).toHaveBeenCalledTimes(2);
  isAway = false;
  // A step that changes another channel.
  const checkpoint = { ...emptyCheckpoint(), id: uuid6(2000), channel_values: { messages: all } };
  await saver.put(third, checkpoint, { source: 'loop', step: 9, parents: {} }, { other: 2 });
  const id = await conversationOf(memory, third);
  const { data } = await away.conversations.messages.list(id, { order: 'oldest' });
  expect(data.map(({ content }) => content)).toEqual(['Hello', 'Hi.', 'Bye.']);
  isAway = true;
  const strict = kept(memory, {
    client: away,
    onError(error) {
      throw error;
    },
  });
  await expect(put(strict, newThread(), [human('1', 'Hello')])).rejects.toThrow('No svc daemon responds');
});

test('stores the threads of each person who runs the graph under their name, and no subgraphs', async () => {
  const memory = new MemorySaver();
  const saver = keepConversation(memory, { client });
  const { configurable } = newThread();
  const config = await put(saver, { configurable: { ...configurable, user_id: 'bo' } }, [human('1', 'Hello')]);
  expect(await client.conversations.get(await conversationOf(memory, config))).toMatchObject({ user: 'bo' });
  const inner = { configurable: { ...configurable, checkpoint_ns: 'agent:1', user_id: 'bo' } };
  await put(saver, inner, [human('2', 'Inside')]);
  expect((await client.conversations.list({ user: 'bo' })).data).toMatchObject([{ messageCount: 1 }]);
});

test('gives the answers of the checkpointer that it is given', async () => {
  const memory = new MemorySaver();
  const saver = kept(memory);
  const config = await put(saver, newThread(), [human('1', 'Hello')]);
  await saver.putWrites(config, [['messages', 'Hi.']], 'task');
  expect(await saver.getTuple(config)).toEqual(await memory.getTuple(config));
  expect((await saver.getTuple(config))!.pendingWrites).toEqual([['task', 'messages', 'Hi.']]);
  const listed = [];
  for await (const tuple of saver.list(config)) listed.push(tuple);
  expect(listed).toHaveLength(1);
  const history = { config, channels: ['messages'] };
  expect(await saver.getDeltaChannelHistory(history)).toEqual(await memory.getDeltaChannelHistory(history));
  expect(saver.getNextVersion(3)).toBe(memory.getNextVersion(3));
  const thread = config.configurable!.thread_id;
  const before = await conversationOf(memory, config);
  await saver.deleteThread(thread);
  expect(await memory.getTuple(config)).toBeUndefined();
  const again = await put(saver, { configurable: { thread_id: thread } }, [human('9', 'Anew')]);
  expect(await conversationOf(memory, again)).not.toBe(before);
  expect(await contentsOf(memory, again)).toEqual(['Anew']);
  expect((await client.conversations.get(before)).messageCount).toBe(1);
});
