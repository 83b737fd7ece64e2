import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ContextAnswer } from '../../../src/contract/search.ts';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';

const FACTS = [
  'The invoices are numbered per country',
  'Priya reviews everything that touches payments',
  'Lotte is allergic to peanuts',
  'We run the tests with Vitest before each release',
  'The car is a blue Octavia',
];
const ANSWERED = [
  'who reviews payments?',
  'what is Lotte allergic to?',
  'is Lotte alergic to nuts?',
  'are the invoices numbered?',
];
const UNANSWERED = [
  'explain closures to me',
  'why is the sky blue?',
  'run it again',
  'rename this variable',
  'thanks a lot',
];

let daemon: MemoryDaemon;
let caller: Caller;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
  caller = await daemon.account();
  await caller.addAll(FACTS.map((content) => ({ content })));
});
afterAll(() => daemon.close());

const search = async (query: string, more: Record<string, unknown> = {}) => (await caller.search(query, more)).body;
const context = async (body: object) => (await caller.call<ContextAnswer>('/v1/context', { body })).body;

describe('confidence and relevance', () => {
  test('are higher where something answers than where words are only shared', async () => {
    const answered = await Promise.all(ANSWERED.map((query) => search(query)));
    const unanswered = await Promise.all(UNANSWERED.map((query) => search(query)));
    const least = Math.min(...answered.map(({ confidence }) => confidence));
    const most = Math.max(...unanswered.map(({ confidence }) => confidence));
    expect(least).toBeGreaterThan(most);
    expect(least).toBeGreaterThan(0.35);
    for (const { confidence, results } of answered) expect(confidence).toBeGreaterThanOrEqual(results[0]!.relevance);
  });

  test('are 0 and absent where nothing is found', async () => {
    expect(await search('zeppelin')).toMatchObject({ confidence: 0, results: [] });
    expect(await context({ query: 'zeppelin' })).toMatchObject({ confidence: 0, text: '', citations: [] });
    expect(await search('peanuts', { user: 'nobody' })).toMatchObject({ confidence: 0, results: [] });
  });

  test('do not depend on strategy or limit, and on feedback only by the words that lead to a result', async () => {
    const query = 'which payments does Priya review, and which invoices?';
    const before = await search(query);
    for (const more of [{ strategy: 'recent' }, { strategy: 'lexical' }, { limit: 1 }]) {
      const { confidence, results } = await search(query, more);
      expect(confidence).toBe(before.confidence);
      for (const { id, relevance } of results) {
        expect(before.results.find((result) => result.id === id)?.relevance).toBe(relevance);
      }
    }
    const used = [before.results.at(-1)!.id];
    await caller.call(`/v1/searches/${before.searchId}/feedback`, { body: { used } });
    const after = await search(query);
    expect(after.strategy.learnedFrom).toBe(1);
    expect(after.confidence).toBeGreaterThanOrEqual(before.confidence);
    const relevanceOf = (id: string, { results }: typeof after) => results.find((one) => one.id === id)!.relevance;
    expect(relevanceOf(used[0]!, after)).toBeGreaterThan(relevanceOf(used[0]!, before));
    const others = await search('does Lotte like peanuts, and is the car blue?');
    await caller.call('/v1/retrieval', { method: 'DELETE' });
    const untaught = await search('does Lotte like peanuts, and is the car blue?');
    const rated = ({ results }: typeof after) => new Map(results.map(({ id, relevance }) => [id, relevance]));
    expect(rated(others)).toEqual(rated(untaught));
  });
});

describe('minRelevance', () => {
  test('leaves out less relevant results, of a context too, but not the confidence', async () => {
    const query = 'does Lotte like peanuts, and is the car blue?';
    const all = await search(query);
    const relevances = all.results.map(({ relevance }) => relevance).sort((a, b) => b - a);
    for (const minRelevance of [0, relevances[1]!, relevances[0]!, 1]) {
      const kept = all.results.filter(({ relevance }) => relevance >= minRelevance).map(({ id }) => id);
      const { results, confidence } = await search(query, { minRelevance });
      expect(results.map(({ id }) => id)).toEqual(kept);
      expect(confidence).toBe(all.confidence);
      const composed = await context({ query, minRelevance });
      expect(composed.citations.map(({ id }) => id).sort()).toEqual(kept.toSorted());
      for (const { relevance } of composed.citations) expect(relevance).toBeGreaterThanOrEqual(minRelevance);
      expect(composed.confidence).toBe(all.confidence);
    }
  });

  test('fills the page with results further down that are relevant', async () => {
    const query = 'peanuts payments invoices Octavia Vitest';
    const all = (await search(query)).results;
    const least = Math.min(...all.map(({ relevance }) => relevance));
    const { results } = await search(query, { minRelevance: least, limit: all.length });
    expect(results).toHaveLength(all.length);
  });

  test.each([-0.1, 1.1, '0.5', null])('of %j is refused', async (minRelevance) => {
    for (const path of ['/v1/search', '/v1/context']) {
      const answer = await caller.call(path, { body: { query: 'tea', minRelevance } });
      expect(answer.status, path).toBe(400);
      expect(answer.body.errors).toMatchObject([{ path: '/minRelevance' }]);
    }
  });
});
