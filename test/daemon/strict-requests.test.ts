import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { converse, KEY, newOwner } from '../features/extraction/extraction-daemon.ts';
import type { Caller, MemoryDaemon } from '../features/memories/memory-daemon.ts';
import { startProviderDaemon, startProviderServer } from '../features/providers/provider-daemon.ts';
import type { ProviderServer } from '../helpers/providers/server.ts';

let daemon: MemoryDaemon;
let server: ProviderServer;
let caller: Caller;

beforeAll(async () => {
  daemon = await startProviderDaemon();
  server = await startProviderServer('openai', { key: KEY });
  caller = await newOwner(daemon, server, 'Ada drinks tea.');
});
afterAll(async () => {
  await daemon.close();
  await server.close();
});

describe('a request that needs no body', () => {
  let conversation: string;
  beforeEach(async () => {
    conversation = await converse(caller, ['I drink tea']);
  });
  const memory = async () => `/v1/memories/${(await caller.add('oolong')).id}`;
  const requests: Record<string, [method: string, path: () => Promise<string> | string, status: number]> = {
    'checking a key': ['POST', () => '/v1/provider-keys/openai/validate', 200],
    'cutting episodes': ['POST', () => `/v1/conversations/${conversation}/episodes`, 201],
    extracting: ['POST', () => `/v1/conversations/${conversation}/extract`, 202],
    'erasing a conversation': ['DELETE', () => `/v1/conversations/${conversation}`, 204],
    'erasing a memory': ['DELETE', memory, 204],
  };

  test.each(Object.entries(requests))('%s refuses unknown fields and anything but an object', async (_, request) => {
    const [method, at, status] = request;
    const path = await at();
    const wrong: [body: string, field: string][] = [
      ['{"colour":1}', '/colour'],
      ['{"a/b":1}', '/a~1b'],
      ['null', '/'],
      ['[]', '/'],
      ['"x"', '/'],
      ['0', '/'],
    ];
    for (const [body, field] of wrong) {
      const answer = await caller.call(path, { method, body });
      expect([answer.status, answer.body.code], body).toEqual([400, 'invalid_request']);
      expect(answer.body.errors, body).toMatchObject([{ path: field }]);
    }
    const answer = await caller.call(path, { method, body: '{}' });
    expect(answer.status, answer.text).toBe(status);
  });

  test.each(Object.entries(requests))('%s works without one', async (_, [method, at, status]) => {
    const answer = await caller.call(await at(), { method });
    expect(answer.status, answer.text).toBe(status);
  });
});

test.each<[string, () => Promise<string>, string, (blank: string) => object]>([
  ['content of a memory', async () => '/v1/memories', '/content', (content) => ({ content })],
  [
    'another content',
    async () => `/v1/memories/${(await caller.add('oolong')).id}`,
    '/content',
    (content) => ({ content }),
  ],
  ['a query', async () => '/v1/search', '/query', (query) => ({ query })],
  ['the name of a space', async () => '/v1/spaces', '/name', (name) => ({ name })],
])('%s that is blank is refused with the name of its field, in words', async (_, pathOf, field, body) => {
  const path = await pathOf();
  for (const blank of [' ', '\n\t', '\u3000']) {
    const method = /mem_/.test(path) ? 'PATCH' : 'POST';
    const answer = await caller.call(path, { method, body: body(blank) });
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
    expect(answer.body.detail).toMatch(new RegExp(`^${field} must not (be blank|begin or end with white space)`));
    expect(answer.body.errors).toMatchObject([{ path: field }]);
  }
});

describe('an integer in a query', () => {
  test.each(['1e1', ' 5', '5 ', '0x5', '+5', '5.0', '5.', '', '5_0', '٥', 'true', '1&limit=2'])(
    '%j is refused, naming the parameter',
    async (limit) => {
      const written = limit.includes('&') ? limit : encodeURIComponent(limit);
      const paths = ['/v1/memories', '/v1/conversations', '/v1/episodes', '/v1/jobs'];
      for (const path of paths) {
        const answer = await caller.call(`${path}?limit=${written}`);
        expect([answer.status, answer.body.errors], path).toMatchObject([400, [{ path: 'limit' }]]);
      }
      expect((await caller.call(`/v1/usage?days=${written.replace('limit', 'days')}`)).status).toBe(400);
    },
  );

  test.each(['0', '-1', '201', '99999999999999999999'])('%s is out of range', async (limit) => {
    const answer = await caller.call(`/v1/memories?limit=${limit}`);
    expect([answer.status, answer.body.errors]).toMatchObject([400, [{ path: 'limit' }]]);
  });

  test('in decimal is accepted', async () => {
    await caller.add('one');
    await caller.add('two');
    expect(await caller.list('?limit=1')).toHaveLength(1);
    expect((await caller.call('/v1/usage?days=7')).status).toBe(200);
  });
});

