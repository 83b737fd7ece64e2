import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ContextAnswer } from '../../../src/contract/search.ts';
import { conversing } from '../conversations/conversation-caller.ts';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';

let daemon: MemoryDaemon;
let caller: Caller;
let chat: ReturnType<typeof conversing>;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
afterAll(() => daemon.close());
beforeEach(async () => {
  caller = await daemon.account();
  chat = conversing(caller);
});

async function start(more: object = {}, by: Caller = caller): Promise<ContextAnswer> {
  const body = { query: 'tea README.md', purpose: 'session_start', project: 'tea', ...more };
  const answer = await by.call<ContextAnswer>('/v1/context', { body });
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}

/** The lines without their heading. */
const linesOf = ({ text }: ContextAnswer) => text.split('\n').slice(1);

async function say(project: string | undefined, ...contents: string[]): Promise<{ id: string; messageIds: string[] }> {
  const { id } = await chat.begin(project === undefined ? {} : { project });
  const said = contents.length === 0 ? [] : await chat.say(id, ...contents);
  return { id, messageIds: said.map((message) => message.id) };
}

describe('a context for the start of a session', () => {
  test('lists pinned memories, then what holds in the project and of the user, then sessions, each with its id', async () => {
    const general = await caller.add('Ada is allergic to walnuts');
    const pinned = await caller.add('Answer in English', { pinned: true });
    const own = await caller.add('The kettle service listens on port 4417', { project: 'tea' });
    const { id, messageIds } = await say('tea', 'Rename that test. We always squash before a merge. Is that all?');
    const [episode] = await chat.cut(id);
    const answer = await start();
    expect(linesOf(answer)).toEqual([
      ...['Pinned:', '[1] Answer in English'],
      'Of this project, oldest first:',
      expect.stringMatching(/^\[2\] (The kettle|We always squash)/),
      expect.stringMatching(/^\[3\] (The kettle|We always squash)/),
      ...['Of the user, oldest first:', '[4] Ada is allergic to walnuts'],
      ...['Latest sessions:', expect.stringMatching(/^\[5\] /)],
    ]);
    const [first, second, third, ...others] = answer.citations;
    expect([second?.id, third?.id].sort()).toEqual([own.id, messageIds[0]].sort());
    expect([first, ...others]).toEqual([
      { marker: '[1]', type: 'memory', id: pinned.id, score: null, relevance: null },
      { marker: '[4]', type: 'memory', id: general.id, score: null, relevance: null },
      { marker: '[5]', type: 'episode', id: episode!.id, score: null, relevance: null },
    ]);
    expect(answer).toMatchObject({ searchId: null, confidence: null });
  });

  test('is empty where nothing is known', async () => {
    expect(await start()).toMatchObject({ text: '', citations: [], tokens: 0 });
  });

  test('leaves out requests, questions, pasted text and words of an assistant', async () => {
    const { id } = await say('tea');
    await chat.append(id, [
      { role: 'user', content: 'Can you rename the kettle module?' },
      { role: 'user', content: 'Why is the kettle always cold in here?' },
      {
        role: 'user',
        content: 'Look:\n```\nour kettle is never on 4417\n```\n2026-11-02T10:00:00Z our kettle is cold',
      },
      { role: 'assistant', content: 'We always use the blue kettle here.' },
      { role: 'user', content: 'Our kettle is from 1962.' },
    ]);
    expect(linesOf(await start())).toEqual(['Of this project, oldest first:', '[1] Our kettle is from 1962.']);
  });

  test('lists only the newer of two statements about the same thing, however the older was stored', async () => {
    await caller.add('The deploy host of tea is heron-2', { project: 'tea' });
    await say('tea', 'Our staging database runs on PostgreSQL 15.');
    await say('tea', 'The deploy host of tea is bittern-7 now.', 'Our staging database runs on PostgreSQL 16.');
    const { text } = await start();
    expect(text).toContain('bittern-7');
    expect(text).toContain('PostgreSQL 16');
    expect(text).not.toMatch(/heron-2|PostgreSQL 15/);
  });

  test('lists what was said in a language without spaces, and not what was asked', async () => {
    await say('tea', '我对花生过敏。', '你知道我对什么过敏吗？');
    expect(linesOf(await start())).toEqual(['Of this project, oldest first:', '[1] 我对花生过敏。']);
  });

  test('holds what a newer statement of another thing shares words with', async () => {
    await say('tea', 'Our staging database runs on PostgreSQL 15.', 'Our staging mail server is called gannet.');
    const { text } = await start();
    expect(text).toContain('PostgreSQL 15');
    expect(text).toContain('gannet');
  });

  test('holds nothing of another project, user or account, nothing superseded and nothing expired', async () => {
    const other = await daemon.account();
    await other.add('Our other account likes oolong', { project: 'tea' });
    await caller.add('Our other user likes sencha', { project: 'tea', user: 'kai' });
    await caller.add('Our other project likes cocoa', { project: 'cocoa' });
    await say('cocoa', 'We always stir the cocoa.');
    await caller.add('Our old rule is to boil twice', { project: 'tea', expiresAt: '2126-01-01T00:00:00.000Z' });
    const before = await caller.add('Our pot holds one litre', { project: 'tea' });
    await caller.add('Our pot holds two litres', { project: 'tea', supersedes: before.id });
    const lines = linesOf(await start());
    expect(
      lines
        .slice(1)
        .map((line) => line.slice(4))
        .sort(),
    ).toEqual(['Our old rule is to boil twice', 'Our pot holds two litres']);
    daemon.clock.advance(101 * 366 * 24 * 3600 * 1000);
    expect((await start()).text).not.toContain('boil twice');
  });

  test('holds nothing of the user in general where only the project is asked for', async () => {
    await caller.add('Ada is allergic to walnuts');
    await caller.add('Answer in English', { pinned: true });
    await say(undefined, 'I never drink coffee after four.');
    const own = await caller.add('Our kettle is from 1962', { project: 'tea' });
    expect((await start({ projectOnly: true })).citations.map(({ id }) => id)).toEqual([own.id]);
    expect((await start()).citations).toHaveLength(4);
    const body = { query: 'x', purpose: 'session_start', projectOnly: true };
    expect((await caller.call('/v1/context', { body })).status).toBe(400);
  });

  test('leaves out what the session has: its own words, and ids', async () => {
    const memory = await caller.add('Our kettle is from 1962', { project: 'tea' });
    const own = await say('tea', 'We always squash before a merge.');
    const earlier = await say('tea', 'We never push on Fridays.');
    await chat.cut(own.id);
    const { citations } = await start({ exclude: { conversationId: own.id, ids: [memory.id] } });
    expect(citations.map(({ id }) => id)).toEqual(earlier.messageIds);
  });

  test('keeps to its budget, and puts what the working folder names first', async () => {
    const contents = Array.from({ length: 80 }, (_, index) => `We keep tea number ${index} on shelf ${index * 7}.`);
    await caller.addAll(contents.map((content) => ({ content, project: 'tea' })));
    await caller.add('We keep gofmt settings in the Makefile', { project: 'tea' });
    await caller.addAll(contents.map((content) => ({ content: `${content} Twice.`, project: 'tea' })));
    const few = await start({ maxTokens: 120, query: 'Makefile go.mod' });
    expect(few.tokens).toBeLessThanOrEqual(120);
    expect(few.text).toContain('We keep gofmt settings in the Makefile');
    expect((await start({ maxTokens: 120, query: 'package.json' })).text).not.toContain('gofmt');
    expect((await start({ maxTokens: 16 })).text).toBe('');
    expect((await start({ maxTokens: 2000 })).citations.length).toBeGreaterThan(few.citations.length);
  });

  test('reads the newest sentences of what was said, however many were said before', async () => {
    const list = Array.from({ length: 110 }, (_, at) => `We keep k${at}. `).join('');
    await say('tea', 'Our kettle is from 1962.');
    for (let turn = 0; turn < 4; turn += 1)
      await say('tea', ...Array.from({ length: 15 }, (_, at) => `${turn} ${at}. ${list}`));
    await say('tea', 'Our teapot is from Delft.');
    const { text } = await start({ maxTokens: 100_000 });
    expect(text).toContain('Our teapot is from Delft');
    expect(text).not.toContain('1962');
  });

  describe('after a correction', () => {
    test.each([
      ['Our API listens on port 4000.', 'Actually the API listens on port 4100.'],
      ['The deadline is 1 March.', 'The deadline slipped to 15 March.'],
      ['My manager is Henrik.', 'Henrik left the company.'],
      ['We use Node 18.', 'Node 20 from now on, not 18.'],
      ['Our CI is Jenkins.', 'I misspoke, our CI is Buildkite.'],
      ['Petra is our designer.', 'Petra quit last week.'],
    ])('lists in the place of %j what corrects it: %j', async (older, newer) => {
      await say('tea', older, 'Our kettle is from 1962.');
      await say('tea', newer);
      const { text } = await start();
      expect(text).toContain(newer);
      expect(text).toContain('1962');
      expect(text).not.toContain(older);
    });

    test.each([
      ['We use RabbitMQ for the queue.', 'No, I meant NATS, not RabbitMQ.'],
      ['We deploy to AWS.', 'Correction: GCP, not AWS.'],
      ['Usamos Jenkins para el despliegue.', 'No, quise decir GitLab CI, no Jenkins.'],
      ['Usiamo Jenkins per il deploy.', 'No, volevo dire GitLab CI, non Jenkins.'],
      ['Wir nutzen Jenkins für die Builds.', 'Nein, ich meinte GitLab CI, nicht Jenkins.'],
    ])('lists %j only with the values that correct it: %j', async (older, newer) => {
      await say('tea', older, newer);
      expect((await start()).text).toContain(`${older} ${newer}`);
    });

    test.each([
      ['We use RabbitMQ for the queue.', 'No, leave the queue as it is.'],
      ['We use RabbitMQ for the queue.', 'No, I meant the RabbitMQ test, not the unit test.'],
      ['Our link shortener runs on Vercel.', 'Correction: the button, not the link.'],
      ['We deploy to AWS.', "No, don't deploy yet."],
      ['My manager is Henrik.', 'Henrik left a comment on the branch.'],
      ['Our API listens on port 4000.', 'Actually the API returns 500.'],
    ])('holds %j after another answer: %j', async (older, other) => {
      await say('tea', older, other);
      expect(linesOf(await start())).toEqual(['Of this project, oldest first:', `[1] ${older}`]);
    });
  });

  describe('of what was said with a time', () => {
    const DAY_MS = 24 * 3600 * 1000;

    test('says the day on which a relative day was said, in any language', async () => {
      await say('tea', 'My sister is visiting tomorrow.', 'Ich bin nächste Woche in Graz.', 'Our kettle is from 1962.');
      const day = new Date(daemon.clock.nowMs()).toISOString().slice(0, 10);
      const { text } = await start();
      expect(text).toContain(`My sister is visiting tomorrow. (said ${day})`);
      expect(text).toContain(`Ich bin nächste Woche in Graz. (said ${day})`);
      expect(text).toMatch(/Our kettle is from 1962\.(?! \(said)/);
    });

    test('leaves out plans that have passed, and keeps what recurs, lasts or has changed', async () => {
      const plans = [
        "I'm on vacation next week, so no deploys.",
        'My sister is visiting tomorrow.',
        'I have a dentist appointment tomorrow at 10.',
      ];
      const others = [
        'We never deploy on Fridays.',
        'I moved to Graz last week.',
        'Our new rule is to squash from tomorrow on.',
      ];
      await say('tea', ...plans, ...others);
      const before = (await start()).text;
      for (const text of [...plans, ...others]) expect(before).toContain(text);
      daemon.clock.advance(30 * DAY_MS);
      const { text } = await start();
      for (const plan of plans) expect(text).not.toContain(plan);
      for (const other of others) expect(text).toContain(other);
    });
  });

  describe('in the line of a session', () => {
    const sessionsIn = (answer: ContextAnswer) => answer.text.split('Latest sessions:\n')[1] ?? '';

    async function session(...turns: [user: string, assistant: string][]) {
      const { id } = await chat.begin({ project: 'tea' });
      const messages = turns.flatMap(([user, assistant]) => [
        { role: 'user', content: user },
        { role: 'assistant', content: assistant },
      ]);
      const said = await chat.append(id, messages);
      await chat.cut(id);
      return { id, messages: said };
    }

    test('leaves out what came of a memory that was forgotten, also as the assistant repeated it', async () => {
      const { id, messages } = await session(
        ['My sister Clara lives in Ghent.', 'Noted: your sister Clara lives in Ghent.'],
        ['Add a retry to the uploader module.', 'The uploader module retries three times with a delay.'],
      );
      const source = { conversationId: id, messageId: messages[0]!.id };
      const memory = await caller.add('Clara, the sister, lives in Ghent', { source });
      expect(sessionsIn(await start())).toContain('Clara');
      await caller.call(`/v1/memories/${memory.id}`, { method: 'DELETE' });
      const { text } = await start();
      expect(text).not.toMatch(/Clara|Ghent|sister/i);
      expect(text).toContain('uploader');
    });

    test('leaves out what a later session replaced, and the line if nothing else was said', async () => {
      await session(['We use RabbitMQ for the queue.', 'RabbitMQ it is, then, for the queue.']);
      expect(sessionsIn(await start())).toContain('RabbitMQ');
      await session(['We migrated from RabbitMQ to NATS.', 'Understood, NATS instead of RabbitMQ.']);
      const sessions = sessionsIn(await start());
      expect(sessions.split('\n')).toHaveLength(1);
      expect(sessions).toContain('NATS');
      expect(sessions).not.toContain('for the queue');
    });

    test('leaves out a line of which only words of the assistant would be left', async () => {
      await session(['I drive a Skoda.', 'Done. Anything else?']);
      await session(['I sold the Skoda.', 'Done. Anything else?']);
      const sessions = sessionsIn(await start());
      expect(sessions.split('\n')).toHaveLength(1);
      expect(sessions).toContain('sold');
    });

    test('leaves out the value that the same session corrected', async () => {
      await session(
        ['Our staging database runs on PostgreSQL 15.', 'The staging database runs on PostgreSQL 15, fine.'],
        ['Our staging database runs on PostgreSQL 16.', 'The deploy script needs another base image.'],
      );
      const { text } = await start();
      expect(text).toContain('PostgreSQL 16');
      expect(text).toContain('base image');
      expect(text).not.toContain('PostgreSQL 15');
    });

    test('keeps what still holds, and what was done', async () => {
      await session(
        ['We use RabbitMQ for the queue.', 'I configured the exchange with durable messages.'],
        ['Our linter is Biome with tabs.', 'The linter passes on all forty files.'],
      );
      await say('tea', 'We use Redis for the cache.', 'My sister Clara lives in Ghent.');
      const sessions = sessionsIn(await start());
      expect(sessions).toContain('linter');
      expect(sessions).toMatch(/RabbitMQ|exchange/);
    });
  });

  test('counts as one query', async () => {
    const used = async () =>
      (await caller.call<{ quotas: { monthlyQueries: { used: number } } }>('/v1/account')).body.quotas.monthlyQueries
        .used;
    const before = await used();
    await start();
    expect(await used()).toBe(before + 1);
  });

  test('is given by memory_context too', async () => {
    await caller.add('Our kettle is from 1962', { project: 'tea' });
    const body = {
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
      params: { name: 'memory_context', arguments: { query: 'tea', project: 'tea', purpose: 'session_start' } },
    };
    const headers = { accept: 'application/json, text/event-stream' };
    expect((await caller.call('/v1/mcp', { body, headers })).text).toContain('Our kettle is from 1962');
  });
});
