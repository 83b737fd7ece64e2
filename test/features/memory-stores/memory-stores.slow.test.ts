import { createHash } from 'node:crypto';
import Anthropic, { APIError } from '@anthropic-ai/sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { memoryFiles } from '../../../src/client/anthropic.ts';
import { type Client, createClient } from '../../../src/client/client.ts';
import { connectDevice } from '../connections/device.ts';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { newSuggesting } from '../suggestions/suggestion-daemon.ts';

let daemon: MemoryDaemon;
let caller: Caller;
let sdk: Anthropic;
let client: Client;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
afterAll(() => daemon.close());
beforeEach(async () => {
  daemon.clock.advance(61_000);
  caller = await daemon.account();
  sdk = sdkOf(caller.apiKey);
  client = createClient({ baseUrl: daemon.baseUrl, apiKey: caller.apiKey });
});

const sdkOf = (apiKey: string) => new Anthropic({ baseURL: daemon.baseUrl, apiKey, authToken: null, maxRetries: 0 });
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const stores = () => sdk.beta.memoryStores;
const files = () => sdk.beta.memoryStores.memories;
const versions = () => sdk.beta.memoryStores.memoryVersions;

async function all<T>(pages: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of pages) found.push(item);
  return found;
}

/** Returns what the SDK throws. */
async function errorOf(promise: Promise<unknown>): Promise<APIError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(APIError);
  return error as APIError;
}

/** The members of an error by which the SDK's types know it. */
const bodyOf = async (promise: Promise<unknown>) => {
  const { status, error } = await errorOf(promise);
  return { status, ...(error as { error: object }).error };
};

async function pathsOf(storeId: string, options: object = {}): Promise<string[]> {
  return (await all(files().list(storeId, options))).map(({ path }) => path);
}

