import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { LearnedWord } from '../../../src/contract/learned-words.ts';
import type { Retrieval } from '../../../src/contract/learning.ts';
import type { ContextAnswer, SearchAnswer } from '../../../src/contract/search.ts';
import type { MemoryUses } from '../../../src/contract/searches.ts';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';

let daemon: MemoryDaemon;
let caller: Caller;
beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
beforeEach(async () => {
  caller = await daemon.account();
});
afterAll(() => daemon.close());

const FONT = 'The editor is set in Iosevka with size 15';
const OTHERS = ['The typeface museum in Mainz opens at ten', 'Typeface licenses are paid by the studio'];
const QUESTION = 'Which typeface should the editor of the new laptop use?';
const ANSWER = 'You set your editor in Iosevka, size 15: install it and set editor.fontFamily.';
const USER_AGENT = { 'user-agent': 'claude-code/2.1' };

async function fill(more = {}): Promise<string> {
  const [font] = await caller.addAll([FONT, ...OTHERS].map((content) => ({ content, ...more })));
  return font!.id;
}

/** Asks as the hook of a prompt does, and returns what was given. */
async function ask(query = QUESTION, more = {}, headers = USER_AGENT): Promise<string[]> {
  const body = { query, purpose: 'prompt', ...more };
  const { citations } = (await caller.call<ContextAnswer>('/v1/context', { body, headers })).body;
  return citations.map(({ id }) => id);
}

/** Stores an answer as the hook at its end does. */
async function answer(content: string, more = {}, headers = USER_AGENT): Promise<void> {
  const messages = [
    { role: 'user', content: QUESTION },
    { role: 'assistant', content },
  ];
  const stored = await caller.call('/v1/remember', { body: { messages, ...more }, headers });
  expect(stored.status, stored.text).toBe(201);
}

const retrieval = async () => (await caller.call<Retrieval>('/v1/retrieval')).body;
const words = async () => (await caller.call<{ data: LearnedWord[] }>('/v1/retrieval/words')).body.data;
/** What the daemon could not do in the background. */
const failures = () => daemon.logLines.filter((line) => line.includes('could not'));
const eventsAre = (events: number) =>
  vi.waitFor(async () => {
    expect({ events: (await retrieval()).events, failures: failures() }).toEqual({ events, failures: [] });
  }, 10_000);
/** Everything that was said before has been looked at once something said afterwards was learned. */
async function nothingLearned(): Promise<void> {
  const { id } = await caller.add('The gazebo is painted in ochre');
  expect(await ask('Color of the gazebo')).toContain(id);
  await answer('You painted it in ochre.');
  await eventsAre(1);
  expect((await words()).every(({ itemId }) => itemId === id)).toBe(true);
}

