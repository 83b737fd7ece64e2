import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { ContextAnswer } from '../../../src/contract/search.ts';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { newAccount } from '../portability/portable-account.ts';

/** Searches with other wordings of the query, as an assistant's own model gives them. */

let daemon: MemoryDaemon;
let caller: Caller;

const TRAMS = 'Papa drove trams in Rosario for thirty years';
const OTHERS = ['The old mill sells flour on Fridays', 'Nina makes a living as a cellist'];
const QUERY = 'what did my old man do for a living?';
const wordings = ['my father worked as', 'Dad’s job', 'Papa drove'];

beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
beforeEach(async () => {
  caller = await newAccount(daemon);
  await caller.addAll([TRAMS, ...OTHERS].map((content) => ({ content })));
});
afterAll(() => daemon.close());

const ask = async (more: Record<string, unknown>) => (await caller.search(QUERY, more)).body;
const contentsOf = ({ results }: { results: { content: string }[] }) => results.map(({ content }) => content);

test('a memory is found by another wording though it shares no word with the query, and what shares one still is', async () => {
  expect(await caller.find(QUERY)).not.toContain(TRAMS);
  const found = contentsOf(await ask({ wordings }));
  expect(found[0]).toBe(TRAMS);
  expect(found).toEqual(expect.arrayContaining(OTHERS));
});

test('tags that a text lacks find it without wordings, also for a prompt', async () => {
  await caller.add('Graciela sells empanadas', { tags: ['wife', 'job'] });
  expect((await caller.find('what does my wife do?'))[0]).toBe('Graciela sells empanadas');
  const body = { query: 'write a card for my wife', purpose: 'prompt' };
  expect((await caller.call<ContextAnswer>('/v1/context', { body })).body.text).toContain('Graciela');
});

test('a context and a prompt hold what other wordings find', async () => {
  const contextOf = async (more: object) =>
    (await caller.call<ContextAnswer>('/v1/context', { body: { query: QUERY, ...more } })).body.text;
  expect(await contextOf({})).not.toContain(TRAMS);
  expect(await contextOf({ wordings })).toContain(TRAMS);
  expect(await contextOf({ wordings, purpose: 'prompt' })).toContain(TRAMS);
});

test('wordings in the languages of the memories find what a question in another language cannot', async () => {
  await caller.addAll([
    { content: 'Die Oma wohnt jetzt im Pflegeheim am Lindenplatz' },
    { content: 'Бабушка печёт пироги по субботам' },
  ]);
  const find = (query: string, more: string[]) => caller.find(query, { wordings: more });
  expect((await find('where does grandmother live?', ['Oma wohnt', 'Großmutter lebt']))[0]).toContain('Pflegeheim');
  expect((await find('what does grandmother bake?', ['бабушка печёт']))[0]).toContain('пироги');
});

test('guesses that share words with a memory by chance are less sure than words of the query', async () => {
  const asked = (await caller.search('Papa drove trams?')).body;
  const guessed = (await caller.search('which hobby?', { wordings: ['Papa drove trams'] })).body;
  expect(guessed.results[0]!.content).toBe(TRAMS);
  expect(guessed.results[0]!.relevance).toBeLessThan(asked.results[0]!.relevance);
  expect(guessed.confidence).toBeLessThan(asked.confidence);
});

test('what a search with wordings found and was used is found by the query alone the next time', async () => {
  const { searchId, results } = await ask({ wordings });
  await caller.call(`/v1/searches/${searchId}/feedback`, { body: { used: [results[0]!.id] } });
  expect(await caller.find(QUERY)).toContain(TRAMS);
});

test('the newer of two statements stands first though only other wordings have their words', async () => {
  await caller.add('Our home is in Linz');
  await caller.add('Our home is in Graz');
  const found = await caller.find('where do I live now?', { wordings: ['our home is in', 'house, city'] });
  expect(found.slice(0, 2)).toEqual(['Our home is in Graz', 'Our home is in Linz']);
});

test('no wordings change nothing, and too many, long or empty ones are refused', async () => {
  const [without, empty] = [await ask({}), await ask({ wordings: [] })];
  expect(empty.results).toEqual(without.results);
  expect(empty.confidence).toBe(without.confidence);
  for (const bad of [Array(11).fill('tea'), ['x'.repeat(501)], [''], ['  '], 'tea', [1]]) {
    const answer = await caller.call('/v1/search', { body: { query: QUERY, wordings: bad } });
    expect(answer.status, JSON.stringify(bad)).toBe(400);
  }
});

test('a query keeps its own dates, and what nothing holds is found by none of its wordings', async () => {
  await caller.add('Wim came in March', { occurredAt: '2025-03-10T00:00:00Z' });
  const found = await caller.find('who came?', { wordings: ['visited in January', 'was here in May'] });
  expect(found).toEqual(['Wim came in March']);
  expect((await caller.search('zzz', { wordings: ['qqqqq', 'wwvww yyjyy'] })).body).toMatchObject({
    confidence: 0,
    results: [],
  });
});

test('several spaces are searched with the same wordings', async () => {
  const { body: space } = await caller.call<{ id: string }>('/v1/spaces', { body: { name: 'family' } });
  const within = { 'x-svc-space': space.id };
  await caller.call('/v1/memories', { body: { content: 'Papa also drove a taxi' }, headers: within });
  const found = await ask({ wordings, spaces: ['default', space.id] });
  expect(contentsOf(found)).toEqual(expect.arrayContaining([TRAMS, 'Papa also drove a taxi']));
});