describe('a memory store', () => {
  test('is created, read, changed and listed as Anthropic’s SDK asks', async () => {
    const made = await stores().create({ name: 'Team notes', description: 'How we work', metadata: { team: 'a' } });
    expect(made).toMatchObject({ type: 'memory_store', name: 'Team notes', description: 'How we work' });
    expect(made).toMatchObject({ metadata: { team: 'a' }, archived_at: null, updated_at: made.created_at });
    expect(made.id).toMatch(/^memstore_/);
    daemon.clock.advance(1000);
    const changed = await stores().update(made.id, { name: 'Notes', metadata: { team: null, by: 'ada' } });
    expect(changed).toMatchObject({ id: made.id, name: 'Notes', description: 'How we work', metadata: { by: 'ada' } });
    expect(Date.parse(changed.updated_at)).toBeGreaterThan(Date.parse(made.updated_at));
    expect(await stores().retrieve(made.id)).toEqual(changed);
    const other = await stores().create({ name: 'Notes' });
    expect((await all(stores().list({ limit: 1 }))).map(({ id }) => id)).toEqual([other.id, made.id]);
    expect(await all(stores().list({ 'created_at[lte]': made.created_at }))).toEqual([changed]);
  });

  test('is every user of the account, with the files that the memory tool sees', async () => {
    await memoryFiles({ client, user: 'ada' }).create({
      ...{ command: 'create', path: '/memories/tastes/tea.md', file_text: 'Oolong' },
    });
    const [store] = await all(stores().list());
    expect(store).toMatchObject({ name: 'ada', description: '', metadata: {} });
    const [file] = await all(files().list(store!.id, { view: 'full' }));
    expect(file).toMatchObject({ path: '/tastes/tea.md', content: 'Oolong', content_sha256: sha256('Oolong') });
    await files().create(store!.id, { path: '/tastes/milk.md', content: 'None' });
    const shown = await memoryFiles({ client, user: 'ada' }).view({ command: 'view', path: '/memories/tastes' });
    expect(shown).toContain('/memories/tastes/milk.md');
    expect(await stores().update(store!.id, { description: 'Ada’s' })).toMatchObject({
      name: 'ada',
      description: 'Ada’s',
    });
  });

  test('that is archived can be read, and its memories deleted, but not changed', async () => {
    const { id } = await stores().create({ name: 'Old' });
    const file = await files().create(id, { path: '/a', content: 'tea' });
    const archived = await stores().archive(id);
    expect(archived.archived_at).not.toBeNull();
    daemon.clock.advance(1000);
    expect((await stores().archive(id)).archived_at).toBe(archived.archived_at);
    expect(await all(stores().list())).toEqual([]);
    expect(await all(stores().list({ include_archived: true }))).toHaveLength(1);
    const own = { memory_store_id: id };
    const refused = [
      stores().update(id, { name: 'New' }),
      files().create(id, { path: '/b', content: '' }),
      files().update(file.id, { ...own, content: 'milk' }),
    ];
    for (const body of await Promise.all(refused.map(bodyOf))) {
      expect(body).toMatchObject({ status: 409, type: 'conflict_error' });
    }
    expect((await files().retrieve(file.id, own)).content).toBe('tea');
    await files().delete(file.id, own);
    expect(await pathsOf(id)).toEqual([]);
  });

  test('is erased with everything in it, but only if it was created as a store', async () => {
    const { id } = await stores().create({ name: 'Gone' });
    const file = await files().create(id, { path: '/a', content: 'tea' });
    expect(await stores().delete(id)).toEqual({ id, type: 'memory_store_deleted' });
    expect(await bodyOf(stores().retrieve(id))).toMatchObject({ status: 404, type: 'not_found_error' });
    expect((await caller.call(`/v1/memories/${file.id}`)).status).toBe(404);
    await caller.add('Ada drinks tea', { user: 'ada' });
    const [ada] = await all(stores().list());
    const refused = await bodyOf(stores().delete(ada!.id));
    expect(refused).toMatchObject({ status: 409, type: 'conflict_error' });
    expect(JSON.stringify(refused)).toContain('DELETE /v1/users/ada');
    expect(await all(stores().list())).toHaveLength(1);
  });

  test('of which nothing is stored does not exist', async () => {
    for (const id of ['memstore_user_bm9ib2R5', `memstore_${'0'.repeat(32)}`, 'memstore_user_', 'memstore_', 'x']) {
      expect(await bodyOf(stores().retrieve(id))).toMatchObject({ status: 404, type: 'not_found_error' });
      expect((await errorOf(all(files().list(id)))).status).toBe(404);
      expect((await errorOf(files().create(id, { path: '/a', content: '' }))).status).toBe(404);
      expect((await errorOf(stores().update(id, { name: 'a' }))).status).toBe(404);
      expect((await errorOf(stores().archive(id))).status).toBe(404);
      expect((await errorOf(stores().delete(id))).status).toBe(404);
    }
  });
});

