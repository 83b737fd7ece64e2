import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LearnedWord } from '../../../src/contract/learned-words.ts';
import type { Retrieval } from '../../../src/contract/learning.ts';
import type { SearchAnswer } from '../../../src/contract/search.ts';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { portable } from '../portability/portable-account.ts';

let daemon: MemoryDaemon;
beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
afterAll(() => daemon.close());

const FONT = 'The editor is set in Iosevka';
const OTHERS = ['The mascot museum in Mainz opens at ten', 'Mascot licenses are paid by the studio'];

/** Stores a memory and others that share the question's words, and returns the id of the first. */
async function fill(caller: Caller, more = {}): Promise<string> {
  const [first] = await caller.addAll([FONT, ...OTHERS].map((content) => ({ content, ...more })));
  return first!.id;
}

/** Asks, and reports one result as used if it was shown; `seen` asks until it was, by its own words. */
async function teach(caller: Caller, query: string, used: string, more = {}): Promise<void> {
  const found = (await caller.search(query, more)).body;
  const answer = await caller.call(`/v1/searches/${found.searchId}/feedback`, { body: { used: [used] } });
  expect(answer.status, answer.text).toBe(202);
}

/** Replaces a memory, and that by another one, whose id it returns. */
async function supersedeTwice(caller: Caller, id: string): Promise<string> {
  const newer = await caller.add('The editor is set in Berkeley Mono', { supersedes: id });
  return (await caller.add('The editor is set in Monaspace', { supersedes: newer.id })).id;
}

const idsOf = ({ results }: SearchAnswer) => results.map(({ id }) => id);
const idsFor = async (caller: Caller, query: string, more = {}) => idsOf((await caller.search(query, more)).body);
const wordsOf = async (caller: Caller, query = '') =>
  (await caller.call<{ data: LearnedWord[]; nextCursor: string | null }>(`/v1/retrieval/words${query}`)).body;
const listed = async (caller: Caller, query = '') => (await wordsOf(caller, query)).data.map(({ word }) => word).sort();

