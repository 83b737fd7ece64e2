import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { LearnedWord } from '../../../src/contract/learned-words.ts';
import type { FeedbackResult, Retrieval } from '../../../src/contract/learning.ts';
import type { MemoryUses, StoredSearch } from '../../../src/contract/searches.ts';
import { onPostgres } from '../../helpers/postgres/folder-databases.ts';
import { openBrowser } from '../connections/browser.ts';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';

let daemon: MemoryDaemon;
let caller: Caller;
let ids: string[];

beforeAll(async () => {
  daemon = await startMemoryDaemon();
  daemon.clock.freeze();
});
beforeEach(async () => {
  caller = await daemon.account();
  const memories = await caller.addAll([1, 2, 3, 4, 5, 6].map((day) => ({ content: `plum of day ${day}` })));
  ids = memories.map(({ id }) => id);
});
afterAll(() => daemon.close());

async function search(more = {}): Promise<string> {
  const { searchId } = (await caller.search('plum', more)).body;
  await daemon.learning.flush();
  return searchId;
}

/** What was learned, after pending uses were written. */
async function events(): Promise<number> {
  // There, what a search showed is read from the database first.
  if (onPostgres) await new Promise((resolve) => setTimeout(resolve, 500));
  await daemon.db.writes.write('daemon', async () => {});
  return (await caller.call<Retrieval>('/v1/retrieval')).body.events;
}

