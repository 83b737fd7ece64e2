import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ContextAnswer, SearchResult } from '../../../src/contract/search.ts';
import { converse, say } from '../extraction/extraction-daemon.ts';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';

/** What a person said, and a memory that comes from it and was superseded since. */
const SAID = 'The production database is Postgres 14 and hums along.';
const OLDER = 'Production runs on Postgres 14.';
const NEWER = 'Every cluster of the database in production says 17 now.';
const QUESTION = 'which Postgres database is production on?';

let daemon: MemoryDaemon;
let caller: Caller;
let messageId: string;
let newerId: string;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
afterAll(() => daemon.close());
beforeEach(async () => {
  caller = await daemon.account();
  const conversationId = await converse(caller, ['Hello there']);
  [messageId] = (await say(caller, conversationId, [SAID])) as [string];
  const { id } = await caller.add(OLDER, { source: { conversationId, messageId } });
  daemon.clock.advance(60_000);
  newerId = (await caller.add(NEWER, { supersedes: id })).id;
});

const context = async (more: object) =>
  (await caller.call<ContextAnswer>('/v1/context', { body: { query: QUESTION, ...more } })).body;
const results = async (more = {}): Promise<SearchResult[]> => (await caller.search(QUESTION, more)).body.results;
const message = async (more = {}) => (await results(more)).find(({ id }) => id === messageId)!;

describe('a message whose memory was superseded', () => {
  test('comes after what took its place, and names it', async () => {
    const ids = (await results()).map(({ id }) => id);
    expect(ids.indexOf(newerId)).toBeLessThan(ids.indexOf(messageId));
    expect(await message()).toMatchObject({ type: 'message', restatedBy: newerId });
    const [first] = await results();
    expect(first).toMatchObject({ type: 'memory', content: NEWER });
  });

  test('names the last of several that took its place, one after the other', async () => {
    daemon.clock.advance(60_000);
    const { id: last } = await caller.add('All of production runs version 18 of the Postgres database.', {
      supersedes: newerId,
    });
    expect(await message()).toMatchObject({ restatedBy: last });
    const ids = (await results()).map(({ id }) => id);
    expect(ids.indexOf(last)).toBeLessThan(ids.indexOf(messageId));
  });

  test('names a successor that is outdated itself, which is not found in its stead', async () => {
    await caller.change(newerId, { validTo: new Date(daemon.clock.nowMs()).toISOString() });
    expect(await message()).toMatchObject({ restatedBy: newerId });
    expect((await results()).map(({ id }) => id)).not.toContain(newerId);
  });

  test('does not hold again once that successor is deleted', async () => {
    await caller.erase(newerId);
    expect(await message()).toHaveProperty('restatedBy');
    const start = await context({ purpose: 'session_start', query: 'README.md' });
    expect(start.text).not.toContain('Postgres 14');
  });

  test('is marked as older in a context, added to no prompt, and left out of the start of a session', async () => {
    expect((await context({})).text).toMatch(/\(\S+, older\) .*The production database is Postgres 14/);
    expect((await context({ purpose: 'prompt' })).text).not.toContain('Postgres 14');
    const start = await context({ purpose: 'session_start', query: 'README.md' });
    expect(start.text).toContain(NEWER);
    expect(start.text).not.toContain('Postgres 14');
  });

  test('is found as it was for who asks for the past, for versions, or for messages alone', async () => {
    for (const more of [{ includeSuperseded: true }, { types: ['message'] }]) {
      expect(await message(more)).not.toHaveProperty('restatedBy');
    }
    const past = await caller.search('which Postgres database did production use before?');
    expect(past.body.results.find(({ id }) => id === messageId)).not.toHaveProperty('restatedBy');
    expect((await results({ types: ['message'] })).every(({ type }) => type === 'message')).toBe(true);
  });

  test('counts as before while another memory of it holds', async () => {
    const { source } = (await caller.call<{ data: { source: object }[] }>('/v1/memories?includeSuperseded=true')).body
      .data[1]!;
    await caller.add('The user likes quiet servers.', { source });
    expect(await message()).not.toHaveProperty('restatedBy');
  });

  test('counts as before once the newer memory is gone', async () => {
    await caller.erase(newerId);
    expect((await results()).map(({ id }) => id)).toContain(messageId);
    expect((await results()).map(({ content }) => content)).not.toContain(NEWER);
  });
});

