import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Memory } from '../../../src/contract/memories.ts';
import type { SearchResult } from '../../../src/contract/search.ts';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { newSuggesting } from '../suggestions/suggestion-daemon.ts';

/** Of two statements about the same, the one that was said last holds. */

let daemon: MemoryDaemon;
let caller: Caller;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
beforeEach(async () => {
  caller = await daemon.account();
});
afterAll(() => daemon.close());

/** Adds a memory a minute after what was done before. */
async function say(content: string, more: Record<string, unknown> = {}) {
  daemon.clock.advance(60_000);
  return caller.add(content, more);
}

/** What a search answers first, and what a prompt gets. */
async function answersTo(query: string) {
  const { body } = await caller.call<{ results: SearchResult[] }>('/v1/search', { body: { query } });
  const prompt = { query, purpose: 'prompt' };
  const context = await caller.call<{ text: string }>('/v1/context', { body: prompt });
  const restated = body.results.filter(({ restatedBy }) => restatedBy !== undefined);
  return {
    first: (body.results[0] as { content: string }).content,
    restated: restated.map((result) => (result as { content: string }).content),
    prompt: context.body.text,
  };
}

test('a statement of the past does not take the place of what holds since, though it was stored later', async () => {
  await say('Ada lives in Graz');
  await say('Ada moved to Linz', { occurredAt: '2019-01-01T00:00:00Z' });
  const { restated, prompt } = await answersTo('where does Ada live');
  expect(restated).not.toContain('Ada lives in Graz');
  expect(prompt).toContain('Graz');
});

describe('a memory that is corrected', () => {
  const change = async (id: string, body: object) => {
    daemon.clock.advance(60_000);
    expect((await caller.call(`/v1/memories/${id}`, { method: 'PATCH', body })).status).toBe(200);
  };

  test('was said when it was corrected, and one that is pinned or labeled was not', async () => {
    const first = await say('My doctor is Dr. Huber');
    const second = await say('My doctor is Dr. Maier');
    await change(first.id, { pinned: true, addTags: ['health'] });
    expect(await answersTo('who is my doctor')).toMatchObject({
      first: second.content,
      restated: [first.content],
      prompt: expect.stringContaining('Maier'),
    });
    await change(first.id, { content: 'My doctor is Dr. Novak' });
    const answers = await answersTo('who is my doctor');
    expect(answers).toMatchObject({ first: 'My doctor is Dr. Novak', restated: [second.content] });
    expect(answers.prompt).toContain('Novak');
    expect(answers.prompt).not.toContain('Maier');
  });

  test('was said at the time that its correction gives', async () => {
    const first = await say('My doctor is Dr. Huber');
    const second = await say('My doctor is Dr. Maier');
    await change(first.id, { content: 'My doctor is Dr. Novak', occurredAt: '2019-01-01T00:00:00Z' });
    expect((await caller.read(first.id)).body).toMatchObject({ saidAt: null });
    expect(await answersTo('who is my doctor')).toMatchObject({ first: second.content });
  });

  test('was said again by the other program that keeps it', async () => {
    const put = (content: string) => caller.call(`/v1/memories/external/doctor`, { method: 'PUT', body: { content } });
    await put('My doctor is Dr. Huber');
    await say('My doctor is Dr. Maier');
    daemon.clock.advance(60_000);
    await put('My doctor is Dr. Novak');
    expect(await answersTo('who is my doctor')).toMatchObject({ first: 'My doctor is Dr. Novak' });
  });

  test('keeps that time in an export', async () => {
    const first = await say('My doctor is Dr. Huber');
    await say('My doctor is Dr. Maier');
    await change(first.id, { content: 'My doctor is Dr. Novak' });
    const { saidAt } = (await caller.read(first.id)).body as { saidAt: string };
    expect(Date.parse(saidAt)).toBeGreaterThan(Date.parse(first.createdAt));
    const file = (await caller.call('/v1/export')).text;
    const other = await daemon.account();
    const headers = { 'content-type': 'application/x-ndjson' };
    expect((await other.call('/v1/import', { method: 'POST', body: file, headers })).status).toBe(200);
    expect((await other.read(first.id)).body).toMatchObject({ saidAt, version: 2 });
  });
});

describe('a suggestion', () => {
  test('that is accepted unchanged does not count as said: what was said since stays newer', async () => {
    const suggesting = await newSuggesting(daemon);
    const said = [];
    for (const content of ['I live in Linz', 'I moved to Graz', 'I live in Vienna']) {
      daemon.clock.advance(60_000);
      said.push(await suggesting.add(content));
    }
    const memoryIds = said.slice(0, 2).map(({ id }) => id);
    const content = 'I moved to Graz (before: I live in Linz)';
    const { id } = await suggesting.suggest({ kind: 'supersede', memoryIds, content, reason: 'A move' });
    daemon.clock.advance(60_000);
    await suggesting.decide(id, 'accept');
    expect((await suggesting.read(said[1]!.id)).body).toMatchObject({ content, saidAt: null });
  });

  test('that is undone leaves a memory that was stored again since the newer one', async () => {
    const suggesting = await newSuggesting(daemon);
    daemon.clock.advance(60_000);
    const [one, other] = [await suggesting.add('The port is 8080'), await suggesting.add('8080 is the port')];
    const memoryIds = [one.id, other.id];
    const { id } = await suggesting.suggest({ kind: 'merge', memoryIds, content: 'The port is 8080, that is it' });
    await suggesting.decide(id, 'accept');
    daemon.clock.advance(60_000);
    expect(await suggesting.add('The port is 8080, that is it')).toMatchObject({ duplicate: true });
    const { saidAt } = (await suggesting.read(one.id)).body;
    await suggesting.decide(id, 'undo');
    expect((await suggesting.read(one.id)).body).toMatchObject({ content: 'The port is 8080', saidAt });
  });
});

