import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Retrieval } from '../../src/contract/learning.ts';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../features/memories/memory-daemon.ts';
import { LEARNING_OPERATIONS, type Searched } from './learning-operations.ts';
import { visible } from './visible-answer.ts';

let daemon: MemoryDaemon;
let owner: Caller;
let stranger: Caller;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
beforeEach(async () => {
  owner = await daemon.account();
  stranger = await daemon.account();
  for (const caller of [owner, stranger]) {
    await caller.addAll([{ content: 'The griffin nests on the roof' }, { content: 'A griffin has two wings' }]);
  }
});
afterAll(() => daemon.close());

const NEVER: Searched = { search: `srch_${'0'.repeat(32)}`, result: `mem_${'0'.repeat(32)}` };

async function searchOf(caller: Caller): Promise<Searched> {
  const { searchId, results } = (await caller.search('griffin')).body;
  return { search: searchId, result: results[1]!.id };
}

async function feedBack(caller: Caller): Promise<void> {
  const { search, result } = await searchOf(caller);
  expect((await caller.call(`/v1/searches/${search}/feedback`, { body: { used: [result] } })).status).toBe(202);
}

const learnedOf = async (caller: Caller) => (await caller.call<Retrieval>('/v1/retrieval')).body;

describe('another tenant’s search', () => {
  test.each(Object.entries(LEARNING_OPERATIONS))(
    'is indistinguishable from a missing one when %s; its owner succeeds',
    async (_, { path, options, succeeds }) => {
      const theirs = await searchOf(owner);
      const before = [await learnedOf(owner), await learnedOf(stranger)];
      const foreign = await stranger.call(path(theirs), options(theirs));
      const missing = await stranger.call(path(NEVER), options(NEVER));
      expect(foreign.status).toBe(404);
      expect(visible(foreign, theirs.search)).toEqual(visible(missing, NEVER.search));
      expect([await learnedOf(owner), await learnedOf(stranger)]).toEqual(before);
      expect((await owner.call(path(theirs), options(theirs))).status).toBe(succeeds);
    },
  );

  test('accepts no feedback from a stranger through memory_feedback; its owner succeeds', async () => {
    const theirs = await searchOf(owner);
    const tell = async ({ apiKey }: Caller, { search, result }: Searched) => {
      const client = new Client({ name: 'test', version: '1' });
      const requestInit = { headers: { authorization: `Bearer ${apiKey}` } };
      await client.connect(
        new StreamableHTTPClientTransport(new URL(`${daemon.baseUrl}/v1/mcp?structured=true`), { requestInit }),
      );
      const call = { name: 'memory_feedback', arguments: { searchId: search, used: [result] } };
      const { isError, content, structuredContent } = await client.callTool(call);
      await client.close();
      return { isError: isError === true, content, structuredContent };
    };
    const foreign = await tell(stranger, theirs);
    expect(foreign.isError).toBe(true);
    expect(foreign).toEqual(await tell(stranger, NEVER));
    expect(await tell(owner, theirs)).toMatchObject({ isError: false, structuredContent: { learned: true } });
  });

  test('does not influence a stranger’s searches, and its results are unknown in those', async () => {
    const before = await learnedOf(stranger);
    const theirs = await searchOf(owner);
    for (let round = 0; round < 5; round += 1) await feedBack(owner);
    expect((await owner.search('griffin')).body.strategy.learnedFrom).toBeGreaterThanOrEqual(5);
    expect((await stranger.search('griffin')).body.strategy).toMatchObject({ name: 'default', learnedFrom: 0 });
    expect(await learnedOf(stranger)).toEqual(before);
    const own = await searchOf(stranger);
    const at = `/v1/searches/${own.search}/feedback`;
    expect((await stranger.call(at, { body: { used: [theirs.result] } })).status).toBe(400);
    expect((await stranger.call(at, { body: { used: [own.result] } })).status).toBe(202);
  });

  test('learns nothing when a stranger reads the same id', async () => {
    const theirs = await searchOf(owner);
    await daemon.learning.flush();
    const before = await learnedOf(owner);
    expect((await stranger.read(theirs.result)).status).toBe(404);
    await daemon.db.writes.write('daemon', async () => {});
    expect(await learnedOf(owner)).toEqual(before);
    expect((await owner.read(theirs.result)).status).toBe(200);
    await expect.poll(async () => (await learnedOf(owner)).events).toBe(before.events + 1);
  });

  test('has learned state and words that only its own tenant can see, change and reset', async () => {
    await feedBack(owner);
    expect((await learnedOf(owner)).events).toBeGreaterThan(0);
    const words = async (caller: typeof owner) =>
      (await caller.call<{ data: object[] }>('/v1/retrieval/words')).body.data;
    const own = await words(owner);
    expect(own).not.toEqual([]);
    const foreign = JSON.stringify(await words(stranger));
    for (const word of own) expect(foreign).not.toContain((word as { itemId: string }).itemId);
    await stranger.call('/v1/retrieval', { method: 'PATCH', body: { usesWords: false } });
    expect((await stranger.call('/v1/retrieval/words', { method: 'DELETE' })).status).toBe(204);
    expect(await words(stranger)).toEqual([]);
    expect(await words(owner)).toEqual(own);
    expect((await owner.call<{ usesWords: boolean }>('/v1/retrieval')).body.usesWords).toBe(true);
    expect((await stranger.call('/v1/retrieval', { method: 'DELETE' })).status).toBe(204);
    expect((await learnedOf(owner)).events).toBeGreaterThan(0);
    expect((await owner.call('/v1/retrieval', { method: 'DELETE' })).status).toBe(204);
    expect((await learnedOf(owner)).events).toBe(0);
  });
});