async function callTool(name: string, args: Record<string, unknown>): Promise<void> {
  const client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${caller.apiKey}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${daemon.baseUrl}/v1/mcp`), { requestInit }));
  expect((await client.callTool({ name, arguments: args })).isError).toBeUndefined();
  await client.close();
}

describe('a result counts as used', () => {
  test.each<[string, (id: string) => Promise<unknown>]>([
    ['reading it', (id) => caller.read(id)],
    ['changing it', (id) => caller.change(id, { tags: ['seen'] })],
    ['the tool memory_get', (id) => callTool('memory_get', { id })],
    ['the tool memory_update', (id) => callTool('memory_update', { id, tags: ['seen'] })],
  ])('by %s after a search that showed it, and not otherwise', async (_, use) => {
    await use(ids[0]!);
    expect(await events()).toBe(0);
    await search();
    await use(ids[0]!);
    expect(await events()).toBe(1);
  });

  test('once per search', async () => {
    await search();
    for (let round = 0; round < 3; round += 1) await caller.read(ids[2]!);
    expect(await events()).toBe(1);
    await search();
    await caller.read(ids[2]!);
    expect(await events()).toBe(2);
  });

  test('for ten minutes', async () => {
    await search();
    daemon.clock.advance(601_000);
    await caller.read(ids[0]!);
    expect(await events()).toBe(0);
    await search();
    daemon.clock.advance(599_000);
    await caller.read(ids[0]!);
    expect(await events()).toBe(1);
  });

  test('only if it was shown', async () => {
    await search({ limit: 1 });
    await caller.read(ids[0]!);
    expect(await events()).toBe(0);
    await caller.read(ids[5]!);
    expect(await events()).toBe(1);
  });

  test('for up to three results per search', async () => {
    await search();
    for (const id of ids) await caller.read(id);
    expect(await events()).toBe(3);
  });

  test('until explicit feedback is given, which still counts', async () => {
    const searchId = await search();
    await caller.read(ids[0]!);
    expect(await events()).toBe(1);
    const told = await caller.call(`/v1/searches/${searchId}/feedback`, { body: { used: [ids[0], ids[1]] } });
    expect(told.body).toEqual({ learned: true, events: 2 });
    await caller.read(ids[2]!);
    expect(await events()).toBe(2);
  });

  test('but not if reading it failed', async () => {
    await search();
    await caller.change(ids[0]!, { content: 'changed' }, { 'if-match': '"9-9"' });
    expect(await events()).toBe(0);
    await caller.erase(ids[1]!);
    expect((await caller.read(ids[1]!)).status).toBe(404);
    expect(await events()).toBe(0);
    await caller.read(ids[0]!);
    expect(await events()).toBe(1);
  });

  test('but not after a search by a person in the web app', async () => {
    const browser = await openBrowser(daemon, { apiKey: caller.apiKey });
    expect((await browser.call('/v1/search', { body: { query: 'plum' } })).status).toBe(200);
    await daemon.learning.flush();
    await caller.read(ids[0]!);
    expect(await events()).toBe(0);
    await search();
    await caller.read(ids[0]!);
    expect(await events()).toBe(1);
  });

  test('but not by a person who looks through memories in the web app', async () => {
    const browser = await openBrowser(daemon, { apiKey: caller.apiKey });
    await search();
    expect((await browser.call(`/v1/memories/${ids[0]}`)).status).toBe(200);
    const body = { tags: ['seen'] };
    expect((await browser.call(`/v1/memories/${ids[0]}`, { method: 'PATCH', body })).status).toBe(200);
    expect(await events()).toBe(0);
    await caller.read(ids[0]!);
    expect(await events()).toBe(1);
  });
});

describe('explicit feedback on a search with an inferred use', () => {
  let searchId: string;
  beforeEach(async () => {
    searchId = await search();
    await caller.read(ids[0]!);
    expect(await events()).toBe(1);
    expect(await resultOf(ids[0]!)).toMatchObject({ used: true, irrelevant: false });
  });

  const tell = async (body: object) =>
    (await caller.call<FeedbackResult>(`/v1/searches/${searchId}/feedback`, { body })).body;
  const resultOf = async (id: string) =>
    (await caller.call<StoredSearch>(`/v1/searches/${searchId}`)).body.results.find((result) => result.id === id);
  const wordOf = async (id: string) =>
    (await caller.call<{ data: LearnedWord[] }>(`/v1/retrieval/words?itemId=${id}`)).body.data[0];

  test('marks that result as irrelevant, fades its words, and is the last on the search', async () => {
    expect(await wordOf(ids[0]!)).toMatchObject({ word: 'plum', strength: 0.5 });
    expect(await tell({ irrelevant: [ids[0]] })).toEqual({ learned: true, events: 2 });
    expect(await resultOf(ids[0]!)).toMatchObject({ used: false, irrelevant: true });
    expect((await wordOf(ids[0]!))!.strength).toBeCloseTo(0.1);
    expect(await tell({ used: [ids[1]] })).toEqual({ learned: false, events: 2 });
    await caller.read(ids[2]!);
    expect(await events()).toBe(2);
  });

  test('marks that result as irrelevant beside one that was used', async () => {
    expect(await tell({ used: [ids[1]], irrelevant: [ids[0]] })).toEqual({ learned: true, events: 2 });
    expect(await resultOf(ids[0]!)).toMatchObject({ used: false, irrelevant: true });
    expect(await resultOf(ids[1]!)).toMatchObject({ used: true, irrelevant: false });
    expect((await wordOf(ids[0]!))!.strength).toBeCloseTo(0.1);
    expect(await wordOf(ids[1]!)).toMatchObject({ uses: 1, strength: 1 });
  });

  test('counts that result as reported, but only once as used', async () => {
    const { signals } = (await caller.call<Retrieval>('/v1/retrieval')).body;
    expect(await tell({ used: [ids[0]] })).toEqual({ learned: true, events: 2 });
    expect(await resultOf(ids[0]!)).toMatchObject({ used: true, irrelevant: false });
    expect(await wordOf(ids[0]!)).toMatchObject({ uses: 1, observedUses: 1, strength: 1.5 });
    expect((await caller.call<Retrieval>('/v1/retrieval')).body.signals).toEqual(signals);
    const { data } = (await caller.call<MemoryUses>(`/v1/memories/uses?id=${ids[0]}`)).body;
    expect(data).toMatchObject([{ used: 1 }]);
    expect(await tell({ irrelevant: [ids[0]] })).toEqual({ learned: false, events: 2 });
  });
});
