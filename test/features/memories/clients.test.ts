import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Memory } from '../../../src/contract/memories.ts';
import type { UpdatedMemories } from '../../../src/contract/memories-bulk.ts';
import { openBrowser } from '../connections/browser.ts';
import { portable, version } from '../portability/portable-account.ts';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from './memory-daemon.ts';

let daemon: MemoryDaemon;
let caller: Caller;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
beforeEach(async () => {
  daemon.clock.advance(61_000);
  caller = await daemon.account();
});
afterAll(() => daemon.close());

const as = (userAgent: string) => ({ 'user-agent': userAgent });
const addAs = (userAgent: string, content: string, more: Record<string, unknown> = {}) =>
  caller.call<Memory>('/v1/memories', { body: { content, ...more }, headers: as(userAgent) });

const rpc = (method: string, params: object) =>
  caller.call('/v1/mcp', {
    body: { jsonrpc: '2.0', id: 1, method, params },
    headers: {
      ...as('node'),
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-06-18',
    },
  });

/** The client of each memory of the account, by content. */
async function clients(by = caller): Promise<Record<string, string | null>> {
  const { body } = await by.call<{ data: Memory[] }>('/v1/memories?limit=200');
  return Object.fromEntries(body.data.map(({ content, client }) => [content, client]));
}

