import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { SearchAnswer } from '../../../src/contract/search.ts';
import { conversing, SPAN } from '../conversations/conversation-caller.ts';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';

let daemon: MemoryDaemon;
let caller: Caller;
let talk: ReturnType<typeof conversing>;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
beforeEach(async () => {
  caller = await daemon.account();
  talk = conversing(caller);
});
afterAll(() => daemon.close());

async function typesOf(query: string, more: object = {}): Promise<string[]> {
  const answer = await caller.call<SearchAnswer>('/v1/search', { body: { query, ...more } });
  expect(answer.status, answer.text).toBe(200);
  return answer.body.results.map(({ type }) => type).sort();
}

/** One memory, one message and one episode about the same subject. */
async function fill() {
  const memory = await caller.add('The kayak is red', { metadata: { trip: 1 } });
  const conversation = await talk.begin();
  const said = { role: 'user', name: 'Ann', content: 'My kayak has a hole', createdAt: '2020-05-01T00:00:00.000Z' };
  const [message] = await talk.append(conversation.id, [{ ...said, metadata: { trip: 1 } }]);
  const episode = await talk.episode({ title: 'Kayak trip', summary: 'It rained', outcome: 'Wet', ...SPAN });
  return { memory, message: message!, episode };
}

describe('a search', () => {
  test('finds all three types, each with its own fields only', async () => {
    const { memory, message, episode } = await fill();
    const { results } = (await caller.search('kayak')).body;
    const common = [
      'content',
      'createdAt',
      'id',
      'metadata',
      'origin',
      'project',
      'relevance',
      'score',
      'type',
      'user',
    ];
    const byType = Object.fromEntries(results.map((result) => [result.type, result]));
    const { score: _, relevance: _relevance, type: _type, ...foundMemory } = byType.memory!;
    expect(foundMemory).toEqual(memory);
    expect(byType.message).toEqual({
      ...message,
      type: 'message',
      user: 'default',
      project: null,
      origin: 'person',
      score: expect.any(Number),
      relevance: expect.any(Number),
    });
    expect(Object.keys(byType.episode!).sort()).toEqual(
      [
        ...common,
        'conversationId',
        'endedAt',
        'outcome',
        'startedAt',
        'summary',
        'title',
        'updatedAt',
        'version',
      ].sort(),
    );
    expect(byType.episode).toMatchObject({ id: episode.id, content: 'Kayak trip: It rained', outcome: 'Wet', ...SPAN });
  });

  test('returns only the types it names', async () => {
    await fill();
    for (const types of [['memory'], ['message'], ['episode'], ['episode', 'memory']]) {
      expect(await typesOf('kayak', { types })).toEqual(types);
    }
    expect(await typesOf('kayak')).toEqual(['episode', 'memory', 'message']);
  });

  test('filters memories by tags, and all types by metadata and time', async () => {
    await fill();
    await caller.add('A kayak with a tag', { tags: ['boat'] });
    expect(await typesOf('kayak', { filter: { tags: ['boat'] } })).toEqual(['memory']);
    expect(await typesOf('kayak', { filter: { metadata: { trip: 1 } } })).toEqual(['memory', 'message']);
    expect(await typesOf('kayak', { filter: { before: '2021-01-01T00:00:00Z' } })).toEqual(['message']);
    const around = { after: '2026-01-01T10:30:00Z', before: '2026-01-01T11:30:00Z' };
    expect(await typesOf('kayak', { filter: around })).toEqual(['episode']);
  });

  test('under asOf finds messages written and episodes ended by then', async () => {
    await fill();
    expect(await typesOf('kayak', { asOf: '2020-04-30T00:00:00Z' })).toEqual([]);
    expect(await typesOf('kayak', { asOf: '2020-05-01T00:00:00Z' })).toEqual(['message']);
    expect(await typesOf('kayak', { asOf: '2026-01-01T10:30:00Z' })).toEqual(['message']);
    expect(await typesOf('kayak', { asOf: '2026-01-01T11:00:00Z' })).toEqual(['episode', 'message']);
  });

  test('finds nothing of another user', async () => {
    const { id } = await talk.begin({ user: 'ann' });
    await talk.say(id, 'a secret kayak');
    await talk.episode({ title: 'A secret kayak', user: 'ann', ...SPAN });
    expect(await typesOf('kayak')).toEqual([]);
    expect(await typesOf('kayak', { user: 'ann' })).toEqual(['episode', 'message']);
  });

  test('finds a message as soon as its append has returned', async () => {
    const { id } = await talk.begin();
    for (const word of ['alpha', 'bravo', 'charlie']) {
      await talk.say(id, word);
      expect((await caller.find(word))[0]).toBe(word);
    }
  });

  test('ranks a memory that matches fully above many messages that match in part', async () => {
    await caller.add('The kayak rental opens in April');
    const { id } = await talk.begin();
    const idle = Array.from({ length: 400 }, (_, index) => `idle talk number ${index} about the weather`);
    await talk.say(id, 'kayak', 'the rental of a car', ...idle);
    expect((await caller.find('kayak rental April'))[0]).toBe('The kayak rental opens in April');
  });
});

