import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Usage } from '../../../src/contract/account.ts';
import type { FeedbackResult, Retrieval } from '../../../src/contract/learning.ts';
import type { SearchAnswer } from '../../../src/contract/search.ts';
import type { StoredSearch } from '../../../src/contract/searches.ts';
import { createTestClock } from '../../helpers/clock.ts';
import { startTestDaemon } from '../../helpers/daemon.ts';
import { type Caller, createCaller, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';

let daemon: MemoryDaemon;
beforeAll(async () => {
  daemon = await startMemoryDaemon();
  daemon.clock.setNoon();
});
afterAll(() => daemon.close());

const DAY_MS = 86_400_000;

/** Twelve memories that match a query equally, in chronological order. */
async function fill(caller: Caller, more = {}): Promise<string[]> {
  const nowMs = daemon.clock.nowMs();
  const memories = Array.from({ length: 12 }, (_, index) => ({
    content: `plum of day ${index + 10}`,
    occurredAt: new Date(nowMs - (11 - index) * 30 * DAY_MS).toISOString(),
    ...more,
  }));
  return (await caller.addAll(memories)).map(({ id }) => id);
}

const tell = (caller: Caller, searchId: string, body: object) =>
  caller.call<FeedbackResult>(`/v1/searches/${searchId}/feedback`, { body });
const retrievalOf = async (caller: Caller, query = '') => (await caller.call<Retrieval>(`/v1/retrieval${query}`)).body;
const idsOf = ({ results }: SearchAnswer) => results.map(({ id }) => id);

/** Searches and reports a memory as used, this many times. */
async function prefer(caller: Caller, id: string, times: number, more = {}): Promise<void> {
  for (let round = 0; round < times; round += 1) {
    const { searchId } = (await caller.search('plum', { limit: 12, ...more })).body;
    const answer = await tell(caller, searchId, { used: [id] });
    expect(answer.status, answer.text).toBe(202);
    expect(answer.body.learned).toBe(true);
  }
}

describe('a search', () => {
  test('equals the default ranking byte for byte until there is feedback', async () => {
    const caller = await daemon.account();
    await fill(caller);
    const [byDefault, auto] = [await caller.search('plum', { strategy: 'default' }), await caller.search('plum')];
    expect(JSON.stringify(auto.body.results)).toBe(JSON.stringify(byDefault.body.results));
    expect(auto.body.strategy).toEqual(byDefault.body.strategy);
    const explained = (await caller.search('plum', { explain: true })).body;
    expect(explained.learned).toMatchObject({ bucket: 'short', events: 0, largest: [] });
    expect((await caller.search('plum', { explain: true, strategy: 'default' })).body.learned).toBeUndefined();
    for (const { why } of explained.results) expect(why!.rank).toBe(why!.defaultRank);
  });

  test('of another user of the same tenant is unchanged', async () => {
    const caller = await daemon.account();
    const [oldest] = await fill(caller);
    await fill(caller, { user: 'ben' });
    await prefer(caller, oldest!, 3);
    expect((await caller.search('plum', { user: 'ben' })).body.strategy.learnedFrom).toBe(0);
    expect((await caller.search('plum')).body.strategy.learnedFrom).toBe(3);
    expect(await retrievalOf(caller, '?user=ben')).toMatchObject({ user: 'ben', events: 0, updatedAt: null });
  });
});

describe('a search of a user who preferred the oldest result twelve times', () => {
  let caller: Caller;
  let oldest: string;
  let before: string[];
  beforeAll(async () => {
    caller = await daemon.account();
    oldest = (await fill(caller))[0]!;
    before = idsOf((await caller.search('plum')).body);
    expect(before).not.toContain(oldest);
    await prefer(caller, oldest, 12);
  });

  test('follows what its user found useful, and explains it', async () => {
    const { results, strategy, learned } = (await caller.search('plum', { explain: true })).body;
    expect(results[0]!.id).toBe(oldest);
    expect(results[0]!.why).toMatchObject({ rank: 1, defaultRank: 12 });
    expect(strategy).toMatchObject({ name: 'auto', learnedFrom: 12 });
    expect(learned).toMatchObject({ bucket: 'short', events: 12 });
    expect(idsOf((await caller.search('plum', { strategy: 'default' })).body)).toEqual(before);
  });

  test('never counts being new against a result', async () => {
    const { strategy } = (await caller.search('something else')).body;
    expect(strategy).toMatchObject({ name: 'auto', learnedFrom: 12 });
    expect(strategy.weights.recency).toBeGreaterThanOrEqual(0);
    expect((await retrievalOf(caller)).signals.recency!.weight).toBeGreaterThanOrEqual(0);
  });

  test('reserves ranks nine and ten for the default ranking', async () => {
    const byDefault = idsOf((await caller.search('plum', { strategy: 'default', limit: 12 })).body);
    const learned = idsOf((await caller.search('plum', { limit: 12 })).body);
    const missing = byDefault.filter((id) => !learned.slice(0, 8).includes(id));
    expect(learned.slice(8, 10)).toEqual(missing.slice(0, 2));
    expect(learned.toSorted()).toEqual(byDefault.toSorted());
  });
});

describe('feedback', () => {
  test('is learned from once per search', async () => {
    const caller = await daemon.account();
    const ids = await fill(caller);
    const { searchId } = (await caller.search('plum', { limit: 12 })).body;
    expect((await tell(caller, searchId, { used: [ids[0]] })).body).toEqual({ learned: true, events: 1 });
    const after = await retrievalOf(caller);
    expect((await tell(caller, searchId, { used: [ids[0]] })).body).toEqual({ learned: false, events: 1 });
    expect((await tell(caller, searchId, { used: [ids[3]], irrelevant: [ids[4]] })).body.learned).toBe(false);
    expect(await retrievalOf(caller)).toEqual(after);
  });

  test('that says the same of a question more than twenty times moves no weights any more, until it says something else', async () => {
    const caller = await daemon.account();
    const [oldest, other] = await fill(caller);
    await prefer(caller, oldest!, 21);
    const mixture = async () => (await retrievalOf(caller)).mixture;
    const before = await mixture();
    await prefer(caller, oldest!, 5);
    expect(await mixture()).toEqual(before);
    expect((await retrievalOf(caller)).events).toBe(26);
    await prefer(caller, other!, 1);
    expect(await mixture()).not.toEqual(before);
  });

  test('given twenty times concurrently counts once', async () => {
    const caller = await daemon.account();
    const ids = await fill(caller);
    const { searchId } = (await caller.search('plum')).body;
    const answers = await Promise.all(Array.from({ length: 20 }, () => tell(caller, searchId, { used: [ids[9]] })));
    expect(answers.filter(({ body }) => body.learned)).toHaveLength(1);
    expect((await retrievalOf(caller)).events).toBe(1);
  });

  test('without content has no effect, and may be followed by feedback that does', async () => {
    const caller = await daemon.account();
    const ids = await fill(caller);
    const { searchId } = (await caller.search('plum')).body;
    for (const body of [{}, { used: [] }, { irrelevant: [] }, { used: [], irrelevant: [] }]) {
      const answer = await tell(caller, searchId, body);
      expect([answer.status, answer.body]).toEqual([202, { learned: false, events: 0 }]);
    }
    expect((await tell(caller, searchId, { irrelevant: [ids[11]] })).body).toEqual({ learned: true, events: 1 });
  });

  test('that everything found is irrelevant moves no weights, and is recorded', async () => {
    const caller = await daemon.account();
    const { id } = await caller.add('plum jam');
    const { searchId } = (await caller.search('plum')).body;
    const { signals, mixture } = await retrievalOf(caller);
    expect((await tell(caller, searchId, { irrelevant: [id] })).body).toEqual({ learned: true, events: 1 });
    expect(await retrievalOf(caller)).toMatchObject({ signals, mixture });
    const stored = (await caller.call<StoredSearch>(`/v1/searches/${searchId}`)).body;
    expect(stored).toMatchObject({ learned: true, results: [{ id, used: false, irrelevant: true }] });
    expect((await tell(caller, searchId, { used: [id] })).body).toEqual({ learned: false, events: 1 });
  });

  test.each<[string, (ids: string[]) => object, string]>([
    ['an id that the search did not come upon', ([, id]) => ({ used: [id, `mem_${'0'.repeat(32)}`] }), '/used/1'],
    ['something that is not an id', () => ({ irrelevant: ['a b'] }), '/irrelevant/0'],
    ['an id that is both', ([id]) => ({ used: [id], irrelevant: [id] }), '/irrelevant/0'],
    ['an unknown field', ([id]) => ({ used: [id], liked: [] }), '/liked'],
  ])('with %s is rejected and teaches nothing', async (_, body, path) => {
    const caller = await daemon.account();
    const ids = await fill(caller);
    const { searchId } = (await caller.search('plum')).body;
    const refused = await caller.call<{ code: string; errors: { path: string }[] }>(
      `/v1/searches/${searchId}/feedback`,
      { body: body(ids) },
    );
    expect([refused.status, refused.body.code]).toEqual([400, 'invalid_request']);
    expect(refused.body.errors.map((error) => error.path)).toContain(path);
    expect((await retrievalOf(caller)).events).toBe(0);
    expect((await tell(caller, searchId, { used: [ids[0]] })).status).toBe(202);
  });

  test('is accepted for a context, and for any candidate of a search', async () => {
    const caller = await daemon.account();
    const [oldest] = await fill(caller);
    const { body: context } = await caller.call<{ searchId: string; citations: { id: string }[] }>('/v1/context', {
      body: { query: 'plum' },
    });
    expect((await tell(caller, context.searchId, { used: [context.citations[2]!.id] })).body.learned).toBe(true);
    const { searchId, results } = (await caller.search('plum', { limit: 1 })).body;
    expect(results[0]!.id).not.toBe(oldest);
    expect((await tell(caller, searchId, { used: [oldest] })).body.learned).toBe(true);
  });

  test('on a search stored with other signals is rejected like feedback on an expired one', async () => {
    const caller = await daemon.account();
    const ids = await fill(caller);
    const searches = await Promise.all([1, 2].map(async () => (await caller.search('plum')).body.searchId));
    await daemon.learning.flush();
    await daemon.db.writes.write('daemon', (connection) =>
      connection.run('UPDATE searches SET signals = ? WHERE id = ?', [Buffer.alloc(8), searches[0]!]),
    );
    expect((await tell(caller, searches[0]!, { used: [ids[0]] })).status).toBe(404);
    expect((await tell(caller, searches[1]!, { used: [ids[0]] })).status).toBe(202);
  });

  test('on a search without results is accepted, on an unknown search it is not', async () => {
    const caller = await daemon.account();
    const { searchId } = (await caller.search('plum')).body;
    expect((await tell(caller, searchId, { used: [] })).status).toBe(202);
    expect((await tell(caller, `${searchId}0`, { used: [] })).status).toBe(404);
  });
});

test('feedback is accepted for 24 hours, across restarts, and what was learned persists', async () => {
  const clock = createTestClock();
  const first = await startTestDaemon({ clock });
  const { apiKey, account } = await first.signIn('ada@example.com');
  const before = createCaller(first.call, apiKey, account.tenantId);
  const { id } = await before.add('plum jam');
  const searches: string[] = [];
  for (let count = 0; count < 3; count += 1) searches.push((await before.search('plum')).body.searchId);
  await first.stop();
  const second = await startTestDaemon({ clock, dataDir: first.folder });
  const caller = createCaller(second.call, apiKey, account.tenantId);
  expect((await tell(caller, searches[0]!, { used: [id] })).body).toEqual({ learned: true, events: 1 });
  clock.advance(DAY_MS - 60_000);
  expect((await tell(caller, searches[1]!, { used: [id] })).body.events).toBe(2);
  clock.advance(120_000);
  expect((await tell(caller, searches[2]!, { used: [id] })).status).toBe(404);
  const kept = async () =>
    (await second.db.readers.get<{ rows: number }>('SELECT COUNT(*) AS rows FROM searches'))!.rows;
  expect(await kept()).toBe(3);
  await second.learning.sweep();
  expect(await kept()).toBe(0);
  expect((await retrievalOf(caller)).events).toBe(2);
  await second.close();
});

describe('what was learned', () => {
  test('is shown by signal and query bucket, and can be reset', async () => {
    const caller = await daemon.account();
    await fill(caller, { user: 'eva' });
    const { id } = await caller.add('I met Eva below the old tree, where we talked of a plum', { user: 'eva' });
    await prefer(caller, id, 12, { user: 'eva' });
    const learned = await retrievalOf(caller, '?user=eva');
    expect(learned).toMatchObject({ user: 'eva', events: 12, updatedAt: expect.stringMatching(/^20/) });
    expect(Object.values(learned.mixture).reduce((sum, share) => sum + share)).toBeCloseTo(1, 3);
    const { signal } = learned.buckets.short![0]!;
    const { delta, weight, defaultWeight } = learned.signals[signal]!;
    expect(delta).not.toBe(0);
    expect(Math.sign(weight - defaultWeight)).toBe(Math.sign(delta));
    expect((await caller.call('/v1/retrieval?user=eva', { method: 'DELETE' })).status).toBe(204);
    expect(await retrievalOf(caller, '?user=eva')).toMatchObject({
      events: 0,
      updatedAt: null,
      buckets: { short: [] },
    });
    const { strategy } = (await caller.search('plum', { user: 'eva' })).body;
    expect(strategy).toMatchObject({ name: 'default', learnedFrom: 0 });
  });

  test('gives a daily curve of the ranks of used results, as shown and by default', async () => {
    const caller = await daemon.account();
    const [oldest] = await fill(caller);
    const curve = async () => (await caller.call<Usage>('/v1/usage?days=2')).body.learning;
    expect(await curve()).toEqual([]);
    await prefer(caller, oldest!, 12);
    const [today] = await curve();
    expect(today!.feedbacks).toBe(12);
    expect(today!.meanReciprocalRank.default).toBeCloseTo(1 / 12, 3);
    expect(today!.meanReciprocalRank.shown).toBeGreaterThan(0.2);
    daemon.clock.advance(DAY_MS);
    await prefer(caller, oldest!, 1);
    expect((await curve()).map(({ feedbacks }) => feedbacks)).toEqual([12, 1]);
    daemon.clock.advance(DAY_MS);
    expect((await curve()).map(({ feedbacks }) => feedbacks)).toEqual([1]);
  });

  test('names every weight shift if all are asked for, the largest first', async () => {
    const caller = await daemon.account();
    const [oldest] = await fill(caller);
    await prefer(caller, oldest!, 3);
    await caller.addAll([{ content: 'plum plum jam' }, { content: 'When is plum season?' }]);
    const { id } = (await caller.call<{ id: string }>('/v1/conversations', { body: {} })).body;
    const messages = ['plums?', 'a plum', 'plumage'].map((content) => ({ role: 'user', content }));
    await caller.call(`/v1/conversations/${id}/messages`, { body: { messages } });
    await prefer(caller, oldest!, 3);
    const largest = (await retrievalOf(caller)).buckets.short!;
    const all = (await retrievalOf(caller, '?weights=all')).buckets.short!;
    expect(largest).toHaveLength(3);
    expect(all.length).toBeGreaterThan(3);
    expect(all.slice(0, 3)).toEqual(largest);
    expect(all.every(({ delta }) => delta !== 0)).toBe(true);
    expect((await caller.call('/v1/retrieval?weights=some')).status).toBe(400);
  });
});

describe('the history of a mixture', () => {
  const historyOf = async (caller: Caller, days: number) => (await retrievalOf(caller, `?days=${days}`)).history!;

  test('has what held after the last feedback of each day, whatever the feedback named', async () => {
    const caller = await daemon.account();
    const [oldest] = await fill(caller);
    expect(await historyOf(caller, 30)).toEqual([]);
    await prefer(caller, oldest!, 2);
    const first = await retrievalOf(caller);
    expect(first).not.toHaveProperty('history');
    daemon.clock.advance(DAY_MS);
    const { searchId } = (await caller.search('plum', { limit: 12 })).body;
    expect((await tell(caller, searchId, { irrelevant: [oldest] })).body.learned).toBe(true);
    const second = await retrievalOf(caller);
    expect(second.mixture).not.toEqual(first.mixture);
    const history = await historyOf(caller, 30);
    expect(history.map(({ mixture }) => mixture)).toEqual([first.mixture, second.mixture]);
    expect(history.map(({ day }) => day)).toEqual([first, second].map(({ updatedAt }) => updatedAt!.slice(0, 10)));
    expect((await caller.call<Usage>('/v1/usage?days=2')).body.learning).toHaveLength(1);
    expect(await historyOf(caller, 1)).toEqual(history.slice(1));
    daemon.clock.advance(5 * DAY_MS);
    expect(await historyOf(caller, 3)).toEqual(history.slice(1));
  });

  test('is of one user, and is forgotten with what was learned', async () => {
    const caller = await daemon.account();
    const [oldest] = await fill(caller);
    await prefer(caller, oldest!, 1);
    expect(await historyOf(caller, 9)).toHaveLength(1);
    expect((await retrievalOf(caller, '?user=ben&days=9')).history).toEqual([]);
    expect((await caller.call('/v1/retrieval', { method: 'DELETE' })).status).toBe(204);
    expect(await historyOf(caller, 9)).toEqual([]);
  });

  test('is stored for 400 days', async () => {
    const caller = await daemon.account();
    const [oldest] = await fill(caller);
    await prefer(caller, oldest!, 1);
    const rows = async () =>
      (await daemon.db.readers.get<{ rows: number }>('SELECT COUNT(*) AS rows FROM learningDays WHERE tenantId = ?', [
        caller.tenantId,
      ]))!.rows;
    daemon.clock.advance(400 * DAY_MS);
    await prefer(caller, oldest!, 1);
    expect(await rows()).toBe(2);
    daemon.clock.advance(DAY_MS);
    await prefer(caller, oldest!, 1);
    expect(await rows()).toBe(2);
  });
});
