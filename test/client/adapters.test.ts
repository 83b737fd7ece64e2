import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, createClient } from '../../src/client/client.ts';
import { memoryBlock } from '../../src/client/llamaindex.ts';
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
});

describe('a memory block of LlamaIndex', () => {
  const said = (id: string, content: string) => ({ id, role: 'user', content });

  test('goes on in a new conversation after its own was deleted', async () => {
    const user = newUser();
    const block = memoryBlock({ client, user });
    await block.put([said('1', 'Hello')]);
    await deleteTalksOf(user);
    await block.put([said('2', 'Which tea?')]);
    expect(await talksOf(user)).toEqual([['Which tea?']]);
  });
});
