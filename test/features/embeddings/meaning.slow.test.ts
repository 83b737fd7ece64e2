import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { textIndices } from '../../../src/features/text/text-indices.ts';
import { conversing, SPAN } from '../conversations/conversation-caller.ts';
import { type Caller, instant, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { type MeaningDaemon, startMeaningDaemon } from './meaning-daemon.ts';

let daemon: MeaningDaemon;
let ann: Caller;

beforeAll(async () => {
  daemon = await startMeaningDaemon();
});
afterAll(() => daemon.close());
beforeEach(async () => {
  ann = await daemon.account();
});

describe('a search with an embedder', () => {
  test('finds items of each type that share no word with the query', async () => {
    await ann.addAll([{ content: 'Her automobile is red' }, { content: 'Tea tastes best with milk' }]);
    const talk = conversing(ann);
    const { id } = await talk.begin({});
    await talk.append(id, [{ role: 'user', content: 'The physician was late' }]);
    await talk.episode({ title: 'A new dwelling', ...SPAN });
    expect(await ann.find('fahrzeug', { strategy: 'lexical' })).toEqual([]);
    await daemon.embed();
    expect((await ann.find('fahrzeugs'))[0]).toBe('Her automobile is red');
    expect((await ann.find('doctor'))[0]).toBe('The physician was late');
    expect((await ann.find('residence'))[0]).toMatch('A new dwelling');
    const { body } = await ann.search('fahrzeug', { explain: true });
    expect(body.results[0]!.why!.signals.vector).toEqual({ value: 1, weight: 5.75, share: 5.75 });
  });

  test('with the semantic strategy orders by similarity only', async () => {
    await ann.addAll([
      { content: 'An automobile beside an automobile' },
      { content: 'my car my garden my house my street my town my river' },
      { content: 'Nothing of the kind' },
    ]);
    await daemon.embed();
    const { body } = await ann.search('my car', { strategy: 'semantic', explain: true });
    expect(body.strategy.name).toBe('semantic');
    expect(body.strategy.weights).toMatchObject({ vector: 1, lexical: 0, window: 0 });
    const shares = body.results.map(({ why }) => why!.signals.vector!.share);
    expect(shares).toEqual(shares.toSorted((a, b) => b - a));
    expect(shares[0]).toBe(1);
  });

  test('finds items without a vector by their words', async () => {
    await ann.add('Her automobile is red');
    await daemon.embed();
    await ann.add('Her feline is black');
    const found = await ann.find('feline fahrzeug');
    expect(found.toSorted()).toEqual(['Her automobile is red', 'Her feline is black']);
  });

  test('uses the meaning when the query has only stop words', async () => {
    await ann.add('What is it that you are?');
    await daemon.embed();
    expect(await ann.find('what are you')).toEqual(['What is it that you are?']);
  });

  test('ignores vectors for a past instant, and rejects the semantic strategy there', async () => {
    await ann.add('Her automobile is red');
    await daemon.embed();
    const asOf = instant(daemon.clock.nowMs());
    expect(await ann.find('fahrzeug')).toHaveLength(1);
    expect(await ann.find('fahrzeug', { asOf })).toEqual([]);
    expect(await ann.find('automobile', { asOf })).toHaveLength(1);
    expect(await ann.search('fahrzeug', { asOf, strategy: 'semantic' })).toMatchObject({
      status: 422,
      body: { code: 'unprocessable' },
    });
  });

  test('applies filters to the nearest neighbors, even when excluded ones are nearer', async () => {
    await ann.addAll([
      ...Array.from({ length: 80 }, (_, index) => ({ content: `automobile ${index}` })),
      { content: 'an automobile of ours in some other place', tags: ['ours'] },
    ]);
    await daemon.embed();
    expect(await ann.find('fahrzeug', { filter: { tags: ['ours'] } })).toEqual([
      'an automobile of ours in some other place',
    ]);
  });

  test('hides expired items and moves up the next ones', async () => {
    const expiresAt = instant(daemon.clock.nowMs() + 3_600_000);
    await ann.addAll([
      ...Array.from({ length: 80 }, (_, index) => ({ content: `automobile ${index}`, expiresAt })),
      { content: 'an automobile that stays in some other place' },
    ]);
    await daemon.embed();
    expect(await ann.find('fahrzeug', { limit: 100 })).not.toContain('an automobile that stays in some other place');
    daemon.clock.advance(3_600_001);
    expect(await ann.find('fahrzeug', { limit: 100 })).toEqual(['an automobile that stays in some other place']);
  });

  test('embeds the same query once per tenant', async () => {
    await ann.add('Her automobile is red');
    const bob = await daemon.account();
    await bob.add('His automobile is red');
    await daemon.embed();
    const asked = () => daemon.embedder.texts().filter((text) => text === 'the very same fahrzeug').length;
    await ann.find('the very same fahrzeug');
    await ann.find('the very same fahrzeug');
    expect(asked()).toBe(1);
    await bob.find('the very same fahrzeug');
    expect(asked()).toBe(2);
  });
});

describe('tenants and users', () => {
  test('are not affected by 10,000 nearer vectors and better text matches of another tenant', async () => {
    const bob = await daemon.account();
    await bob.add('fahrzeug');
    await ann.addAll(Array.from({ length: 12 }, (_, index) => ({ content: `Her automobile number ${index}` })));
    await daemon.embed();
    await multiply(bob.tenantId, 10_000);
    for (const strategy of ['default', 'semantic']) {
      const found = await ann.find('fahrzeug', { strategy, limit: 5 });
      expect(found).toHaveLength(5);
      expect(found.every((content) => content.startsWith('Her automobile'))).toBe(true);
      expect(await bob.find('fahrzeug', { strategy })).toEqual(Array(10).fill('fahrzeug'));
    }
  });

  test("of one tenant do not see each other's items", async () => {
    await ann.add('Her automobile is red', { user: 'eve' });
    await ann.add('His automobile is black', { user: 'bob' });
    await daemon.embed();
    expect(await ann.find('fahrzeug', { user: 'eve' })).toEqual(['Her automobile is red']);
    expect(await ann.find('fahrzeug', { user: 'bob' })).toEqual(['His automobile is black']);
    expect(await ann.find('fahrzeug')).toEqual([]);
  });

  test('leave no vectors, jobs or cached queries once erased', async () => {
    const kept = await daemon.account();
    await kept.add('His automobile stays');
    await ann.add('Her automobile is red');
    await daemon.embed();
    await ann.add('Her automobile is blue');
    const traces = () =>
      daemon.db.readers.all(
        'SELECT number FROM vectors WHERE tenantId = ? UNION ALL SELECT number FROM unembedded WHERE tenantId = ?',
        [ann.tenantId, ann.tenantId],
      );
    expect(await traces()).toHaveLength(2);
    expect((await ann.call('/v1/account', { method: 'DELETE' })).status).toBe(204);
    expect(await traces()).toEqual([]);
    expect(await kept.find('fahrzeug')).toEqual(['His automobile stays']);
  });
});

describe('without an embedder', () => {
  test('a semantic search explains why it is impossible, other searches work, and nothing is queued', async () => {
    const plain = await startMemoryDaemon();
    const caller = await plain.account();
    await caller.add('Her automobile is red');
    const refused = await caller.search('fahrzeug', { strategy: 'semantic' });
    expect(refused).toMatchObject({ status: 422, body: { code: 'unprocessable' } });
    expect(refused.text).toContain('SVC_EMBEDDINGS');
    expect(await caller.find('automobile')).toEqual(['Her automobile is red']);
    expect(await plain.db.readers.all('SELECT id FROM unembedded UNION ALL SELECT id FROM embeddingModels')).toEqual(
      [],
    );
    expect((await plain.call(undefined, '/metrics')).text).toContain('\nsvc_embeddings_waiting 0\n');
    await plain.close();
  });
});

/** Copies a tenant's only memory, including its index entries and its vector. */
async function multiply(tenantId: string, times: number): Promise<void> {
  await daemon.db.writes.write('daemon', async (connection) => {
    const [row] = await connection.all<{ number: number; scope: number; createdAt: number }>(
      'SELECT number, scope, createdAt FROM memories WHERE tenantId = ?',
      [tenantId],
    );
    const columns = `tenantId, version, current, scope, endUser, content, tags, metadata, validFrom, createdAt,
      updatedAt, traits`;
    const numbers = await connection.all<{ number: number }>(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       INSERT INTO memories (id, contentHash, ${columns}) SELECT 'mem_' || i, 'hash ' || i, ${columns}
       FROM n CROSS JOIN memories ON number = ? RETURNING number`,
      [times, row!.number],
    );
    await connection.run(
      `INSERT INTO vectors (model, scope, type, number, tenantId, embedding)
       SELECT v.model, v.scope, v.type, m.number, v.tenantId, v.embedding
       FROM vectors v CROSS JOIN memories m ON TRUE WHERE v.number = ? AND v.type = 'memory' AND m.tenantId = ? AND m.number <> ?`,
      [row!.number, tenantId, row!.number],
    );
    const days = { at: row!.createdAt, until: row!.createdAt, dates: null };
    await textIndices.memory.insert(
      connection,
      numbers.map(({ number }) => ({
        ...{ tenantId, scope: row!.scope, number },
        ...{ texts: ['fahrzeug'], days, part: 'live' as const },
      })),
    );
  });
}