describe('words of a question', () => {
  test('find what was used for it, though it shares none of them', async () => {
    const caller = await daemon.account();
    const font = await fill(caller);
    expect(await idsFor(caller, 'which mascot')).not.toContain(font);
    await teach(caller, 'mascot of my editor', font);
    expect(await idsFor(caller, 'which mascot')).toContain(font);
    for (let round = 0; round < 2; round += 1) await teach(caller, 'which mascot', font);
    expect((await idsFor(caller, 'what is my mascot'))[0]).toBe(font);
  });

  test('count in every form, and are shown with how often they led there', async () => {
    const caller = await daemon.account();
    const font = await fill(caller);
    for (const query of ['mascot of the editor', 'mascot of it', 'mascots in my editor'])
      await teach(caller, query, font);
    const { results } = (await caller.search('mascot', { explain: true })).body;
    const why = results.find(({ id }) => id === font)!.why!;
    expect(why.learnedWords).toEqual([{ word: 'mascots', uses: 3, observedUses: 0 }]);
    expect(why.signals.learnedWords!.value).toBeGreaterThan(0.3);
    expect(why.defaultRank).toBeGreaterThan(why.rank);
    expect(results.find(({ id }) => id !== font)!.why).not.toHaveProperty('learnedWords');
  });

  test('change nothing with another strategy, for another user, or about something else', async () => {
    const caller = await daemon.account();
    const font = await fill(caller);
    await fill(caller, { user: 'ben' });
    const before = await idsFor(caller, 'when does the museum open');
    await teach(caller, 'mascot of my editor', font);
    expect(await idsFor(caller, 'which mascot', { strategy: 'default' })).not.toContain(font);
    expect(await idsFor(caller, 'which mascot', { user: 'ben' })).toHaveLength(2);
    expect(await listed(caller, '?user=ben')).toEqual([]);
    expect(await idsFor(caller, 'when does the museum open')).toEqual(before);
  });

  test('keep to filters and types', async () => {
    const caller = await daemon.account();
    const font = await fill(caller, { project: 'kestrel' });
    await teach(caller, 'mascot of my editor', font, { project: 'kestrel' });
    expect(await idsFor(caller, 'mascot', { project: 'kestrel' })).toContain(font);
    expect(await idsFor(caller, 'mascot', { project: 'osprey', projectOnly: true })).toEqual([]);
    expect(await idsFor(caller, 'mascot', { project: 'kestrel', types: ['message', 'episode'] })).toEqual([]);
    expect(await idsFor(caller, 'mascot', { project: 'kestrel', filter: { tags: ['font'] } })).toEqual([]);
  });

  test('lead to messages and episodes too', async () => {
    const caller = await daemon.account();
    const conversation = await caller.call<{ id: string }>('/v1/conversations', { body: { title: 'Desk' } });
    const added = await caller.call<{ data: { id: string }[] }>(`/v1/conversations/${conversation.body.id}/messages`, {
      body: { messages: [{ role: 'user', content: 'I set everything in Iosevka' }] },
    });
    const { id } = added.body.data[0]!;
    await teach(caller, 'Iosevka, the mascot', id);
    expect(await idsFor(caller, 'mascot')).toContain(id);
    const [word] = (await wordsOf(caller, `?itemId=${id}`)).data;
    expect(word).toMatchObject({ type: 'message', itemId: id, text: 'I set everything in Iosevka', uses: 1 });
  });

  test('lead to what took the place of a memory, and back when that is undone', async () => {
    const caller = await daemon.account();
    const font = await fill(caller);
    await teach(caller, 'mascot of my editor', font);
    const newer = await caller.add('The editor is set in Berkeley Mono', { supersedes: font });
    expect(await idsFor(caller, 'mascot')).toContain(newer.id);
    expect((await wordsOf(caller, `?itemId=${font}`)).data[0]!.text).toBe('The editor is set in Berkeley Mono');
  });

  test('of a memory fade where what took its place is irrelevant', async () => {
    const caller = await daemon.account();
    const font = await fill(caller);
    await teach(caller, 'mascot of my editor', font);
    const newest = await supersedeTwice(caller, font);
    const { searchId, results } = (await caller.search('which mascot')).body;
    expect(results.map(({ id }) => id)).toContain(newest);
    await caller.call(`/v1/searches/${searchId}/feedback`, { body: { irrelevant: [newest] } });
    const strengths = (await wordsOf(caller, `?itemId=${font}`)).data.map(({ word, strength }) => [word, strength]);
    expect(Object.fromEntries(strengths)).toEqual({ mascot: expect.closeTo(0.2), editor: expect.closeTo(1) });
  });

  test('are not learned from what was shown and not used, which fades', async () => {
    const caller = await daemon.account();
    const [one, other] = await caller.addAll([{ content: 'plum jam' }, { content: 'plum cake' }]);
    for (let round = 0; round < 10; round += 1) await teach(caller, 'plum for breakfast', one!.id);
    expect((await idsFor(caller, 'plum for breakfast'))[0]).toBe(one!.id);
    for (let round = 0; round < 2; round += 1) await teach(caller, 'plum for breakfast', other!.id);
    expect((await idsFor(caller, 'plum for breakfast'))[0]).toBe(other!.id);
  });

  test('fade where all that was found is irrelevant, and those belong to what the same question finds in other words', async () => {
    const caller = await daemon.account();
    const [jam, font] = await caller.addAll([{ content: 'plum jam' }, { content: FONT }]);
    await teach(caller, 'plum', jam!.id);
    daemon.clock.advance(121_000);
    const { searchId, results } = (await caller.search('plum letters')).body;
    expect(results.map(({ id }) => id)).toEqual([jam!.id]);
    await caller.call(`/v1/searches/${searchId}/feedback`, { body: { irrelevant: [jam!.id] } });
    const [plum] = (await wordsOf(caller, `?itemId=${jam!.id}`)).data;
    expect(plum!.word).toBe('plum');
    expect(plum!.strength).toBeCloseTo(0.2);
    daemon.clock.advance(10_000);
    await teach(caller, 'plum Iosevka', font!.id);
    expect(await listed(caller, `?itemId=${font!.id}`)).toEqual(['iosevka', 'letters', 'plum']);
  });

  test('are learned less from reading a result than from feedback', async () => {
    const caller = await daemon.account();
    const font = await fill(caller);
    await caller.search('mascot of my editor');
    await caller.call(`/v1/memories/${font}`);
    await expect.poll(async () => (await wordsOf(caller)).data).toHaveLength(2);
    expect((await wordsOf(caller)).data[0]).toMatchObject({ uses: 0, observedUses: 1, strength: 0.5 });
  });

  test('of a question that led nowhere lead to what was used for other words soon after', async () => {
    const caller = await daemon.account();
    const font = await fill(caller);
    await caller.search('letters on my screen');
    daemon.clock.advance(10_000);
    await teach(caller, 'editor set in', font);
    expect(await listed(caller, `?itemId=${font}`)).toEqual(['editor', 'letters', 'screen', 'set']);
    expect(await idsFor(caller, 'screen letters')).toContain(font);
    await caller.search('color of walls');
    daemon.clock.advance(121_000);
    await teach(caller, 'Iosevka', font);
    const answered = (await caller.search('mascot museum in Mainz')).body;
    expect(answered.confidence).toBeGreaterThan(0.6);
    await teach(caller, 'Iosevka', font);
    await caller.search('museum with Iosevka');
    await teach(caller, 'Iosevka', font);
    expect(await listed(caller, `?itemId=${font}`)).toEqual(['editor', 'iosevka', 'letters', 'screen', 'set']);
  });

  test('lead to at most twenty results of one question', async () => {
    const caller = await daemon.account();
    await caller.addAll(Array.from({ length: 25 }, (_, at) => ({ content: `plum of day ${at}` })));
    const found = (await caller.search('plum', { limit: 25 })).body;
    const used = idsOf(found);
    expect(used).toHaveLength(25);
    await caller.call(`/v1/searches/${found.searchId}/feedback`, { body: { used } });
    expect((await wordsOf(caller)).data).toHaveLength(20);
  });

  test('are not learned from a question of a pasted page, or of credentials', async () => {
    const caller = await daemon.account();
    const font = await fill(caller);
    const page = Array.from({ length: 40 }, (_, at) => `word${at}`).join(' ');
    await teach(caller, `editor ${page}`, font);
    expect(await listed(caller)).toEqual([]);
    await teach(caller, 'editor token ghp_16C7e42F292c6912E7710c838347Ae178B4a', font);
    expect(await listed(caller)).toEqual(['editor', 'token']);
  });
});