describe('a memory knows the client that stored it', () => {
  test('over REST by the product in User-Agent, without its version', async () => {
    expect((await addAs('claude-code/2.1.0 (external, cli)', 'One')).body.client).toBe('claude-code');
    await caller.call('/v1/memories/batch', {
      body: { memories: [{ content: 'Two' }, { content: 'Three' }] },
      headers: as('import-script'),
    });
    await caller.call('/v1/memories/external/crm-1', {
      method: 'PUT',
      body: { content: 'Four' },
      headers: as('Mozilla/5.0 (X11; Linux x86_64; rv:131.0) Gecko/20100101 Firefox/131.0'),
    });
    await addAs('(nameless)', 'Five');
    expect(await clients()).toEqual({
      ...{ One: 'claude-code', Two: 'import-script', Three: 'import-script', Four: 'Firefox', Five: null },
    });
  });

  test('over MCP as the client introduced itself, and from the web app', async () => {
    const clientInfo = { name: 'Visual Studio Code', version: '1.99.0' };
    await rpc('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
    await rpc('tools/call', { name: 'memory_add', arguments: { content: 'By an assistant' } });
    await (await openBrowser(daemon, caller)).call('/v1/memories', { body: { content: 'By hand' } });
    expect(await clients()).toEqual({ 'By an assistant': 'Visual Studio Code', 'By hand': 'svc web app' });
  });

  test('through changes, duplicates and replacements by other clients', async () => {
    const { id } = (await addAs('codex/1', 'First')).body;
    await caller.call(`/v1/memories/${id}`, { method: 'PATCH', body: { content: 'Second' }, headers: as('curl/8') });
    expect((await addAs('curl/8', 'second', { tags: ['late'] })).body).toMatchObject({
      id,
      client: 'codex',
      version: 3,
    });
    await caller.call('/v1/memories/external/x', { method: 'PUT', body: { content: 'Second' }, headers: as('curl/8') });
    const { data } = (await caller.history(id)).body;
    expect(data.map(({ client }) => client)).toEqual(['codex', 'codex', 'codex', 'codex']);
    const next = await addAs('curl/8', 'Third', { supersedes: id });
    expect([next.body.client, (await caller.read(id)).body.client]).toEqual(['curl', 'codex']);
  });

  test('through an export and an import, which does not make the importer its client', async () => {
    const { id } = (await addAs('codex/1', 'Exported')).body;
    await caller.call(`/v1/memories/${id}`, { method: 'PATCH', body: { tags: ['changed'] }, headers: as('curl/8') });
    const other = await daemon.account();
    await portable(other).importFile(await portable(caller).text());
    expect((await other.history(id)).body.data.map(({ client }) => client)).toEqual(['codex', 'codex']);
    await portable(other).importFile([version({ content: 'Of an old file' })]);
    await portable(other).importFile([{ content: 'Without a type' }]);
    expect(await clients(other)).toEqual({ Exported: 'codex', 'Of an old file': null, 'Without a type': null });
  });

  test('which no caller can name', async () => {
    expect((await addAs('codex/1', 'One', { client: 'other' })).status).toBe(400);
    const { id } = (await addAs('codex/1', 'Two')).body;
    expect((await caller.change(id, { client: 'other' })).status).toBe(400);
  });
});

describe('lists of memories', () => {
  const SOURCES = {
    message: { messageId: 'm', conversationId: 'c' },
    episode: { episodeId: 'e', conversationId: 'c' },
    conversation: { conversationId: '"messageId":' },
    none: undefined,
  };

  test('select by client, kind of source and expiry, in each order and page by page', async () => {
    const inDays = (days: number) => new Date(daemon.clock.nowMs() + days * 86_400_000).toISOString();
    const [soon, late] = [inDays(30), inDays(31)];
    for (const client of ['codex', 'cursor']) {
      for (const [kind, source] of Object.entries(SOURCES)) {
        for (const [name, expiresAt] of Object.entries({ soon, late, never: undefined })) {
          await addAs(`${client}/1`, `${client} ${kind} ${name}`, { source, expiresAt, user: kind });
        }
      }
    }
    const select = async (query: string) => {
      const found: string[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const path: string = `/v1/memories?limit=3&${query}${cursor && `&cursor=${cursor}`}`;
        const { body, text } = await caller.call<{ data: Memory[]; nextCursor: string | null }>(path);
        expect(body.data, text).toBeDefined();
        found.push(...body.data.map(({ content }) => content));
        cursor = body.nextCursor;
      }
      return found.toSorted();
    };
    const all = await select('');
    expect(all).toHaveLength(24);
    const matching = (pattern: RegExp) => all.filter((content) => pattern.test(content));
    for (const order of ['', '&orderBy=occurredAt', '&orderBy=updatedAt&order=asc']) {
      expect(await select(`client=codex${order}`)).toEqual(matching(/^codex/));
      expect(await select(`client=nobody${order}`)).toEqual([]);
      for (const kind of Object.keys(SOURCES)) {
        expect(await select(`sourceKind=${kind}${order}`)).toEqual(matching(new RegExp(` ${kind} `)));
      }
      expect(await select(`expires=any${order}`)).toEqual(matching(/soon$|late$/));
      expect(await select(`expires=soon${order}`)).toEqual(matching(/soon$/));
      expect(await select(`client=cursor&sourceKind=none&expires=soon&user=none${order}`)).toEqual([
        'cursor none soon',
      ]);
      expect(await select(`client=cursor&sourceKind=none&user=message${order}`)).toEqual([]);
    }
  });

  test.each(['sourceKind=import', 'expires=never', 'client='])('refuse "%s"', async (query) => {
    expect((await caller.call(`/v1/memories?${query}`)).status).toBe(400);
  });

  test('are those that a bulk change takes', async () => {
    await addAs('codex/1', 'One', { expiresAt: '2100-01-01T00:00:00Z' });
    await addAs('codex/1', 'Two');
    await addAs('cursor/1', 'Three', { expiresAt: '2100-01-01T00:00:00Z' });
    const filter = { client: 'codex', sourceKind: 'none', expires: 'any' };
    const body = { filter, change: { addTags: ['chosen'] } };
    expect((await caller.call<UpdatedMemories>('/v1/memories/update', { body })).body).toMatchObject({ updated: 1 });
    expect(await caller.list('?tag=chosen')).toEqual(['One']);
    await caller.call('/v1/memories/delete', { body: { filter: { client: 'codex' } } });
    expect(await caller.list()).toEqual(['Three']);
  });
});
