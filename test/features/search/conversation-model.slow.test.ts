import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SearchAnswer } from '../../../src/contract/search.ts';
import { conversing } from '../conversations/conversation-caller.ts';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { newAccount, portable } from '../portability/portable-account.ts';
import { expectIndexEqualsRows } from '../text/index-rows.ts';

/**
 * Runs any sequence of appends, episodes, changes, erasures and imports against the API and against a small model;
 * afterwards every search must agree with the model, the indices must match the rows, and a restart must change
 * nothing.
 */

const WORDS = ['apple', 'river', 'stone', 'cloud'];
const USERS = ['ann', 'bob'];
const AT = '2026-01-01T10:00:00.000Z';

interface Conversation {
  id: string;
  user: string;
  messages: { id: string; ordinal: number; content: string }[];
}
interface Episode {
  id: string;
  user: string;
  title: string;
}

type Step =
  | { kind: 'begin'; user: string; contents: string[] }
  | { kind: 'append'; which: number; contents: string[] }
  | { kind: 'eraseMessage'; which: number; place: number }
  | { kind: 'eraseConversation'; which: number }
  | { kind: 'episode'; user: string; title: string }
  | { kind: 'changeEpisode'; which: number; title: string }
  | { kind: 'eraseEpisode'; which: number }
  | { kind: 'import'; user: string; contents: string[]; gap: number; title: string };

const said = fc.subarray([...WORDS, 'idle', 'yesterday'], { minLength: 1 }).map((words) => words.join(' '));
const contents = fc.array(said, { minLength: 1, maxLength: 6 });
const user = fc.constantFrom(...USERS);
const which = fc.nat(4);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('begin' as const), user, contents }),
  fc.record({ kind: fc.constant('append' as const), which, contents }),
  fc.record({ kind: fc.constant('eraseMessage' as const), which, place: fc.nat(8) }),
  fc.record({ kind: fc.constant('eraseConversation' as const), which }),
  fc.record({ kind: fc.constant('episode' as const), user, title: said }),
  fc.record({ kind: fc.constant('changeEpisode' as const), which, title: said }),
  fc.record({ kind: fc.constant('eraseEpisode' as const), which }),
  fc.record({
    kind: fc.constant('import' as const),
    user,
    contents,
    gap: fc.integer({ min: 1, max: 70 }),
    title: said,
  }),
);

let daemon: MemoryDaemon;
let made = 0;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
afterAll(() => daemon.close());

const whole = () => expectIndexEqualsRows(daemon);

test('search agrees with a naive model after any history, and after a restart', { timeout: 60_000 }, async () => {
  const models: ReturnType<typeof createModel>[] = [];
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
      const model = createModel(await newAccount(daemon));
      models.push(model);
      for (const each of steps) await model.apply(each);
      await model.compare();
    }),
    { numRuns: 4 },
  );
  await whole();
  await daemon.stop();
  daemon = await startMemoryDaemon({ dataDir: daemon.folder });
  for (const model of models) await model.compare();
  await whole();
});

