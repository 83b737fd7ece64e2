import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ActivityEntry, ActivityStats } from '../../../src/contract/activity.ts';
import { createActivity } from '../../../src/features/activity/activity.ts';
import { createCursors } from '../../../src/features/text/page-cursor.ts';
import { openBrowser } from '../connections/browser.ts';
import { conversing } from '../conversations/conversation-caller.ts';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';

let daemon: MemoryDaemon;
let caller: Caller;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
  daemon.clock.setNoon();
});
beforeEach(async () => {
  daemon.clock.advance(61_000);
  caller = await daemon.account();
});
afterAll(() => daemon.close());

interface Listed {
  data: ActivityEntry[];
  nextCursor: string | null;
}

async function list(query = '', by = caller): Promise<Listed> {
  await daemon.activity.flush();
  const { status, body, text } = await by.call<Listed>(`/v1/activity${query}`);
  expect(status, text).toBe(200);
  return body;
}

const latest = async (query?: string) => (await list(query)).data[0]!;

const rpc = (method: string, params: object, headers: Record<string, string> = {}) =>
  caller.call('/v1/mcp', {
    body: { jsonrpc: '2.0', id: 1, method, params },
    headers: {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-06-18',
      'user-agent': 'node',
      ...headers,
    },
  });

const initialize = (name: string, version: string, headers = {}) =>
  rpc('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name, version } }, headers);

describe('the activity of an account', () => {
  test('shows a request with its client, route, status, latency and the ids that it wrote', async () => {
    const headers = { 'user-agent': 'import-script/1.2 (Linux; secret words)' };
    const answer = await caller.call<{ id: string }>('/v1/memories', { body: { content: 'Ada drinks tea' }, headers });
    const entry = await latest();
    expect(entry).toEqual({
      id: answer.headers.get('x-request-id'),
      at: entry.at,
      ...{ client: 'import-script/1.2', transport: 'rest', method: 'POST', route: '/v1/memories', status: 201 },
      milliseconds: entry.milliseconds,
      ids: [answer.body.id],
      itemCount: 1,
      searchId: null,
      author: null,
    });
    expect(entry.milliseconds).toBeGreaterThan(0);
    expect(Math.abs(Date.parse(entry.at) - daemon.clock.nowMs())).toBeLessThan(10_000);
  });

  test('shows the results of a search and its id, and the search that feedback was given on', async () => {
    const { id } = await caller.add('Ada drinks tea');
    const { searchId } = (await caller.search('tea')).body;
    expect(await latest()).toMatchObject({ route: '/v1/search', ids: [id], searchId });
    await caller.call(`/v1/searches/${searchId}/feedback`, { body: { used: [id] } });
    expect(await latest()).toMatchObject({ route: '/v1/searches/{searchId}/feedback', searchId });
  });

  test('shows the id in a path where the answer has none, and 20 ids at most', async () => {
    const memories = await caller.addAll(Array.from({ length: 25 }, (_, index) => ({ content: `Fact ${index}` })));
    const { ids, itemCount } = await latest();
    expect(ids).toEqual(memories.slice(0, 20).map(({ id }) => id));
    expect(itemCount).toBe(25);
    await caller.erase(memories[0]!.id);
    expect(await latest()).toMatchObject({ method: 'DELETE', status: 204, ids: [memories[0]!.id], itemCount: 1 });
    const filter = { user: 'default' };
    await caller.call('/v1/memories/update', { body: { filter, change: { pinned: true } } });
    expect(await latest()).toMatchObject({ ids: [], itemCount: 24 });
    await caller.call('/v1/memories/delete', { body: { filter, dryRun: true } });
    expect(await latest()).toMatchObject({ ids: [], itemCount: 0 });
    const missing = `mem_${'0'.repeat(32)}`;
    await caller.read(missing);
    expect(await latest()).toMatchObject({ route: '/v1/memories/{id}', status: 404, ids: [missing] });
  });

  test('holds no content, query, name of a user or text of a path', async () => {
    await caller.add('Zanzibar is warm', { user: 'zanzibar-user', tags: ['zanzibar-tag'], externalId: 'zanzibar-id' });
    await caller.find('zanzibar');
    await caller.call('/v1/memories/zanzibar-memory');
    await caller.call('/v1/users/zanzibar-user');
    await caller.call('/v1/zanzibar-route?query=zanzibar');
    await rpc('zanzibar/method', { clientInfo: {} });
    await rpc('tools/call', { name: 'zanzibar_tool', arguments: { zanzibar: 'zanzibar' } });
    await rpc('tools/call', { name: 'memory_search', arguments: { query: 'zanzibar' } });
    const { data } = await list();
    expect(data).toHaveLength(9);
    expect(JSON.stringify(data)).not.toMatch(/zanzibar/i);
    await daemon.db.writes.write(caller.tenantId, async (connection) => {
      const rows = await connection.all('SELECT * FROM activity WHERE tenantId = ?', [caller.tenantId]);
      expect(JSON.stringify(rows)).not.toMatch(/zanzibar/i);
    });
  });

  test('names the client of MCP as it introduced itself, and shows the tool, its ids and how it failed', async () => {
    await initialize('Visual Studio Code', '1.99.0');
    expect(await latest()).toMatchObject({
      client: 'Visual Studio Code/1.99.0',
      transport: 'mcp',
      method: 'initialize',
    });
    await rpc('tools/call', { name: 'memory_add', arguments: { content: 'Ada drinks tea' } });
    const [{ id }] = (await caller.call<{ data: [{ id: string }] }>('/v1/memories')).body.data;
    expect(await latest('?transport=mcp')).toMatchObject({
      ...{ client: 'Visual Studio Code/1.99.0', method: 'tools/call', route: 'memory_add', status: 200, ids: [id] },
    });
    await rpc('tools/call', { name: 'memory_get', arguments: { id: `mem_${'0'.repeat(32)}` } });
    expect(await latest()).toMatchObject({ route: 'memory_get', status: 404, ids: [] });
    await rpc('tools/list', {}, { 'user-agent': 'other-client/3.1' });
    expect(await latest()).toMatchObject({ client: 'other-client/3.1', method: 'tools/list', route: '/v1/mcp' });
  });

  test('names requests of the dashboard "svc web app", which can be left out', async () => {
    await caller.call('/v1/account', { headers: { 'sec-fetch-site': 'same-origin', 'user-agent': 'Mozilla/5.0' } });
    await caller.call('/v1/usage', { headers: { 'user-agent': 'curl/8.1' } });
    await (await openBrowser(daemon, caller)).call('/v1/users');
    const own = (await list('?client=svc%20web%20app')).data.map(({ route }) => route);
    expect(own).toEqual(expect.arrayContaining(['/v1/users', '/v1/account']));
    const others = (await list('?exceptClient=svc%20web%20app')).data.map(({ client }) => client);
    expect(others).toContain('curl/8.1');
    expect(others).not.toContain('svc web app');
  });

  test('is filtered by transport, route, status and time', async () => {
    await caller.add('Ada drinks tea');
    await rpc('tools/call', { name: 'memory_list', arguments: {} });
    const between = new Date(daemon.clock.nowMs() + 500).toISOString();
    daemon.clock.advance(1000);
    await caller.call('/v1/memories/unknown');
    await caller.call('/v1/nowhere');
    const routes = async (query: string) => (await list(query)).data.map(({ route }) => route).reverse();
    expect(await routes('?transport=mcp')).toEqual(['memory_list']);
    expect(await routes('?route=%2Fv1%2Fmemories')).toEqual(['/v1/memories']);
    expect(await routes('?status=404')).toEqual(['/v1/memories/{id}', 'none']);
    expect(await routes('?status=4xx&route=none')).toEqual(['none']);
    expect(await routes(`?before=${between}`)).toEqual(['/v1/account', '/v1/memories', 'memory_list']);
    expect(await routes(`?after=${between}&status=4xx`)).toEqual(['/v1/memories/{id}', 'none']);
  });

  test.each(['?status=4', '?status=999', '?transport=ftp', '?after=yesterday', '?limit=0', '?color=red', '?client='])(
    'refuses the filter %s',
    async (query) => {
      expect((await caller.call(`/v1/activity${query}`)).status).toBe(400);
    },
  );

  test('is read page by page without gaps while requests arrive', async () => {
    const memories: string[] = [];
    for (let index = 0; index < 7; index += 1) memories.unshift((await caller.add(`Fact ${index}`)).id);
    const found: string[] = [];
    const filter = '?limit=3&route=%2Fv1%2Fmemories&status=201';
    for (let page = await list(filter); ; page = await list(`${filter}&cursor=${page.nextCursor}`)) {
      found.push(...page.data.flatMap(({ ids }) => ids));
      await caller.add(`Later ${found.length}`);
      if (page.nextCursor === null) break;
    }
    expect(found).toEqual(memories);
  });

  test('is not shown to other accounts, nor is a cursor of it accepted from them', async () => {
    const stranger = await daemon.account();
    await caller.add('Ada drinks tea');
    await caller.add('Ada drinks coffee');
    expect((await list('?route=%2Fv1%2Fmemories', stranger)).data).toEqual([]);
    const { nextCursor } = await list('?limit=1');
    expect((await stranger.call(`/v1/activity?limit=1&cursor=${nextCursor}`)).status).toBe(400);
  });

  test('is erased with the account and forgotten after 30 days, not before', async () => {
    const other = await daemon.account();
    const countOf = async ({ tenantId }: Caller) => {
      const sql = 'SELECT COUNT(*) AS n FROM activity WHERE tenantId = ?';
      return (await daemon.db.readers.get<{ n: number }>(sql, [tenantId]))!.n;
    };
    await caller.add('Ada drinks tea');
    await list('', other);
    const before = await countOf(other);
    await caller.call('/v1/account', { method: 'DELETE' });
    await daemon.activity.flush();
    expect(await countOf(caller)).toBe(0);
    daemon.clock.advance(29 * 86_400_000);
    await daemon.activity.deleteOld();
    expect(await countOf(other)).toBeGreaterThanOrEqual(before);
    await other.call('/v1/account');
    await daemon.activity.flush();
    daemon.clock.advance(2 * 86_400_000);
    await daemon.activity.deleteOld();
    expect(await countOf(other)).toBe(1);
  });

  test('is summed up by day with percentiles, and by client', async () => {
    const other = await daemon.account();
    daemon.clock.advance(86_400_000);
    const note = (client: string, milliseconds: number, transport: 'rest' | 'mcp' = 'rest') => {
      const request = {
        id: 'req_1',
        method: 'GET',
        route: '/v1/account',
        status: 200,
        searchId: null,
        author: null,
        ids: [],
        itemCount: 0,
      };
      daemon.activity.note(caller.tenantId, { ...request, client, transport, milliseconds });
    };
    for (let milliseconds = 1; milliseconds <= 100; milliseconds += 1) note('old', milliseconds);
    await daemon.activity.flush();
    const oldDay = new Date(daemon.clock.nowMs()).toISOString();
    daemon.clock.advance(2 * 86_400_000);
    note('new', 7, 'mcp');
    note('svc web app', 9000);
    await daemon.activity.flush();
    const { body } = await caller.call<ActivityStats>('/v1/activity/stats?exceptClient=svc%20web%20app');
    expect(body.days).toHaveLength(30);
    const today = new Date(daemon.clock.nowMs()).toISOString().slice(0, 10);
    expect(body.days.at(-1)).toEqual({ day: today, requests: 1, p50: 7, p95: 7 });
    expect(body.days.at(-2)).toMatchObject({ requests: 0, p50: null, p95: null });
    expect(body.days.at(-3)).toMatchObject({ day: oldDay.slice(0, 10), requests: 100, p50: 50, p95: 95 });
    const [first] = body.clients;
    expect(first).toMatchObject({ client: 'new', transport: 'mcp', requests: 1 });
    expect(body.clients.find(({ client }) => client === 'old')).toMatchObject({ requests: 100, transport: 'rest' });
    expect(JSON.stringify(body)).not.toContain('svc web app');
    const theirs = (await other.call<ActivityStats>('/v1/activity/stats')).body;
    expect(theirs.clients.map(({ client }) => client)).not.toContain('old');
  });

  test('keeps the latest requests of each account up to the limit', async () => {
    const { db, clock, sealer } = daemon;
    const log = { info() {}, warn() {}, error() {} };
    const activity = createActivity({ db, clock, log, cursors: createCursors({ sealer }), maxStored: 300 });
    const ids = Array.from({ length: 1000 }, (_, index) => `req_${index}`);
    const request = {
      client: 'x',
      transport: 'rest',
      method: 'GET',
      route: '/',
      status: 200,
      itemCount: 0,
      searchId: null,
      author: null,
    } as const;
    // Of the sign-in.
    await daemon.activity.flush();
    for (const id of ids) activity.note(caller.tenantId, { ...request, id, milliseconds: 1, ids: [] });
    await activity.flush();
    const found: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await activity.list(caller, { limit: 200, ...(cursor !== '' && { cursor }) });
      found.push(...page.data.map(({ id }) => id));
      cursor = page.nextCursor;
    }
    expect(found).toEqual(ids.slice(-300).reverse());
  });

  test('lists nothing of requests that the rate limit refused or that had no valid key', async () => {
    await caller.call('/v1/account');
    const { data } = await list();
    await daemon.call(undefined, '/v1/account');
    await daemon.call('svc_live_00000000000000000000000000000000', '/v1/account');
    expect((await list()).data).toHaveLength(data.length + 1);
  });

  test('shows what a conversation wrote', async () => {
    const talk = conversing(caller);
    const { id } = await talk.begin({});
    const messages = await talk.say(id, 'One', 'Two');
    expect((await latest()).ids).toEqual(messages.map((message) => message.id));
  });
});
