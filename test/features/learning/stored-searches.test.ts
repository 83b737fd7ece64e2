import { setTimeout } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SearchAnswer } from '../../../src/contract/search.ts';
import { MAX_STORED_QUERY, type MemoryUse, type StoredSearch } from '../../../src/contract/searches.ts';
import { WEB_APP_CLIENT } from '../../../src/contract/web-app-client.ts';
import { openBrowser } from '../connections/browser.ts';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';

let daemon: MemoryDaemon;
let caller: Caller;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
afterAll(() => daemon.close());

interface Page {
  data: StoredSearch[];
  nextCursor: string | null;
}

async function accountWith(...contents: string[]): Promise<string[]> {
  caller = await daemon.account();
  return (await caller.addAll(contents.map((content) => ({ content })))).map(({ id }) => id);
}

const listed = async (query = '') => (await caller.call<Page>(`/v1/searches${query}`)).body;
const read = (id: string) => caller.call<StoredSearch>(`/v1/searches/${id}`);
const useOf = async (id: string) => (await caller.call<MemoryUse>(`/v1/memories/${id}/use`)).body;
const tell = (searchId: string, body: object) => caller.call(`/v1/searches/${searchId}/feedback`, { body });
const tokenOf = (letter: string) => `ghp_${`${letter}B3dE6gH9jK2mN5pQ8sT1vW4yZ7`.padEnd(36, 'x7Q')}`;

describe('a stored search', () => {
  test('names what was asked, what was shown and what helped', async () => {
    const [first, second] = await accountWith('plum jam', 'plum cake', 'apple pie');
    const { searchId, results } = (await caller.search('plum', { project: 'kitchen', types: ['memory'] })).body;
    const shown = results.map(({ id }, index) => ({
      ...{ type: 'memory', id, rank: index + 1, used: false, irrelevant: false },
    }));
    expect(shown.map(({ id }) => id).sort()).toEqual([first, second].sort());
    const stored = {
      ...{ id: searchId, query: 'plum', user: 'default', project: 'kitchen', bucket: 'short', types: ['memory'] },
      client: 'node',
      ...{ results: shown, learned: false, createdAt: expect.any(String) },
    };
    expect((await read(searchId)).body).toEqual(stored);
    expect(await listed()).toEqual({ data: [stored], nextCursor: null });
    await tell(searchId, { used: [shown[1]!.id], irrelevant: [shown[0]!.id] });
    const told = [
      { ...shown[0], irrelevant: true },
      { ...shown[1], used: true },
    ];
    expect((await read(searchId)).body).toEqual({ ...stored, results: told, learned: true });
  });

  test('names the MCP client that ran it', async () => {
    await accountWith('plum jam');
    const client = new Client({ name: 'test-assistant', version: '2' });
    const requestInit = { headers: { authorization: `Bearer ${caller.apiKey}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${daemon.baseUrl}/v1/mcp`), { requestInit }));
    await client.callTool({ name: 'memory_search', arguments: { query: 'plum' } });
    await client.close();
    expect((await listed()).data).toMatchObject([{ query: 'plum', client: 'test-assistant/2' }]);
  });

  test('includes contexts, with all types by default', async () => {
    await accountWith('plum jam');
    const { body } = await caller.call<{ searchId: string }>('/v1/context', { body: { query: 'plum', user: 'ada' } });
    expect((await listed()).data).toMatchObject([
      { id: body.searchId, user: 'ada', project: null, types: ['memory', 'message', 'episode'], results: [] },
    ]);
  });

  test('is listed newest first, page by page, of all users or of one', async () => {
    await accountWith('plum');
    const asked: string[] = [];
    for (let index = 0; index < 7; index += 1) {
      const user = index % 2 === 0 ? 'ada' : 'default';
      asked.unshift((await caller.search(`plum ${index}`, { user })).body.searchId);
    }
    const walk = async (query: string) => {
      const found: StoredSearch[] = [];
      let page = await listed(`?limit=2${query}`);
      for (; page.nextCursor !== null; page = await listed(`?limit=2${query}&cursor=${page.nextCursor}`)) {
        found.push(...page.data);
      }
      return [...found, ...page.data];
    };
    expect((await walk('')).map(({ id }) => id)).toEqual(asked);
    const ofAda = await walk('&user=ada');
    expect(ofAda.map(({ query }) => query)).toEqual(['plum 6', 'plum 4', 'plum 2', 'plum 0']);
    const { nextCursor } = await listed('?limit=2&user=ada');
    expect((await caller.call(`/v1/searches?limit=2&cursor=${nextCursor}`)).status).toBe(400);
    expect((await listed('?user=nobody')).data).toEqual([]);
  });

  test('is found for 24 hours', async () => {
    await accountWith('plum');
    const { searchId } = (await caller.search('plum')).body;
    daemon.clock.advance(24 * 3_600_000 - 5000);
    expect((await read(searchId)).status).toBe(200);
    daemon.clock.advance(10_000);
    expect((await read(searchId)).status).toBe(404);
    expect((await listed()).data).toEqual([]);
  });

  test('keeps the first characters of a long query, and no credentials', async () => {
    await accountWith('plum');
    const token = tokenOf('a');
    await caller.search(`${'p'.repeat(MAX_STORED_QUERY - 1)}🫐`);
    await caller.search(`plum ${token}`);
    const [masked, long] = (await listed()).data;
    expect(masked!.query).toBe('plum [redacted: github-pat]');
    expect(long!.query).toBe(`${'p'.repeat(MAX_STORED_QUERY - 1)}\ufffd`);
  });

  test('is erased with its user', async () => {
    await accountWith('plum');
    await caller.add('plum of Ada', { user: 'ada' });
    await caller.search('a secret wish of Ada', { user: 'ada' });
    const kept = (await caller.search('plum')).body.searchId;
    await listed();
    expect((await caller.call('/v1/users/ada', { method: 'DELETE' })).status).toBe(204);
    expect((await listed()).data.map(({ id }) => id)).toEqual([kept]);
  });

  test('of the web app is stored to be marked, can be left out of the list, and shows a memory to nobody', async () => {
    const [jam, cake] = (await accountWith('plum jam', 'plum cake')) as [string, string];
    const browser = await openBrowser(daemon, { apiKey: caller.apiKey });
    const looked = await browser.call<SearchAnswer>('/v1/search', { body: { query: 'plum' } });
    const { searchId } = looked.body;
    expect((await read(searchId)).body).toMatchObject({ client: WEB_APP_CLIENT, results: [{ rank: 1 }, { rank: 2 }] });
    const { searchId: asked } = (await caller.search('plum', { limit: 1 })).body;
    expect((await listed()).data.map(({ id }) => id)).toEqual([asked, searchId]);
    const page = await listed('?exceptClient=svc+web+app&limit=1');
    expect(page.data.map(({ id }) => id)).toEqual([asked]);
    expect(page.nextCursor).toBeNull();
    expect((await useOf(jam)).shown + (await useOf(cake)).shown).toBe(1);
    const feedback = await browser.call(`/v1/searches/${searchId}/feedback`, { body: { used: [jam] } });
    expect(feedback.body).toEqual({ learned: true, events: 1 });
    expect((await useOf(jam)).used).toBe(1);
  });

  test.each(['limit=0', 'user=', 'exceptClient=', 'tag=x', 'cursor=x'])('is not listed by "%s"', async (query) => {
    caller = await daemon.account();
    expect((await caller.call(`/v1/searches?${query}`)).status).toBe(400);
  });
});