describe('what an answer repeats of what was given for it counts as used', () => {
  test('its question finds it from then on, counted apart from feedback', async () => {
    const font = await fill();
    expect(await ask()).toContain(font);
    await answer(ANSWER);
    await eventsAre(1);
    const learned = await words();
    expect(learned.map(({ word }) => word).sort()).toContain('typeface');
    expect(new Set(learned.map(({ itemId, uses, observedUses }) => `${itemId} ${uses} ${observedUses}`))).toEqual(
      new Set([`${font} 0 1`]),
    );
    const { results } = (await caller.search('typeface', { explain: true })).body;
    expect(results.find(({ id }) => id === font)?.why?.learnedWords).toMatchObject([{ word: 'typeface', uses: 0 }]);
  });

  test('also for a search, and for messages appended to a conversation', async () => {
    const font = await fill();
    await caller.call<SearchAnswer>('/v1/search', { body: { query: 'typeface editor' }, headers: USER_AGENT });
    const { id } = (await caller.call<{ id: string }>('/v1/conversations', { body: {} })).body;
    await caller.call(`/v1/conversations/${id}/messages`, {
      body: { messages: [{ role: 'assistant', content: [{ type: 'text', text: ANSWER }] }] },
      headers: USER_AGENT,
    });
    await eventsAre(1);
    expect((await words()).map(({ itemId }) => itemId)).toContain(font);
  });

  test('once, however often it is said', async () => {
    await fill();
    await ask();
    for (let round = 0; round < 3; round += 1) await answer(ANSWER);
    await eventsAre(1);
    await ask(undefined, {}, USER_AGENT);
    await answer(ANSWER);
    await eventsAre(2);
  });

  test('the first three that were shown, if it repeats more', async () => {
    const places = ['hall', 'kitchen', 'cellar', 'attic', 'garden'];
    await caller.addAll(places.map((place) => ({ content: `A kettle stands in the ${place}` })));
    const { body } = await caller.call<SearchAnswer>('/v1/search', { body: { query: 'kettle' }, headers: USER_AGENT });
    const shown = body.results.map(({ id }) => id);
    expect(shown).toHaveLength(5);
    await answer(`Stored as ${shown.toSorted().join(', ')}.`);
    const used = async () => {
      const query = shown.map((id) => `id=${id}`).join('&');
      const { data } = (await caller.call<MemoryUses>(`/v1/memories/uses?${query}`)).body;
      return shown.map((id) => data.find((one) => one.id === id)?.used);
    };
    await vi.waitFor(async () => expect(await used()).toEqual([1, 1, 1, 0, 0]), 10_000);
  });
});

describe('nothing is learned from', () => {
  test('an answer that only says what the question says', async () => {
    await fill();
    await ask();
    await answer('Any typeface works in the editor of a new laptop: pick one with clear letters.');
    await nothingLearned();
  });

  test.each<[string, () => Promise<void>]>([
    ['what another program says', () => answer(ANSWER, {}, { 'user-agent': 'other/1.0' })],
    ['what is said to another user', () => answer(ANSWER, { user: 'ben' })],
    [
      'what a person says',
      async () => {
        const messages = [{ role: 'user', content: ANSWER }];
        await caller.call('/v1/remember', { body: { messages }, headers: USER_AGENT });
      },
    ],
    [
      'what a tool printed or a system text says',
      async () => {
        const messages = ['tool', 'system'].map((role) => ({ role, content: ANSWER }));
        await caller.call('/v1/remember', { body: { messages }, headers: USER_AGENT });
      },
    ],
    [
      'an old answer that is stored now',
      async () => {
        const createdAt = new Date(daemon.clock.nowMs() - 86_400_000).toISOString();
        const messages = [{ role: 'assistant', content: ANSWER, createdAt }];
        await caller.call('/v1/remember', { body: { messages }, headers: USER_AGENT });
      },
    ],
    [
      'an answer more than an hour later',
      async () => {
        daemon.clock.advance(3_601_000);
        await answer(ANSWER);
      },
    ],
  ])('%s', async (_, say) => {
    await fill();
    await ask();
    await say();
    await nothingLearned();
  });

  test('what is said while uses are not inferred, and other wordings; words are still learned from feedback', async () => {
    const font = await fill();
    const change = (body: object) => caller.call<Retrieval>('/v1/retrieval', { method: 'PATCH', body });
    expect((await change({ infersUses: false })).body).toMatchObject({ infersUses: false, usesWords: true });
    await ask();
    await answer(ANSWER);
    await caller.read(font);
    const { searchId } = (await caller.search('typeface of the editor')).body;
    await caller.call(`/v1/searches/${searchId}/feedback`, { body: { used: [font] } });
    expect((await words()).map(({ observedUses }) => observedUses)).toEqual([0, 0]);
    await caller.call('/v1/retrieval', { method: 'DELETE' });
    expect(await retrieval()).toMatchObject({ infersUses: false, events: 0 });
    expect((await change({ infersUses: true })).body).toMatchObject({ infersUses: true });
    expect((await change({})).status).toBe(400);
    await ask();
    await answer(ANSWER);
    await eventsAre(1);
  });
});
