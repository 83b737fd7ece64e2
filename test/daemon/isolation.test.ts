import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../features/memories/memory-daemon.ts';
import type { CallOptions } from '../helpers/daemon.ts';
import { CONNECTION_OPERATIONS } from './connection-operations.ts';
import { CONVERSATION_OPERATIONS } from './conversation-operations.ts';
import { LEARNING_OPERATIONS } from './learning-operations.ts';
import { MEMORY_OPERATIONS } from './memory-operations.ts';
import { MEMORY_STORE_OPERATIONS } from './memory-store-operations.ts';
import { CREATING_ROUTES, PROVIDER_OPERATIONS } from './provider-operations.ts';
import { SPACE_OPERATIONS } from './space-operations.ts';
import { SUGGESTION_OPERATIONS } from './suggestion-operations.ts';
import { TOPIC_OPERATIONS } from './topic-operations.ts';
import { USER_OPERATIONS } from './user-operations.ts';
import { visible } from './visible-answer.ts';
import { WEBHOOK_OPERATIONS } from './webhook-operations.ts';

let daemon: MemoryDaemon;
let owner: Caller;
let stranger: Caller;
const open: Client[] = [];

beforeAll(async () => {
  daemon = await startMemoryDaemon();
  owner = await daemon.account();
  stranger = await daemon.account();
});
afterAll(async () => {
  for (const client of open) await client.close();
  await daemon.close();
});

const NEVER = `mem_${'0'.repeat(32)}`;

interface Operation {
  /** The route in the OpenAPI document, if its path contains the id. */
  route?: string;
  path(id: string): string;
  options(id: string): CallOptions;
  succeeds: number;
}

const patch = (body: object, headers = {}): CallOptions => ({ method: 'PATCH', body, headers });
const at = (id: string) => `/v1/memories/${id}`;

const OPERATIONS: Record<string, Operation> = {
  read: { route: 'get /v1/memories/{id}', path: at, options: () => ({}), succeeds: 200 },
  'read if changed': { path: at, options: () => ({ headers: { 'if-none-match': '*' } }), succeeds: 304 },
  use: { route: 'get /v1/memories/{id}/use', path: (id) => `${at(id)}/use`, options: () => ({}), succeeds: 200 },
  neighbors: {
    route: 'get /v1/memories/{id}/neighbors',
    path: (id) => `${at(id)}/neighbors`,
    options: () => ({}),
    succeeds: 200,
  },
  history: {
    route: 'get /v1/memories/{id}/history',
    path: (id) => `${at(id)}/history`,
    options: () => ({}),
    succeeds: 200,
  },
  change: {
    route: 'patch /v1/memories/{id}',
    path: at,
    options: () => patch({ content: 'Taken over' }),
    succeeds: 200,
  },
  'change on a condition': { path: at, options: () => patch({ tags: [] }, { 'if-match': '"1-1"' }), succeeds: 412 },
  supersede: {
    path: () => '/v1/memories',
    options: (id) => ({ body: { content: `In place of ${id} alone`, supersedes: id } }),
    succeeds: 201,
  },
  'supersede in a batch': {
    path: () => '/v1/memories/batch',
    options: (id) => ({
      body: { memories: [{ content: 'Beside' }, { content: `In place of ${id}, too`, supersedes: id }] },
    }),
    succeeds: 201,
  },
  'supersede under a key': {
    path: () => '/v1/memories',
    options: (id) => ({
      body: { content: `In place of ${id}`, supersedes: id },
      headers: { 'idempotency-key': `k${id}` },
    }),
    succeeds: 201,
  },
  erase: { route: 'delete /v1/memories/{id}', path: at, options: () => ({ method: 'DELETE' }), succeeds: 204 },
  'erase on a condition': {
    path: at,
    options: () => ({ method: 'DELETE', headers: { 'if-match': '*' } }),
    succeeds: 204,
  },
};

