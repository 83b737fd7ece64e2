import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { embeddingOf, noiseOf } from '../../helpers/embedder.ts';
import { type Caller, createCaller, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { type MeaningDaemon, startMeaningDaemon } from './meaning-daemon.ts';

const SUBJECTS = ['otter', 'heron', 'badger', 'falcon'];
const PLACES = ['harbor', 'meadow', 'quarry', 'chapel'];
const QUERIES = SUBJECTS.flatMap((subject) => PLACES.map((place) => `${subject} ${place}`));
/** Words find the first of each pair before the second, which holds the same words of the query. */
const MEMORIES = SUBJECTS.flatMap((subject) =>
  PLACES.flatMap((place) => [
    { content: `${subject} sleeps near ${place}` },
    { content: `${subject} left ${place} early before sunrise` },
  ]),
);
const UNKNOWN = { factor: 1, agreement: null, searches: 0 };

let daemon: MeaningDaemon;
let ann: Caller;

beforeAll(async () => {
  daemon = await startMeaningDaemon();
});
afterAll(() => daemon.close());
beforeEach(async () => {
  daemon.embedder.state.embedding = embeddingOf;
  ann = await daemon.account();
});

/** Stores the memories, and their vectors. */
async function fill(): Promise<void> {
  await ann.addAll(MEMORIES);
  await daemon.embed();
}

async function askAll(caller = ann, on = daemon): Promise<void> {
  for (const query of QUERIES) await caller.find(query);
  await on.learning.flush();
}

/** How much the model counts for a caller; the query has no answer and says nothing of the model. */
async function meaning(caller = ann) {
  return (await caller.search('xylophone', { explain: true })).body.meaning;
}

const rows = (tenantId: string) =>
  daemon.db.readers.all('SELECT model FROM modelAgreements WHERE tenantId = ?', [tenantId]);

describe('the weight of an embedding model', () => {
  test('is the default one at first, and stays so with a model that agrees with words', async () => {
    await fill();
    expect(await meaning()).toEqual(UNKNOWN);
    for (const query of QUERIES.slice(0, 9)) await ann.find(query);
    await daemon.learning.flush();
    expect(await meaning()).toMatchObject({ factor: 1, searches: 9 });
    await askAll();
    const { factor, agreement, searches } = (await meaning())!;
    expect([factor, searches]).toEqual([1, QUERIES.length]);
    expect(agreement).toBeGreaterThan(0.8);
    const { body } = await ann.search('otter harbor', { explain: true });
    expect(body.strategy.weights.vector).toBe(1.25);
    expect(body.results[0]!.why!.signals.vector).toMatchObject({ weight: 5.75 });
  });

  test('shrinks with an embedder of noise', async () => {
    daemon.embedder.state.embedding = noiseOf;
    await fill();
    await askAll();
    const { factor, agreement, searches } = (await meaning())!;
    expect(searches).toBe(QUERIES.length);
    expect(agreement).toBeGreaterThan(0.2);
    expect(agreement).toBeLessThan(0.6);
    expect(factor).toBeLessThan(0.8);
  });

  test('is zero for a model that contradicts words: the results are those without a model', async () => {
    const foundBy = async (caller: Caller) => {
      const found: [string, number][][] = [];
      for (const query of ['otter harbor', 'badger', 'kitten'])
        found.push((await caller.search(query)).body.results.map(({ content, score }) => [content, score]));
      return found;
    };
    const store = async (caller: Caller) => {
      await caller.addAll(MEMORIES);
      await caller.add('Her feline is black');
    };
    daemon.embedder.state.embedding = (model, text, size) => {
      const vector = embeddingOf(model, text, size);
      return text.includes('sleeps') ? vector.map((part) => -part) : vector;
    };
    const plain = await startMemoryDaemon();
    const bea = await plain.account();
    await store(bea);
    const withoutModel = await foundBy(bea);
    await plain.close();
    await store(ann);
    await daemon.embed();
    expect(await foundBy(ann)).not.toEqual(withoutModel);
    await askAll();
    expect(await meaning()).toMatchObject({ factor: 0 });
    expect(await foundBy(ann)).toEqual(withoutModel);
    expect(await ann.find('kitten', { strategy: 'semantic', limit: 1 })).toEqual(['Her feline is black']);
  });

  test('is not moved by a query that is asked again and again', async () => {
    await fill();
    for (let times = 0; times < 12; times += 1) await ann.find('otter harbor');
    await daemon.learning.flush();
    expect(await meaning()).toEqual({ factor: 1, agreement: 1, searches: 1 });
  });

  test('is of one account: the searches of others do not count', async () => {
    const bob = await daemon.account();
    await bob.addAll(MEMORIES);
    await fill();
    await askAll();
    expect((await meaning(ann))!.searches).toBe(QUERIES.length);
    expect(await meaning(bob)).toEqual(UNKNOWN);
  });

  test('is erased with the account', async () => {
    await fill();
    await askAll();
    expect(await rows(ann.tenantId)).toHaveLength(1);
    await ann.find('badger chapel again');
    expect((await ann.call('/v1/account', { method: 'DELETE' })).status).toBe(204);
    await daemon.learning.flush();
    expect(await rows(ann.tenantId)).toEqual([]);
  });

  test('is the default one again for a model that takes the place of another', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'svc-agreement-'));
    const { embedder } = daemon;
    const before = await startMeaningDaemon({ dataDir, embedder });
    const caller = await before.account();
    await caller.addAll(MEMORIES);
    await before.embed();
    await askAll(caller, before);
    expect((await meaning(caller))!.searches).toBe(QUERIES.length);
    await before.stop();
    const after = await startMeaningDaemon({ dataDir, embedder, address: embedder.openai('large') });
    const again = createCaller(after.call, caller.apiKey, caller.tenantId);
    await after.embed();
    expect(await meaning(again)).toEqual(UNKNOWN);
    await after.learning.sweep();
    const all = await after.db.readers.all('SELECT model FROM modelAgreements');
    await after.close();
    await rm(dataDir, { recursive: true, force: true });
    expect(all).toEqual([]);
  });
});

describe('without an embedding model', () => {
  test('explained searches say nothing of meaning, and nothing is stored', async () => {
    const plain = await startMemoryDaemon();
    const caller = await plain.account();
    await caller.addAll(MEMORIES);
    expect((await caller.search('otter harbor', { explain: true })).body).not.toHaveProperty('meaning');
    await plain.learning.flush();
    expect(await plain.db.readers.all('SELECT model FROM modelAgreements')).toEqual([]);
    await plain.close();
  });
});
