import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MemoryNeighbor } from '../../../src/contract/neighbors.ts';
import { type MeaningDaemon, startMeaningDaemon } from '../embeddings/meaning-daemon.ts';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';

async function neighborsOf(caller: Caller, id: string, query = ''): Promise<MemoryNeighbor[]> {
  const answer = await caller.call<{ data: MemoryNeighbor[] }>(`/v1/memories/${id}/neighbors${query}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data;
}

const namesOf = (neighbors: readonly MemoryNeighbor[]) =>
  neighbors.map(({ relation, memory }) => `${relation}: ${memory.content}`);

describe('the neighbors of a memory', () => {
  let daemon: MemoryDaemon;
  let caller: Caller;

  beforeAll(async () => {
    daemon = await startMemoryDaemon();
  });
  afterAll(() => daemon.close());

  test('are the memories that it superseded and that superseded it, directly or through others', async () => {
    caller = await daemon.account();
    const ids: string[] = [];
    for (const content of ['Lives in Linz', 'Dwells at Graz', 'Settled near Wien', 'Based around Bonn']) {
      ids.push((await caller.add(content, { supersedes: ids.at(-1) })).id);
    }
    const { id: other } = await caller.add('Worked in Rome');
    await caller.add('Works by Oslo', { supersedes: other });
    expect(namesOf(await neighborsOf(caller, ids[1]!))).toEqual([
      ...['supersededBy: Settled near Wien', 'supersededBy: Based around Bonn', 'supersedes: Lives in Linz'],
    ]);
    expect(namesOf(await neighborsOf(caller, ids[3]!, '?limit=2'))).toEqual([
      ...['supersedes: Settled near Wien', 'supersedes: Dwells at Graz'],
    ]);
  });

  test('are those of the same message, conversation and episode, once each, newest first', async () => {
    caller = await daemon.account();
    const source = { messageId: 'msg_1', conversationId: 'conv_1', episodeId: 'ep_1' };
    const own = await caller.add('Own', { source });
    await caller.add('Of the episode', { source: { episodeId: 'ep_1' } });
    await caller.add('Of the conversation', { source: { conversationId: 'conv_1', messageId: 'msg_0' } });
    await caller.add('Of the message', { source });
    await caller.add('Of another', { source: { conversationId: 'conv_2' } });
    await caller.add('Of another user', { source, user: 'ada' });
    await caller.add('Gone', { source, expiresAt: new Date(daemon.clock.nowMs() + 1000).toISOString() });
    daemon.clock.advance(2000);
    expect(namesOf(await neighborsOf(caller, own.id))).toEqual([
      ...['source: Of the message', 'source: Of the conversation', 'episode: Of the episode'],
    ]);
    expect(namesOf(await neighborsOf(caller, own.id, '?limit=1'))).toEqual([
      ...['source: Of the message', 'episode: Of the episode'],
    ]);
  });

  test('are similar by words without vectors, of the same user alone', async () => {
    caller = await daemon.account();
    const { id } = await caller.add('Ada drinks oolong tea in the evening');
    await caller.add('Oolong tea is best with cold water');
    await caller.add('The garden gate is green');
    await caller.add('Oolong tea of another user', { user: 'ada' });
    const neighbors = await neighborsOf(caller, id);
    expect(namesOf(neighbors)).toEqual(['similar: Oolong tea is best with cold water']);
    expect(neighbors[0]).not.toHaveProperty('similarity');
  });

  test('are not those that share only a frequent word, such as a name', async () => {
    caller = await daemon.account();
    const { id } = await caller.add('Ada drinks oolong tea');
    await caller.addAll(
      ['rides', 'swims', 'paints', 'reads', 'sings', 'sails', 'codes', 'runs'].map((verb) => ({
        content: `Ada ${verb}`,
      })),
    );
    await caller.add('Kai pours oolong');
    expect(namesOf(await neighborsOf(caller, id))).toEqual(['similar: Kai pours oolong']);
  });

  test('are looked up without counting as a query, a search or a use', async () => {
    caller = await daemon.account();
    const [first] = await caller.addAll([{ content: 'oolong tea' }, { content: 'oolong cups' }]);
    await neighborsOf(caller, first!.id);
    const { body } = await caller.call<{ quotas: { monthlyQueries: { used: number } } }>('/v1/account');
    expect(body.quotas.monthlyQueries.used).toBe(0);
    expect((await caller.call('/v1/searches')).body.data).toEqual([]);
    expect((await caller.call(`/v1/memories/${first!.id}/use`)).body).toEqual({ shown: 0, used: 0 });
  });

  test.each(['limit=0', 'limit=51', 'limit=1e1', 'user=ada'])('are refused for "%s"', async (query) => {
    caller = await daemon.account();
    const { id } = await caller.add('oolong tea');
    expect((await caller.call(`/v1/memories/${id}/neighbors?${query}`)).status).toBe(400);
  });

  test('are 404 for a memory that is unknown, erased or expired', async () => {
    caller = await daemon.account();
    const { id } = await caller.add('oolong tea', {
      expiresAt: new Date(daemon.clock.nowMs() + 1000).toISOString(),
    });
    daemon.clock.advance(2000);
    for (const missing of [id, `mem_${'0'.repeat(32)}`, 'x']) {
      expect((await caller.call(`/v1/memories/${missing}/neighbors`)).status).toBe(404);
    }
  });
});

describe('the neighbors of a memory with a vector', () => {
  let daemon: MeaningDaemon;

  beforeAll(async () => {
    daemon = await startMeaningDaemon();
  });
  afterAll(() => daemon.close());

  test('are similar by meaning, most similar first, without asking the model', async () => {
    const caller = await daemon.account();
    const { id } = await caller.add('Her automobile is red');
    await caller.add('Tea tastes best with milk');
    await caller.add('One red vehicle');
    await caller.add('Their vehicle is green', { user: 'ada' });
    await daemon.embed();
    const asked = daemon.embedder.asked.length;
    const neighbors = await neighborsOf(caller, id);
    expect(namesOf(neighbors)).toEqual(['similar: One red vehicle', 'similar: Tea tastes best with milk']);
    const [near, far] = neighbors.map(({ similarity }) => similarity!);
    expect(near).toBeGreaterThan(far!);
    expect(near).toBeLessThanOrEqual(1);
    expect(far).toBeGreaterThanOrEqual(0);
    expect(daemon.embedder.asked.length).toBe(asked);
  });
});