describe('another tenant’s memory', () => {
  test.each(Object.entries(OPERATIONS))(
    'is indistinguishable from a missing one through: %s; its owner succeeds',
    async (name, op) => {
      const before = await stranger.list('?includeSuperseded=true');
      const { id } = await owner.add(`The safe of ${name} is behind the painting`);
      const foreign = await stranger.call(op.path(id), op.options(id));
      const missing = await stranger.call(op.path(NEVER), op.options(NEVER));
      expect(foreign.status).toBe(404);
      expect(visible(foreign, id)).toEqual(visible(missing, NEVER));
      expect(await stranger.list('?includeSuperseded=true')).toEqual(before);
      expect((await owner.read(id)).body).toMatchObject({ version: 1, validTo: null });
      expect((await owner.call(op.path(id), op.options(id))).status).toBe(op.succeeds);
    },
  );

  test('is covered here for every API route that takes an id', async () => {
    const { paths } = (await owner.call<{ paths: Record<string, object> }>('/v1/openapi.json')).body;
    const routes = Object.entries(paths)
      .filter(([path]) => /^\/v1\/.*\{/.test(path))
      .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`));
    const operations = [
      OPERATIONS,
      MEMORY_OPERATIONS,
      CONVERSATION_OPERATIONS,
      LEARNING_OPERATIONS,
      PROVIDER_OPERATIONS,
      SUGGESTION_OPERATIONS,
      TOPIC_OPERATIONS,
      USER_OPERATIONS,
      CONNECTION_OPERATIONS,
      WEBHOOK_OPERATIONS,
      MEMORY_STORE_OPERATIONS,
      SPACE_OPERATIONS,
    ].flatMap(Object.values<{ route?: string }>);
    const tried = [...operations.map(({ route }) => route), ...CREATING_ROUTES];
    expect(routes.filter((route) => !tried.includes(route))).toEqual([]);
    expect(routes.length).toBeGreaterThan(0);
  });

  test.each([
    ['memory_get', (id: string) => ({ id })],
    ['memory_update', (id: string) => ({ id, content: 'Mine now' })],
    ['memory_add', (id: string) => ({ content: 'In its place', supersedes: id })],
    ['memory_delete', (id: string) => ({ id })],
  ])('is indistinguishable from a missing one through %s; its owner succeeds', async (name, args) => {
    const [mine, theirs] = [await connect(owner), await connect(stranger)];
    const { id } = await owner.add(`The key of ${name} is under the mat`);
    const call = async (client: Client, of: string) => {
      const answer = await client.callTool({ name, arguments: args(of) });
      return { isError: answer.isError === true, text: JSON.stringify(answer).replaceAll(of, 'ID') };
    };
    const foreign = await call(theirs, id);
    expect(foreign.isError).toBe(true);
    expect(foreign).toEqual(await call(theirs, NEVER));
    expect((await owner.read(id)).body).toMatchObject({ version: 1, validTo: null });
    expect((await call(mine, id)).isError).toBe(false);
  });

  test('appears in no tool that takes no id', async () => {
    const { id } = await owner.add('The gargoyle guards the vault', { tags: ['vault'] });
    const [mine, theirs] = [await connect(owner), await connect(stranger)];
    const { tools } = await theirs.listTools();
    const searches: [string, object][] = [
      ['memory_search', { query: 'gargoyle vault' }],
      ['memory_context', { query: 'gargoyle vault' }],
      ['memory_list', { tag: 'vault' }],
    ];
    // Tested separately, with conversations and learning.
    const elsewhere = ['conversation_append', 'memory_feedback'];
    const byId = ['memory_get', 'memory_update', 'memory_add', 'memory_delete'];
    expect([...byId, ...elsewhere, ...searches.map(([name]) => name)].sort()).toEqual(
      tools.map(({ name }) => name).sort(),
    );
    for (const [name, args] of searches) {
      const output = async (client: Client) => JSON.stringify(await client.callTool({ name, arguments: { ...args } }));
      expect(await output(theirs)).not.toMatch(new RegExp(`gargoyle guards|${id}`));
      expect(await output(mine)).toContain(id);
    }
  });

  test('appears in no list, search or cursor', async () => {
    await owner.addAll(['one', 'two', 'three'].map((word) => ({ content: `griffin ${word}`, tags: ['beast'] })));
    expect(await stranger.find('griffin')).toEqual([]);
    expect(await stranger.list('?tag=beast')).toEqual([]);
    const page = await owner.call<{ nextCursor: string }>('/v1/memories?tag=beast&limit=1');
    const next = `/v1/memories?tag=beast&limit=1&cursor=${page.body.nextCursor}`;
    const made = await stranger.call('/v1/memories?tag=beast&limit=1&cursor=AAAA');
    const foreign = await stranger.call(next);
    expect(foreign.status).toBe(400);
    expect(visible(foreign)).toEqual(visible(made));
    expect((await owner.call(next)).status).toBe(200);
  });

  test('is exported only to its owner, and cannot be changed by another tenant’s import', async () => {
    const importer = await daemon.account();
    const { id } = await owner.add('The basilisk guards the well');
    // Without the first line, which contains the time of the export.
    const exported = async (caller: Caller) => (await caller.call('/v1/export')).text.replace(/^.*\n/, '');
    expect(await exported(importer)).not.toMatch(new RegExp(`basilisk|${id}`));
    const mine = await exported(owner);
    expect(mine).toContain(id);
    const changed = mine.replaceAll('basilisk guards', 'basilisk left');
    const taken = await importer.call('/v1/import', { body: changed });
    expect([taken.status, taken.body.known]).toEqual([200, expect.objectContaining({ memories: 0 })]);
    expect((await owner.read(id)).body).toMatchObject({ content: 'The basilisk guards the well', version: 1 });
    expect(await exported(owner)).toBe(mine);
    expect((await owner.call('/v1/import', { body: mine })).body.added).toMatchObject({ memories: 0 });
  });
});

describe('a tenant named in the request', () => {
  test.each<[string, string, (tenantId: string) => CallOptions, number]>([
    ['the body of a new memory', '/v1/memories', (tenantId) => ({ body: { content: 'x', tenantId } }), 400],
    ['a batch', '/v1/memories/batch', (tenantId) => ({ body: { memories: [{ content: 'x' }], tenantId } }), 400],
    ['the metadata', '/v1/memories', (tenantId) => ({ body: { content: 'meta', metadata: { tenantId } } }), 201],
    ['a search', '/v1/search', (tenantId) => ({ body: { query: 'hippogriff', tenantId } }), 400],
    ['its filter', '/v1/search', (tenantId) => ({ body: { query: 'hippogriff', filter: { tenantId } } }), 400],
    ['the query string of a search', '/v1/search?tenantId=TENANT', () => ({ body: { query: 'hippogriff' } }), 200],
    ['the query string of a list', '/v1/memories?tenantId=TENANT', () => ({}), 400],
    ['the query string of an export', '/v1/export?tenantId=TENANT', () => ({}), 400],
    ['the query string of an import', '/v1/import?tenantId=TENANT', () => ({ body: { content: 'x' } }), 400],
    ['the user', '/v1/search', (tenantId) => ({ body: { query: 'hippogriff', user: `${tenantId} default` } }), 200],
    [
      'headers',
      '/v1/search',
      (tenantId) => ({
        body: { query: 'hippogriff' },
        headers: {
          tenantid: tenantId,
          'x-tenant-id': tenantId,
          'x-tenantid': tenantId,
          cookie: `tenantId=${tenantId}`,
        },
      }),
      200,
    ],
  ])('in %s is rejected or has no effect', async (_, path, options, status) => {
    await owner.add('The hippogriff sleeps at noon');
    const answer = await stranger.call(path.replace('TENANT', owner.tenantId), options(owner.tenantId));
    expect(answer.status, answer.text).toBe(status);
    expect(answer.text).not.toContain('hippogriff sleeps');
    expect(await owner.list()).not.toContain('meta');
    expect(await owner.find('hippogriff')).toEqual(['The hippogriff sleeps at noon']);
  });
});

async function connect({ apiKey }: Caller): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  const requestInit = { headers: { authorization: `Bearer ${apiKey}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${daemon.baseUrl}/v1/mcp`), { requestInit }));
  open.push(client);
  return client;
}