describe('learned words', () => {
  test('are listed the last used first, in pages, of one item or of all', async () => {
    const caller = await daemon.account();
    const font = await fill(caller);
    await teach(caller, 'mascot of my editor', font);
    daemon.clock.advance(1000);
    const [museum] = await idsFor(caller, 'museum in Mainz');
    await teach(caller, 'museum in Mainz', museum!);
    expect(await listed(caller, `?itemId=${font}`)).toEqual(['editor', 'mascot']);
    const first = await wordsOf(caller, '?limit=3');
    const second = await wordsOf(caller, `?limit=3&cursor=${first.nextCursor}`);
    expect(first.data.slice(0, 2).map(({ itemId }) => itemId)).toEqual([museum, museum]);
    expect([...first.data, ...second.data].map(({ word }) => word).sort()).toEqual([
      'editor',
      'mainz',
      'mascot',
      'museum',
    ]);
    expect(second.nextCursor).toBeNull();
  });

  test('are forgotten by word, by item, all, and with the ranking', async () => {
    const caller = await daemon.account();
    const font = await fill(caller);
    const forget = (query: string) => caller.call(`/v1/retrieval/words${query}`, { method: 'DELETE' });
    await teach(caller, 'mascot of my editor', font);
    expect((await forget('?word=Mascots')).status).toBe(204);
    expect(await listed(caller)).toEqual(['editor']);
    await teach(caller, 'café editor', font);
    expect(await listed(caller)).toEqual(['cafe', 'editor']);
    expect((await forget(`?word=${encodeURIComponent('Café')}`)).status).toBe(204);
    expect(await listed(caller)).toEqual(['editor']);
    expect(await idsFor(caller, 'mascot')).not.toContain(font);
    expect((await forget(`?itemId=${font}`)).status).toBe(204);
    expect(await listed(caller)).toEqual([]);
    for (const query of ['/words', '']) {
      await teach(caller, 'mascot of my editor', font);
      expect(await listed(caller)).toEqual(['editor', 'mascot']);
      expect((await caller.call(`/v1/retrieval${query}`, { method: 'DELETE' })).status).toBe(204);
      expect(await listed(caller)).toEqual([]);
    }
  });

  test('are neither learned nor used while they are switched off, also after a reset', async () => {
    const caller = await daemon.account();
    const font = await fill(caller);
    await teach(caller, 'mascot of my editor', font);
    const change = (usesWords: boolean) =>
      caller.call<Retrieval>('/v1/retrieval', { method: 'PATCH', body: { usesWords } });
    const { status, body } = await change(false);
    expect([status, body.usesWords, body.events]).toEqual([200, false, 1]);
    expect(await idsFor(caller, 'mascot')).not.toContain(font);
    await teach(caller, 'font of my editor', font);
    expect(await listed(caller)).toEqual(['editor', 'mascot']);
    await caller.call('/v1/retrieval', { method: 'DELETE' });
    expect((await caller.call<Retrieval>('/v1/retrieval')).body).toMatchObject({ usesWords: false, events: 0 });
    await change(true);
    await teach(caller, 'mascot of my editor', font);
    expect(await idsFor(caller, 'mascot')).toContain(font);
    const nobody = await caller.call('/v1/retrieval', { method: 'PATCH', body: { user: 'nobody', usesWords: false } });
    expect([nobody.status, nobody.body.code]).toEqual([404, 'not_found']);
  });

  test('are erased with their item and with their user', async () => {
    const caller = await daemon.account();
    const font = await fill(caller);
    await teach(caller, 'mascot of my editor', font);
    await caller.call(`/v1/memories/${font}`, { method: 'DELETE' });
    expect(await listed(caller)).toEqual([]);
    const other = await fill(caller, { user: 'ben' });
    await teach(caller, 'mascot of my editor', other, { user: 'ben' });
    expect(await listed(caller, '?user=ben')).toEqual(['editor', 'mascot']);
    expect((await caller.call('/v1/users/ben', { method: 'DELETE' })).status).toBeLessThan(300);
    expect(await listed(caller, '?user=ben')).toEqual([]);
  });

  test('of an import never lead to what belongs to another user', async () => {
    const caller = await daemon.account();
    const font = await fill(caller);
    await teach(caller, 'mascot of my editor', font);
    await caller.add('Ben plays the harp', { user: 'ben' });
    const lines = (await portable(caller).lines()).map((line) => JSON.parse(line));
    const learned = lines.find(({ type }) => type === 'learned');
    await portable(caller).importFile([{ ...learned, user: 'ben' }]);
    expect(await listed(caller, '?user=ben')).toEqual(['editor', 'mascot']);
    expect(await idsFor(caller, 'mascot', { user: 'ben' })).toEqual([]);
  });

  test('are exported and imported with the items that they lead to', async () => {
    const caller = await daemon.account();
    const font = await fill(caller);
    await teach(caller, 'mascot of my editor', font);
    daemon.clock.advance(60_000);
    await teach(caller, 'editor font', font);
    const to = await daemon.account();
    await portable(to).importFile((await portable(caller).lines()).map((line) => JSON.parse(line)));
    expect((await wordsOf(to)).data).toEqual((await wordsOf(caller)).data);
    expect(await idsFor(to, 'mascot')).toContain(font);
  });

  test('and inferred uses stay switched off by an export and its import', async () => {
    const caller = await daemon.account();
    await teach(caller, 'mascot of my editor', await fill(caller));
    const off = { usesWords: false, infersUses: false };
    await caller.call('/v1/retrieval', { method: 'PATCH', body: off });
    const to = await daemon.account();
    await portable(to).importFile((await portable(caller).lines()).map((line) => JSON.parse(line)));
    expect((await to.call<Retrieval>('/v1/retrieval')).body).toMatchObject({ ...off, events: 1 });
  });
});