describe('the use of a memory', () => {
  test('counts the searches that showed it, and those in which it helped, once each', async () => {
    const [jam, cake] = (await accountWith('plum jam', 'plum cake')) as [string, string];
    expect(await useOf(jam)).toEqual({ shown: 0, used: 0 });
    const searches: string[] = [];
    for (let count = 0; count < 3; count += 1) searches.push((await caller.search('plum')).body.searchId);
    await caller.search('plum', { limit: 1 });
    expect((await useOf(jam)).shown + (await useOf(cake)).shown).toBe(7);
    await tell(searches[0]!, { used: [jam], irrelevant: [cake] });
    await tell(searches[0]!, { used: [jam] });
    await tell(searches[1]!, { used: [jam, cake] });
    expect([(await useOf(jam)).used, (await useOf(cake)).used]).toEqual([2, 1]);
  });

  test('counts reading it after a search, and asking for its use does not', async () => {
    const [jam] = (await accountWith('plum jam', 'plum cake')) as [string, string];
    await caller.search('plum');
    expect(await useOf(jam)).toEqual({ shown: 1, used: 0 });
    await setTimeout(100);
    expect(await useOf(jam)).toEqual({ shown: 1, used: 0 });
    await caller.read(jam);
    await expect.poll(() => useOf(jam)).toEqual({ shown: 1, used: 1 });
  });

  test('survives a change of the memory, and is erased alone, with the memory, with its user or with its account', async () => {
    const [jam, cake] = (await accountWith('plum jam', 'plum cake')) as [string, string];
    await caller.add('plum of Ada', { user: 'ada' });
    await caller.search('plum');
    await caller.search('plum', { user: 'ada' });
    expect(await useOf(jam)).toEqual({ shown: 1, used: 0 });
    await caller.change(jam, { content: 'plum jelly' });
    expect(await useOf(jam)).toMatchObject({ shown: 1 });
    const rows = async () =>
      (await daemon.db.readers.all('SELECT 1 FROM memoryUses WHERE tenantId = ?', [caller.tenantId])).length;
    expect(await rows()).toBe(3);
    await caller.erase(cake);
    expect(await rows()).toBe(2);
    expect((await caller.call(`/v1/memories/${cake}/use`)).status).toBe(404);
    await caller.call('/v1/users/ada', { method: 'DELETE' });
    expect(await rows()).toBe(1);
    await caller.call('/v1/account', { method: 'DELETE' });
    expect(await rows()).toBe(0);
  });

  test('is not stored for a memory that is erased before its search is', async () => {
    const [jam] = (await accountWith('plum jam')) as [string];
    await caller.search('plum');
    await caller.erase(jam);
    await listed();
    const sql = 'SELECT 1 FROM memoryUses WHERE tenantId = ?';
    expect(await daemon.db.readers.all(sql, [caller.tenantId])).toEqual([]);
  });
});