describe('a memory of a store', () => {
  let id: string;
  let own: { memory_store_id: string };
  beforeEach(async () => {
    ({ id } = await stores().create({ name: 'Store' }));
    own = { memory_store_id: id };
  });

  test('has its content only where it is asked for, and the digest of its bytes', async () => {
    const content = 'Ada’s tea\r\n\n  \u{1f375} ';
    const made = await files().create(id, { path: '/people/Ada.md', content });
    expect(made).toMatchObject({ type: 'memory', path: '/people/Ada.md', memory_store_id: id, content: null });
    expect(made).toMatchObject({ content_sha256: sha256(content), content_size_bytes: Buffer.byteLength(content) });
    expect(await files().retrieve(made.id, own)).toEqual({ ...made, content });
    expect((await files().retrieve(made.id, { ...own, view: 'basic' })).content).toBeNull();
    expect((await files().create(id, { path: '/empty', content: '', view: 'full' })).content).toBe('');
  });

  test('refuses a path that is taken, or lies above or below one that is', async () => {
    const made = await files().create(id, { path: '/notes/todo.md', content: 'x' });
    for (const path of ['/notes/todo.md', '/notes', '/notes/todo.md/deeper']) {
      expect(await bodyOf(files().create(id, { path, content: 'y' }))).toMatchObject({
        ...{ status: 409, type: 'memory_path_conflict_error' },
        ...{ conflicting_path: '/notes/todo.md', conflicting_memory_id: made.id },
      });
    }
    const other = await files().create(id, { path: '/notes/Todo.md', content: 'x' });
    const moved = files().update(other.id, { ...own, path: '/notes/todo.md' });
    expect(await bodyOf(moved)).toMatchObject({ type: 'memory_path_conflict_error', conflicting_memory_id: made.id });
    expect((await files().update(made.id, { ...own, path: '/notes/todo.md/now' })).path).toBe('/notes/todo.md/now');
  });

  test.each([
    'notes',
    '/',
    '//a',
    '/a/',
    '/./a',
    '/../a',
    '/a\u200bb',
    '/e\u0301',
    `/${'a'.repeat(300)}`,
    '/a'.repeat(21),
  ])('refuses the path %j', async (path) => {
    const refused = await bodyOf(files().create(id, { path, content: '' }));
    expect(refused).toMatchObject({ status: 400, type: 'invalid_request_error' });
  });

  test('refuses more content than fits', async () => {
    const content = '茶'.repeat(40_000);
    const refused = await bodyOf(files().create(id, { path: '/a', content }));
    expect(refused).toMatchObject({ status: 400, type: 'invalid_request_error' });
  });

  test('is changed only while the precondition holds, except to what it is already', async () => {
    const made = await files().create(id, { path: '/a', content: 'one' });
    const of = (text: string) => ({ type: 'content_sha256', content_sha256: sha256(text) }) as const;
    const changed = await files().update(made.id, { ...own, content: 'two', precondition: of('one'), view: 'full' });
    expect(changed).toMatchObject({ id: made.id, content: 'two', content_sha256: sha256('two') });
    expect(changed.memory_version_id).not.toBe(made.memory_version_id);
    const stale = files().update(made.id, { ...own, content: 'three', precondition: of('one') });
    expect(await bodyOf(stale)).toMatchObject({ status: 409, type: 'memory_precondition_failed_error' });
    const same = await files().update(made.id, { ...own, content: 'two', precondition: of('one') });
    expect(same.memory_version_id).toBe(changed.memory_version_id);
    const removed = files().delete(made.id, { ...own, expected_content_sha256: sha256('one') });
    expect(await bodyOf(removed)).toMatchObject({ status: 409, type: 'memory_precondition_failed_error' });
    await files().delete(made.id, { ...own, expected_content_sha256: sha256('two') });
    expect((await errorOf(files().retrieve(made.id, own))).status).toBe(404);
    expect((await errorOf(files().update(made.id, { ...own, content: 'x' }))).status).toBe(404);
  });

  test('keeps its id, its content and its directories’ listings when it moves', async () => {
    const made = await files().create(id, { path: '/a/b.md', content: 'text' });
    const moved = await files().update(made.id, { ...own, path: '/c/d.md' });
    expect(moved).toMatchObject({ id: made.id, path: '/c/d.md', content_sha256: sha256('text') });
    expect(await pathsOf(id, { path_prefix: '/a/' })).toEqual([]);
    expect(await pathsOf(id, { path_prefix: '/c/' })).toEqual(['/c/d.md']);
  });

  test('is listed by path, below a prefix and to a depth, in pages of any size', async () => {
    for (const path of ['/b', '/a/x', '/a/y/z', '/a-b/c', '/a.md', '/c/d/e']) {
      await files().create(id, { path, content: path });
    }
    const everything = ['/a-b/c', '/a.md', '/a/x', '/a/y/z', '/b', '/c/d/e'];
    const top = ['/a-b/', '/a.md', '/a/', '/b', '/c/'];
    for (const limit of [1, 2, 3, 100]) {
      expect(await pathsOf(id, { limit })).toEqual(everything);
      expect(await pathsOf(id, { limit, depth: 1 })).toEqual(top);
      expect(await pathsOf(id, { limit, depth: 1, path_prefix: '/a/' })).toEqual(['/a/x', '/a/y/']);
    }
    expect(await pathsOf(id, { path_prefix: '/a/' })).toEqual(['/a/x', '/a/y/z']);
    expect((await errorOf(all(files().list(id, { path_prefix: '/a' })))).status).toBe(400);
    expect((await errorOf(all(files().list(id, { depth: 2 })))).status).toBe(400);
    const page = await files().list(id, { limit: 1 });
    expect((await errorOf(all(files().list(id, { depth: 1, page: page.next_page! })))).status).toBe(400);
  });

  test('has a credential masked like any other memory', async () => {
    const secret = `ghp_${'Zk3Qn8Vb1Xc7Mw5Rt9Yp2Ld6Hf4Js0Ga8Ue1'.slice(0, 36)}`;
    const made = await files().create(id, { path: '/a', content: `token ${secret}`, view: 'full' });
    expect(made.content).not.toContain(secret);
    expect(made.content_sha256).toBe(sha256(made.content!));
  });

  test('is found by svc’s search and erased for good by svc', async () => {
    const made = await files().create(id, { path: '/a', content: 'The basilisk guards the well' });
    const found = await caller.search('basilisk', { user: id });
    expect(found.body.results.map((one) => one.id)).toContain(made.id);
    await caller.erase(made.id);
    expect(await pathsOf(id)).toEqual([]);
    expect(await all(versions().list(id))).toEqual([]);
  });
});

