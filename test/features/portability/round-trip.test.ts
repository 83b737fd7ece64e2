import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { conversing, SPAN } from '../conversations/conversation-caller.ts';
import { type Caller, instant, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { NONE, newAccount, portable } from './portable-account.ts';

/** Exports from one account and imports into another. */

let daemon: MemoryDaemon;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
afterAll(() => daemon.close());

/** Adds items of every kind, with a history. */
async function fill(caller: Caller) {
  const talk = conversing(caller);
  const tea = await caller.add('Ada drinks oolong tea', {
    user: 'ada',
    tags: ['taste', 'tea'],
    metadata: { by: 'hand' },
  });
  daemon.clock.advance(60_000);
  const beforeMs = daemon.clock.nowMs();
  daemon.clock.advance(60_000);
  await caller.change(tea.id, { content: 'Ada drinks green tea', tags: ['taste'] });
  daemon.clock.advance(60_000);
  const betweenMs = daemon.clock.nowMs();
  daemon.clock.advance(60_000);
  const next = await caller.add('Ada drinks black tea', {
    user: 'ada',
    supersedes: tea.id,
    source: { messageId: 'm1' },
  });
  await caller.add('The office is in Graz', {
    occurredAt: '2020-02-03T04:05:06.007Z',
    expiresAt: '2099-01-01T00:00:00Z',
  });
  const { id } = await talk.begin({ title: 'Tea', user: 'ada', metadata: { deep: [1, { two: null }] } });
  const said = await talk.say(id, 'Which tea do you like?', 'Oolong tea from the mountains', 'And cake with it', 'Bye');
  await talk.erase(`conversations/${id}/messages/${said[1]!.id}`);
  await talk.cut(id);
  const [cut] = await talk.episodes();
  await caller.call(`/v1/episodes/${cut!.id}`, {
    method: 'PATCH',
    body: { title: 'Tea talk', metadata: { kept: true } },
  });
  const span = { conversationId: id, fromMessageId: said[0]!.id, toMessageId: said[2]!.id };
  await talk.episode({ title: 'Choosing tea', ...SPAN, ...span, memoryIds: [next.id], outcome: 'Black tea' });
  await talk.episode({ title: 'A walk', summary: 'Through the park', ...SPAN });
  const { searchId, results } = (await caller.search('tea', { user: 'ada', types: ['memory', 'message'] })).body;
  const used = [results.at(-1)!.id];
  expect((await caller.call(`/v1/searches/${searchId}/feedback`, { body: { used } })).body).toMatchObject({
    events: 1,
  });
  return { tea, next, conversationId: id, beforeMs, betweenMs };
}

async function answersOf(caller: Caller, times: number[]) {
  const answers: unknown[] = [];
  const seen = ({ body }: Awaited<ReturnType<Caller['search']>>) =>
    body.results.map((found) => ({ ...found, score: undefined, why: undefined }));
  for (const user of ['ada', 'default']) {
    for (const query of ['tea', 'oolong mountains', 'office Graz', 'walk park', 'choosing']) {
      answers.push(seen(await caller.search(query, { user, types: ['memory', 'message', 'episode'] })));
      for (const time of times) answers.push(seen(await caller.search(query, { user, asOf: instant(time) })));
    }
  }
  return answers;
}

describe('a whole account', () => {
  test('is restored in an empty one with the same export, search results and history', async () => {
    const [from, to] = [await newAccount(daemon), await newAccount(daemon)];
    const { tea, beforeMs, betweenMs } = await fill(from);
    const text = await portable(from).text();
    const added = { memories: 3, conversations: 1, messages: 3, episodes: 3, learned: 1, suggestions: 0 };
    expect(await portable(to).importFile(text)).toEqual({
      added,
      known: NONE,
      skipped: 0,
      reasons: [],
      complete: true,
    });
    expect(await portable(to).lines()).toEqual(await portable(from).lines());
    const answers = await answersOf(to, [beforeMs, betweenMs]);
    expect(answers).toEqual(await answersOf(from, [beforeMs, betweenMs]));
    expect(JSON.stringify(answers)).toContain('oolong tea');
    expect((await to.history(tea.id)).body).toEqual((await from.history(tea.id)).body);
    expect(await to.list('?tag=taste&includeSuperseded=true')).toEqual(['Ada drinks green tea']);
    expect((await to.call('/v1/usage?days=1')).body).toMatchObject({ days: [{ memories: 3 }] });
  });

  test('adds nothing when it is imported twice', async () => {
    const [from, to] = [await newAccount(daemon), await newAccount(daemon)];
    await fill(from);
    const text = await portable(from).text();
    await portable(to).importFile(text);
    const before = await portable(to).lines();
    const known = { memories: 3, conversations: 1, messages: 3, episodes: 3, learned: 1 };
    expect(await portable(to).importFile(text)).toMatchObject({ added: NONE, known, skipped: 0 });
    expect(await portable(from).importFile(text)).toMatchObject({ added: NONE, known, skipped: 0 });
    expect(await portable(to).lines()).toEqual(before);
    expect((await to.call('/v1/usage?days=1')).body).toMatchObject({ days: [{ memories: 3 }] });
  });

  test('remains usable after an import: memories change, conversations grow, episodes follow', async () => {
    const [from, to] = [await newAccount(daemon), await newAccount(daemon)];
    const { next, conversationId } = await fill(from);
    await portable(to).importFile(await portable(from).text());
    await daemon.episodes.follow();
    expect(await portable(to).lines()).toEqual(await portable(from).lines());
    expect((await to.change(next.id, { content: 'Ada drinks coffee' })).status).toBe(200);
    expect(await to.find('coffee', { user: 'ada' })).toEqual(['Ada drinks coffee']);
    const talk = conversing(to);
    const [message] = await talk.say(conversationId, 'One more thing about the harbour');
    expect(message!.ordinal).toBe(5);
    await daemon.episodes.follow();
    const cuts = (await talk.episodes(`?conversationId=${conversationId}`)).filter(({ cut }) => cut);
    expect(cuts.some(({ toMessageId }) => toMessageId === message!.id)).toBe(true);
    expect(cuts[0]!.title).toBe('Tea talk');
    expect(await conversing(from).page(conversationId)).toMatchObject({ data: { length: 3 } });
  });

  test('is cut into episodes after the import where that was pending at the export', async () => {
    const [from, to] = [await newAccount(daemon), await newAccount(daemon)];
    const talk = conversing(from);
    const { id } = await talk.begin();
    await talk.say(id, 'The harbour is closed', 'The ships wait outside');
    await talk.cut(id);
    const [last] = await talk.say(id, 'It opens again at noon');
    const text = await portable(from).text();
    expect(text).toContain('"cutThrough":2');
    await portable(to).importFile(text);
    await daemon.episodes.follow();
    const spans = await conversing(to).episodes();
    expect(spans.some(({ toMessageId }) => toMessageId === last!.id)).toBe(true);
  });

  test('can be exported for one user, without data of others', async () => {
    const caller = await newAccount(daemon);
    await fill(caller);
    const lines = (await portable(caller).lines('?user=ada')).map((line) => JSON.parse(line));
    expect(lines.slice(0, -1).every(({ user = 'ada' }) => user === 'ada')).toBe(true);
    expect(lines.at(-1)).toEqual({
      ...{ type: 'end', memories: 2, conversations: 1, messages: 3, episodes: 2, learned: 1, suggestions: 0 },
    });
    expect((await caller.call('/v1/export?user=')).status).toBe(400);
    expect((await caller.call('/v1/export?who=ada')).status).toBe(400);
  });

  test('is exported without expired or erased items', async () => {
    const caller = await newAccount(daemon);
    const talk = conversing(caller);
    const soon = new Date(daemon.clock.nowMs() + 60_000).toISOString();
    const short = await caller.add('Short-lived');
    await caller.change(short.id, { content: 'Shortest-lived', expiresAt: soon });
    const old = await caller.add('Replaced by what expires');
    await caller.add('Expiring successor', { supersedes: old.id, expiresAt: soon });
    const erased = await caller.add('Erased');
    await caller.erase(erased.id);
    const { id } = await talk.begin({ title: 'Gone' });
    await talk.say(id, 'Gone as well');
    expect(await portable(caller).text()).toMatch(/Shortest-lived.*Gone as well/s);
    await talk.erase(`conversations/${id}`);
    daemon.clock.advance(60_001);
    const lines = (await portable(caller).lines()).map((line) => JSON.parse(line));
    expect(lines).toMatchObject([
      { content: 'Replaced by what expires', supersededBy: null },
      { type: 'end', ...NONE, memories: 1 },
    ]);
    await daemon.memories.sweep();
    expect((await portable(caller).lines()).map((line) => JSON.parse(line))).toEqual(lines);
  });
});

/** Reports the worst result of a search as used and the best as irrelevant. */
async function teach(caller: Caller, user: string): Promise<void> {
  const { searchId, results } = (await caller.search('tea cake rain', { user })).body;
  // Stores the search first, so that the feedback is learned from at once.
  await daemon.learning.flush();
  const [best, worst] = [results[0]?.id, results.at(-1)?.id];
  if (best === worst) return;
  await caller.call(`/v1/searches/${searchId}/feedback`, { body: { used: [worst], irrelevant: [best] } });
}

test('any sequence of adds, changes, supersedes and feedback survives export and import unchanged', async () => {
  const word = fc.constantFrom('tea', 'Tea', 'cake', 'rain', 'ünïcödé ☕', 'a "quoted" \\ line\nbreak');
  const step = fc.oneof(
    fc.record({ kind: fc.constant('add' as const), word, user: fc.constantFrom('ada', 'ben'), tag: word }),
    fc.record({ kind: fc.constant('change' as const), word, pick: fc.nat(20) }),
    fc.record({ kind: fc.constant('supersede' as const), word, pick: fc.nat(20) }),
    fc.record({ kind: fc.constant('erase' as const), pick: fc.nat(20) }),
    fc.record({ kind: fc.constant('teach' as const), user: fc.constantFrom('ada', 'ben') }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const [from, to] = [await newAccount(daemon), await newAccount(daemon)];
      const ids: string[] = [];
      for (const [index, done] of steps.entries()) {
        if (done.kind === 'teach') {
          await teach(from, done.user);
          continue;
        }
        const id = ids[('pick' in done ? done.pick : 0) % Math.max(1, ids.length)] ?? 'mem_none';
        const content = 'word' in done ? `${done.word} ${index % 4}` : '';
        const { body } =
          done.kind === 'add'
            ? await from.call('/v1/memories', { body: { content, user: done.user, tags: [done.tag.slice(0, 4)] } })
            : done.kind === 'change'
              ? await from.change(id, { content })
              : done.kind === 'supersede'
                ? await from.call('/v1/memories', { body: { content, supersedes: id, user: 'ada' } })
                : await from.erase(id);
        const made = (body as { id?: string } | undefined)?.id;
        if (made?.startsWith('mem_')) ids.push(made);
        daemon.clock.advance(1000);
      }
      await daemon.db.writes.write('daemon', async () => {});
      const lines = await portable(from).lines();
      expect(await portable(to).importFile(await portable(from).text())).toMatchObject({ skipped: 0, known: NONE });
      expect(await portable(to).lines()).toEqual(lines);
      for (const user of ['ada', 'ben']) {
        expect(await to.find('tea', { user })).toEqual(await from.find('tea', { user }));
        const asOf = instant(daemon.clock.nowMs() - 3500);
        expect(await to.find('tea', { user, asOf })).toEqual(await from.find('tea', { user, asOf }));
      }
    }),
    { numRuns: 4 },
  );
}, 30_000);