function createModel({ apiKey }: Caller) {
  const call: Caller['call'] = (path, options) => daemon.call(apiKey, path, options);
  const talk = conversing({ call });
  let conversations: Conversation[] = [];
  let episodes: Episode[] = [];

  async function append(conversation: Conversation, texts: string[]): Promise<void> {
    const messages = texts.map((content, index) => ({ role: 'user', content, ...(index % 2 && { name: 'Zoe' }) }));
    for (const [index, { id, ordinal }] of (await talk.append(conversation.id, messages)).entries()) {
      conversation.messages.push({ id, ordinal, content: texts[index]! });
    }
  }

  /** Imports a conversation with gaps between its messages, and an episode. */
  async function importBoth({ user, contents: texts, gap, title }: Extract<Step, { kind: 'import' }>): Promise<void> {
    const idOf = (prefix: string) => {
      made += 1;
      return `${prefix}_${made.toString(16).padStart(32, '0')}`;
    };
    const common = { metadata: {}, createdAt: AT };
    const owned = { ...common, user, updatedAt: AT, version: 1, cut: false };
    const conversation = { id: idOf('conv'), user, messages: [] as Conversation['messages'] };
    const episode = { id: idOf('ep'), user, title };
    conversation.messages = texts.map((content, index) => ({ id: idOf('msg'), ordinal: 1 + index * gap, content }));
    const report = await portable({ call }).importFile([
      { type: 'conversation', id: conversation.id, title: null, ...owned },
      ...conversation.messages.map((message) => ({
        ...{ type: 'message', conversationId: conversation.id, role: 'user', name: null, ...message, ...common },
      })),
      {
        ...{ type: 'episode', ...episode, summary: null, outcome: null, conversationId: null, fromMessageId: null },
        ...{ toMessageId: null, startedAt: AT, endedAt: AT, memoryIds: [], edited: [], ...owned },
      },
    ]);
    expect(report.skipped, JSON.stringify(report.reasons)).toBe(0);
    conversations.push(conversation);
    episodes.push(episode);
  }

  async function apply(each: Step): Promise<void> {
    if (each.kind === 'import') return importBoth(each);
    if (each.kind === 'begin') {
      const { id } = await talk.begin({ user: each.user });
      conversations.push({ id, user: each.user, messages: [] });
      return append(conversations.at(-1)!, each.contents);
    }
    if (each.kind === 'episode') {
      const { id } = await talk.episode({ title: each.title, user: each.user, startedAt: AT, endedAt: AT });
      episodes.push({ id, user: each.user, title: each.title });
      return;
    }
    if (each.kind === 'changeEpisode' || each.kind === 'eraseEpisode') return changeEpisode(each);
    return changeConversation(each);
  }

  async function changeEpisode(each: Extract<Step, { kind: 'changeEpisode' | 'eraseEpisode' }>): Promise<void> {
    const episode = episodes[each.which];
    if (!episode) return;
    if (each.kind === 'eraseEpisode') {
      await talk.erase(`episodes/${episode.id}`);
      episodes = episodes.filter((other) => other !== episode);
      return;
    }
    const answer = await call(`/v1/episodes/${episode.id}`, { method: 'PATCH', body: { title: each.title } });
    expect(answer.status, answer.text).toBe(200);
    episode.title = each.title;
  }

  async function changeConversation(
    each: Extract<Step, { kind: 'append' | 'eraseMessage' | 'eraseConversation' }>,
  ): Promise<void> {
    const conversation = conversations[each.which];
    if (!conversation) return;
    if (each.kind === 'append') return append(conversation, each.contents);
    if (each.kind === 'eraseConversation') {
      await talk.erase(`conversations/${conversation.id}`);
      conversations = conversations.filter((other) => other !== conversation);
      return;
    }
    const message = conversation.messages[each.place];
    if (!message) return;
    await talk.erase(`conversations/${conversation.id}/messages/${message.id}`);
    conversation.messages = conversation.messages.filter((other) => other !== message);
  }

  async function found(body: object): Promise<string[]> {
    const answer = await call<SearchAnswer>('/v1/search', { body: { limit: 100, ...body } });
    return answer.body.results.map(({ id, content }) => `${id} ${content}`).sort();
  }

  async function compare(): Promise<void> {
    for (const user of USERS) {
      const mine = conversations.filter((conversation) => conversation.user === user);
      const titles = episodes.filter((episode) => episode.user === user);
      for (const word of WORDS) {
        const holding = mine.flatMap(({ messages }) => messages.filter(({ content }) => content.includes(word)));
        const near = mine.flatMap(({ messages }) => {
          const places = messages.filter(({ content }) => content.includes(word)).map(({ ordinal }) => ordinal);
          return messages.filter(({ ordinal }) => places.some((place) => Math.abs(place - ordinal) <= 2));
        });
        const shown = (all: { id: string; content: string }[]) =>
          all.map(({ id, content }) => `${id} ${content}`).sort();
        const ask = { user, query: word };
        expect(await found({ ...ask, types: ['message'], strategy: 'lexical' })).toEqual(shown(holding));
        expect(await found({ ...ask, types: ['message'] })).toEqual(shown(near));
        expect(await found({ ...ask, types: ['episode'] })).toEqual(
          shown(titles.filter(({ title }) => title.includes(word)).map(({ id, title }) => ({ id, content: title }))),
        );
      }
    }
  }

  return { apply, compare };
}