describe('a version of a memory', () => {
  let id: string;
  let own: { memory_store_id: string };
  beforeEach(async () => {
    ({ id } = await stores().create({ name: 'Store' }));
    own = { memory_store_id: id };
  });

  /** A memory that was created, changed, moved and deleted, with its versions from the first on. */
  async function past() {
    const { id: memoryId } = await files().create(id, { path: '/a', content: 'one secret' });
    const step = () => daemon.clock.advance(1000);
    step();
    await files().update(memoryId, { ...own, content: 'two' });
    step();
    await files().update(memoryId, { ...own, path: '/b' });
    step();
    await files().delete(memoryId, own);
    return { memoryId, found: (await all(versions().list(id, { view: 'full' }))).reverse() };
  }

  test('records each change, and stays when the memory is deleted', async () => {
    const { memoryId, found } = await past();
    expect(found.map(({ operation, path, content }) => [operation, path, content])).toEqual([
      ['created', '/a', 'one secret'],
      ['modified', '/a', 'two'],
      ['modified', '/b', 'two'],
      ['deleted', '/b', null],
    ]);
    expect(found.map(({ memory_id }) => memory_id)).toEqual(Array(4).fill(memoryId));
    expect(found[0]).toMatchObject({ type: 'memory_version', content_sha256: sha256('one secret'), redacted_at: null });
    expect(found[3]).toMatchObject({ content_sha256: null, content_size_bytes: null });
    for (const version of found) expect(await versions().retrieve(version.id, own)).toEqual(version);
    const times = found.map(({ created_at }) => Date.parse(created_at));
    expect(times).toEqual([...times].sort());
    expect(new Set(times).size).toBe(4);
    const newest = [...found].reverse();
    for (const limit of [1, 3]) expect(await all(versions().list(id, { limit, view: 'full' }))).toEqual(newest);
    expect(await all(versions().list(id, { operation: 'deleted', view: 'full' }))).toEqual([found[3]]);
    expect(await all(versions().list(id, { memory_id: memoryId, view: 'full' }))).toEqual(newest);
    const until = { 'created_at[lte]': found[1]!.created_at, view: 'full' } as const;
    expect(await all(versions().list(id, until))).toEqual([found[1], found[0]]);
    expect(await all(versions().list(id, { api_key_id: 'apikey_x' }))).toEqual([]);
  });

  test('that is redacted says nothing any more, in any view, search or history', async () => {
    const { memoryId, found } = await past();
    const redacted = await versions().redact(found[0]!.id, own);
    expect(redacted).toMatchObject({ id: found[0]!.id, operation: 'created', memory_id: memoryId });
    expect(redacted).toMatchObject({ content: null, path: null, content_sha256: null, content_size_bytes: null });
    expect(redacted.redacted_at).not.toBeNull();
    expect(await versions().redact(found[0]!.id, own)).toEqual(redacted);
    expect(await all(versions().list(id))).toContainEqual(redacted);
    expect((await caller.call(`/v1/memories/${memoryId}/history`)).text).not.toContain('secret');
    const anyTime = { user: id, includeSuperseded: true };
    expect(await caller.find('one two', anyTime)).not.toContain('/memories/a\n\none secret');
    expect((await caller.find('two', anyTime)).length).toBeGreaterThan(0);
    await versions().redact(found[2]!.id, own);
    const ended = await versions().retrieve(found[3]!.id, own);
    expect(ended).toMatchObject({ operation: 'deleted', path: null });
    expect(await all(versions().list(id))).toHaveLength(4);
  });

  test('that is the current one is not redacted', async () => {
    const made = await files().create(id, { path: '/a', content: 'one' });
    const refused = await bodyOf(versions().redact(made.memory_version_id, own));
    expect(refused).toMatchObject({ status: 409, type: 'conflict_error' });
    await files().update(made.id, { ...own, content: 'two' });
    expect((await versions().redact(made.memory_version_id, own)).redacted_at).not.toBeNull();
    expect((await files().retrieve(made.id, own)).content).toBe('two');
  });
});