describe('a message whose memory', () => {
  let extractedId: string;
  let saidId: string;

  beforeEach(async () => {
    caller = await daemon.account();
    const conversationId = await converse(caller, ['Hello there']);
    [saidId] = (await say(caller, conversationId, [SAID])) as [string];
    const source = { conversationId, messageId: saidId };
    extractedId = (await caller.add(OLDER, { source, origin: 'extraction' })).id;
    daemon.clock.advance(60_000);
  });

  const said = async () => (await results()).find(({ id }) => id === saidId);

  test.each([
    ['a person', { origin: 'person' }],
    ['an assistant', { origin: 'assistant' }],
    ['a program that does not say who', {}],
  ])('was corrected by %s names the memory, comes after it and is added to no prompt', async (_, by) => {
    await caller.change(extractedId, { content: 'Production runs on Postgres 17.', ...by });
    expect(await said()).toMatchObject({ restatedBy: extractedId });
    expect((await results())[0]).toMatchObject({ id: extractedId, content: 'Production runs on Postgres 17.' });
    const prompt = await context({ purpose: 'prompt' });
    expect(prompt.text).toContain('Postgres 17');
    expect(prompt.text).not.toContain('Postgres 14');
    const start = await context({ purpose: 'session_start', query: 'README.md' });
    expect(start.text).not.toContain('Postgres 14');
  });

  test('was marked as outdated is added to no prompt and no start of a session, until the memory is current again', async () => {
    const isHandedOver = async () =>
      [
        (await context({ purpose: 'prompt' })).text,
        (await context({ purpose: 'session_start', query: 'README.md' })).text,
      ].map((text) => text.includes('The production database is Postgres 14'));
    await caller.change(extractedId, { validTo: new Date(daemon.clock.nowMs()).toISOString() });
    expect(await said()).toMatchObject({ restatedBy: extractedId });
    expect((await results()).map(({ id }) => id)).not.toContain(extractedId);
    expect(await isHandedOver()).toEqual([false, false]);
    await caller.change(extractedId, { validTo: null });
    expect(await said()).not.toHaveProperty('restatedBy');
    expect(await isHandedOver()).toContain(true);
  });

  test.each([
    ['was deleted', async () => void (await caller.erase(extractedId))],
    [
      'has expired',
      async () => {
        await caller.change(extractedId, { expiresAt: new Date(daemon.clock.nowMs() + 1000).toISOString() });
        daemon.clock.advance(2000);
        await daemon.memories.sweep();
      },
    ],
  ])('%s is found as older, and added to no prompt and no start of a session', async (_, forget) => {
    await forget();
    expect(await said()).toMatchObject({ restatedBy: extractedId });
    for (const purpose of ['prompt', 'session_start']) {
      expect((await context({ purpose })).text).not.toContain('Postgres 14');
    }
    const again = await caller.add(OLDER);
    expect(await said()).toMatchObject({ restatedBy: extractedId });
    expect((await context({ purpose: 'prompt' })).citations).toMatchObject([{ id: again.id }]);
  });

  test('was deleted is forgotten with the message, or with its conversation', async () => {
    const left = async () => {
      const { count } = (await daemon.db.readers
        .of(caller.tenantId)
        .get<{ count: number }>('SELECT COUNT(*) AS count FROM memorySources WHERE tenantId = ?', [caller.tenantId]))!;
      return Number(count);
    };
    const { conversationId } = (await said()) as Extract<SearchResult, { type: 'message' }>;
    const [other] = (await say(caller, conversationId, ['The staging database is Postgres 15.'])) as [string];
    const second = await caller.add('Staging is on Postgres 15.', { source: { conversationId, messageId: other } });
    const elsewhere = await caller.add('Tea is at four.', { source: { conversationId: 'own_1', messageId: 'own_2' } });
    expect(await left()).toBe(6);
    await caller.erase(elsewhere.id);
    expect(await left()).toBe(4);
    await caller.erase(second.id);
    await caller.erase(extractedId);
    expect(await left()).toBe(4);
    await caller.call(`/v1/conversations/${conversationId}/messages/${other}`, { method: 'DELETE' });
    expect(await left()).toBe(2);
    await caller.call(`/v1/conversations/${conversationId}`, { method: 'DELETE' });
    expect(await left()).toBe(0);
  });

  test.each([
    ['got other tags', { addTags: ['databases'] }],
    [
      'was extended by a later extraction',
      { content: 'Production runs on Postgres 14, as of May.', origin: 'extraction' },
    ],
  ])('%s counts as before', async (_, change) => {
    await caller.change(extractedId, change);
    expect(await said()).not.toHaveProperty('restatedBy');
  });

  test('a person wrote counts as before when the person words it anew', async () => {
    const conversationId = await converse(caller, ['Hello again']);
    const [id] = (await say(caller, conversationId, ['The staging database is Postgres 15.'])) as [string];
    const own = await caller.add('Staging is on Postgres 15.', {
      source: { conversationId, messageId: id },
      origin: 'person',
    });
    await caller.change(own.id, { content: 'Staging runs Postgres 15.', origin: 'person' });
    const found = (await caller.search('which Postgres database is staging on?')).body.results;
    expect(found.find((result) => result.id === id)).not.toHaveProperty('restatedBy');
  });
});