describe('an erased item', () => {
  test('is not found, and leaves nothing in an index', async () => {
    const { message, episode } = await fill();
    expect(await typesOf('kayak')).toEqual(['episode', 'memory', 'message']);
    await talk.erase(`conversations/${message.conversationId}/messages/${message.id}`);
    expect(await typesOf('kayak')).toEqual(['episode', 'memory']);
    await talk.erase(`episodes/${episode.id}`);
    expect(await typesOf('kayak')).toEqual(['memory']);
    const { id } = await talk.begin();
    await talk.say(id, ...Array.from({ length: 450 }, (_, index) => `walrus ${index}`));
    expect(await caller.find('walrus', { limit: 100 })).toHaveLength(100);
    await talk.erase(`conversations/${id}`);
    expect(await caller.find('walrus')).toEqual([]);
    expect(await daemon.db.readers.all('SELECT 1 FROM messages WHERE tenantId = ?', [caller.tenantId])).toEqual([]);
    await expectIndicesWhole();
  });

  test('is not found while its rows are still being erased, which the sweep finishes', async () => {
    const { id } = await talk.begin();
    await talk.say(id, 'a walrus on the ice');
    await daemon.db.writes.write('daemon', (connection) =>
      connection.run('UPDATE conversations SET erasedAt = 1 WHERE tenantId = ? AND id = ?', [caller.tenantId, id]),
    );
    expect(await caller.find('walrus')).toEqual([]);
    expect((await caller.call(`/v1/conversations/${id}/messages`)).status).toBe(404);
    await daemon.conversations.sweep();
    expect(await daemon.db.readers.all('SELECT 1 FROM messages WHERE tenantId = ?', [caller.tenantId])).toEqual([]);
    await expectIndicesWhole();
  });
});

test('a context shows speakers of messages and dates of episodes, and cites each by type', async () => {
  const { memory, message, episode } = await fill();
  const body = { query: 'kayak', maxTokens: 500 };
  const { text, citations } = (
    await caller.call<{ text: string; citations: { type: string; id: string }[] }>('/v1/context', { body })
  ).body;
  expect(text).toContain('(2020-05-01) Ann: My kayak has a hole');
  expect(text).toContain('(2026-01-01) Kayak trip: It rained');
  const cited = citations.map(({ type, id }) => `${type} ${id}`).sort();
  expect(cited).toEqual([`episode ${episode.id}`, `memory ${memory.id}`, `message ${message.id}`]);
});

async function expectIndicesWhole(): Promise<void> {
  const { textIndices } = await import('../../../src/features/text/text-indices.ts');
  for (const { problems } of Object.values(textIndices)) {
    expect(await daemon.db.writes.write('daemon', problems)).toEqual([]);
  }
}