test('undoing a suggestion does not bring back a version that was redacted', async () => {
  const suggesting = await newSuggesting(daemon);
  const { memoryStores } = sdkOf(suggesting.apiKey).beta;
  const { id } = await memoryStores.create({ name: 'Store' });
  const file = await memoryStores.memories.create(id, { path: '/a', content: 'Ada rows. Ada swims.' });
  const content = 'Ada rows.\nAda swims.';
  const { id: suggestion } = await suggesting.suggest({ kind: 'split', memoryIds: [file.id], content, user: id });
  await suggesting.decide(suggestion, 'accept');
  await memoryStores.memoryVersions.redact(file.memory_version_id, { memory_store_id: id });
  const undone = await suggesting.call(`/v1/suggestions/${suggestion}/undo`, { method: 'POST' });
  expect(undone.status).toBe(409);
  expect((await suggesting.read(file.id)).body.content).toBe('Ada rows.');
});

describe('a key', () => {
  test('in x-api-key counts on the routes of memory stores only, and only without Authorization', async () => {
    const headers = { 'x-api-key': caller.apiKey };
    expect((await daemon.call(undefined, '/v1/memory_stores', { headers })).status).toBe(200);
    expect((await daemon.call(undefined, '/v1/memories', { headers })).status).toBe(401);
    expect((await daemon.call(undefined, '/v1/memory_storesx', { headers })).status).not.toBe(200);
    expect((await daemon.call('svc_live_0', '/v1/memory_stores', { headers })).status).toBe(401);
    const twice = { 'x-api-key': `${caller.apiKey}, ${caller.apiKey}` };
    expect((await daemon.call(undefined, '/v1/memory_stores', { headers: twice })).status).toBe(401);
  });

  test('that is wrong is refused in the words of the SDK', async () => {
    const wrong = sdkOf('svc_live_00000000000000000000000000000000').beta.memoryStores;
    const error = await errorOf(all(wrong.list()));
    expect(error).toBeInstanceOf(Anthropic.AuthenticationError);
    expect(error).toMatchObject({ status: 401, type: 'authentication_error' });
    expect(error.error).toMatchObject({ type: 'error', request_id: expect.stringMatching(/^req_/) });
  });

  test('of a device may change stores, and one that only reads may not', async () => {
    daemon.clock.advance(60_000);
    const token = await connectDevice(daemon, caller.apiKey, { name: 'reader', system: 'Linux' });
    const { id } = await sdkOf(token).beta.memoryStores.create({ name: 'By a device' });
    await daemon.db.writes.write(caller.tenantId, (connection) =>
      connection.run(`UPDATE connections SET scope = 'memory:read' WHERE tenantId = ?`, [caller.tenantId]),
    );
    daemon.clock.advance(60_000);
    const reading = sdkOf(token).beta.memoryStores;
    expect((await reading.retrieve(id)).name).toBe('By a device');
    expect(await bodyOf(reading.create({ name: 'No' }))).toMatchObject({ status: 403, type: 'permission_error' });
  });
});