describe('a memory that is stored again', () => {
  test('holds again, and is the same version', async () => {
    const early = await say('The standup is at 9:30');
    const late = await say('The standup is at 10:00');
    expect(await answersTo('when is the standup')).toMatchObject({ first: late.content, restated: [early.content] });
    const again = await say('The standup is at 9:30');
    expect(again).toMatchObject({ id: early.id, duplicate: true, version: 1 });
    const { saidAt } = (await caller.read(early.id)).body;
    expect(Date.parse(saidAt!)).toBeGreaterThan(Date.parse(late.createdAt));
    const answers = await answersTo('when is the standup');
    expect(answers).toMatchObject({ first: early.content, restated: [late.content] });
    expect(answers.prompt).not.toContain('10:00');
    expect((await caller.history(early.id)).body.data).toHaveLength(1);
  });

  test('is superseded by no open suggestion that says so, and what is said again of the newer one changes nothing', async () => {
    const suggesting = await newSuggesting(daemon);
    daemon.clock.advance(60_000);
    const [older, newer] = [await suggesting.add('Lunch is soup'), await suggesting.add('The canteen serves stew')];
    await suggesting.suggest({ kind: 'supersede', memoryIds: [older.id, newer.id], reason: 'Another dish' });
    await suggesting.suggest({ kind: 'merge', memoryIds: [older.id, newer.id] });
    const kinds = async () => (await suggesting.suggestions()).map(({ kind }) => kind).sort();
    daemon.clock.advance(60_000);
    expect(await suggesting.add('The canteen serves stew')).toMatchObject({ duplicate: true });
    expect(await kinds()).toEqual(['merge', 'supersede']);
    daemon.clock.advance(60_000);
    expect(await suggesting.add('Lunch is soup')).toMatchObject({ duplicate: true });
    expect(await kinds()).toEqual(['merge']);
  });

  test('was not said later by what was said before, and keeps what is added to it', async () => {
    const early = await say('The standup is at 9:30', { tags: ['team'] });
    const occurredAt = '2019-01-01T00:00:00Z';
    expect(await say('The standup is at 9:30', { occurredAt })).toMatchObject({ saidAt: null });
    expect(await say('The standup is at 9:30', { tags: ['daily'] })).toMatchObject({
      ...{ id: early.id, tags: ['team', 'daily'], version: 2 },
      saidAt: expect.any(String),
    });
  });

  test('by a file that is imported again is as old as before', async () => {
    const headers = { 'content-type': 'application/x-ndjson' };
    const importFile = () =>
      caller.call('/v1/import?format=lines', { method: 'POST', body: 'The standup is at 9:30\n', headers });
    await importFile();
    const late = await say('The standup is at 10:00');
    daemon.clock.advance(60_000);
    expect((await importFile()).body).toMatchObject({ known: { memories: 1 } });
    expect(await answersTo('when is the standup')).toMatchObject({ first: late.content });
  });

  test('in one request, each from its time, holds by the last of them', async () => {
    const memories = [
      ['The port is 8080', '2019-01-01T00:00:00.000Z'],
      ['The port is 9090', '2020-01-01T00:00:00.000Z'],
      ['The port is 8080', '2021-01-01T00:00:00.000Z'],
    ].map(([content, occurredAt]) => ({ content, occurredAt }));
    expect((await caller.call('/v1/memories/batch', { body: { memories } })).status).toBe(201);
    expect(await answersTo('which port is it')).toMatchObject({ first: 'The port is 8080' });
  });

  test('at once with its first time, holds by the later one', async () => {
    const content = 'The port is 8080';
    const times = ['2019-01-01T00:00:00.000Z', '2021-01-01T00:00:00.000Z'];
    await Promise.all(times.map((occurredAt) => caller.add(content, { occurredAt })));
    const [memory] = (await caller.call<{ data: Memory[] }>('/v1/memories')).body.data;
    expect([memory!.occurredAt, memory!.saidAt]).toContain(times[1]);
  });

  test('several times in one request, with more each time, keeps all of it', async () => {
    const { id } = await say('The standup is at 9:30');
    daemon.clock.advance(60_000);
    const memories = [{}, { tags: ['team'] }, { tags: ['daily'] }].map((more) => ({
      ...{ content: 'The standup is at 9:30', ...more },
    }));
    expect((await caller.call('/v1/memories/batch', { body: { memories } })).status).toBe(201);
    expect((await caller.read(id)).body).toMatchObject({
      tags: ['team', 'daily'],
      saidAt: expect.any(String),
    });
  });
});