describe('a list that fits on one page', () => {
  interface Listed {
    data: { id: string }[];
    nextCursor: string | null;
  }
  let space: string;
  beforeAll(async () => {
    for (const name of ['one', 'two', 'three']) {
      const made = await caller.call<{ id: string }>('/v1/spaces', { body: { name } });
      space = made.body.id;
      await caller.call('/v1/webhooks', { body: { url: `https://hooks.example.com/${name}` } });
      const invited = { body: { email: `${name}@example.com`, role: 'reader' } };
      expect((await caller.call(`/v1/spaces/${space}/members`, invited)).status).toBe(201);
    }
    const invited = { body: { email: 'lin@example.com', role: 'writer' } };
    expect((await caller.call(`/v1/spaces/${space}/members`, invited)).status).toBe(201);
  });
  const lists: [name: string, path: () => string, count: number][] = [
    ['provider keys', () => '/v1/provider-keys', 1],
    ['webhooks', () => '/v1/webhooks', 3],
    ['spaces', () => '/v1/spaces', 3],
    ['members', () => `/v1/spaces/${space}/members`, 3],
  ];
  const read = (path: string) => caller.call<Listed>(path);

  test.each(lists)('is whole without a limit, and the same page by page: %s', async (_, pathOf, count) => {
    const path = pathOf();
    const { data, nextCursor } = (await read(path)).body;
    expect([data.length, nextCursor]).toEqual([count, null]);
    const pages: Listed[] = [];
    for (let cursor: string | null = ''; cursor !== null; cursor = pages.at(-1)!.nextCursor) {
      pages.push((await read(`${path}?limit=1${cursor && `&cursor=${cursor}`}`)).body);
    }
    expect(pages.map((page) => page.data.length)).toEqual(Array(count).fill(1));
    expect(pages.flatMap((page) => page.data)).toEqual(data);
    const first = pages[0]!.nextCursor;
    if (first !== null) expect((await read(`${path}?cursor=${first}`)).body.data).toEqual(data.slice(1));
  });

  test.each(lists)('refuses what is not in its query, and cursors that are not its own: %s', async (_, pathOf) => {
    const path = pathOf();
    const foreign = (await read('/v1/webhooks?limit=1')).body.nextCursor;
    const others = await daemon.account();
    await others.addAll([{ content: 'tea' }, { content: 'cake' }]);
    const elsewhere = (await others.call<Listed>('/v1/memories?limit=1')).body.nextCursor;
    const cursors = [elsewhere, ...(path === '/v1/webhooks' ? [] : [foreign])].map((cursor) => `cursor=${cursor}`);
    for (const query of ['limit=0', 'limit=201', 'limit=abc', 'limit=', 'cursor=garbage', 'foo=1', ...cursors]) {
      const { status, body } = await caller.call(`${path}?${query}`);
      expect([status, body.code], query).toEqual([400, 'invalid_request']);
    }
  });

  test('goes on behind an item that was deleted meanwhile', async () => {
    const owner = await daemon.account();
    const list = async (query = '') => (await owner.call<Listed>(`/v1/webhooks${query}`)).body;
    for (const name of ['one', 'two', 'three']) {
      await owner.call('/v1/webhooks', { body: { url: `https://hooks.example.com/${name}` } });
    }
    const all = (await list()).data;
    const { data, nextCursor } = await list('?limit=1');
    await owner.call(`/v1/webhooks/${data[0]!.id}`, { method: 'DELETE' });
    expect((await list(`?cursor=${nextCursor}`)).data).toEqual(all.slice(1));
  });
});
