import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { createHttpFetch } from '../../src/cli/http-fetch.ts';
import { ApiError, createClient, UnreachableError } from '../../src/client/client.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { limited, problem, type ScriptedAnswer, startScriptedServer } from './scripted-server.ts';

let daemon: TestDaemon;
let apiKey: string;
const closing: (() => void)[] = [];

beforeAll(async () => {
  daemon = await startTestDaemon();
  ({ apiKey } = await daemon.signIn('client@example.com'));
});

afterEach(() => {
  for (const close of closing.splice(0)) close();
});

afterAll(() => daemon.close());

test('takes a key as files have it, and shows no invalid one in an error', async () => {
  await createClient({ baseUrl: daemon.baseUrl, apiKey: `${apiKey}\n` }).account.get();
  for (const invalid of ['svc_live_sec\nret', 'svc_live_sec€ret']) {
    const error = await Promise.resolve()
      .then(() => createClient({ baseUrl: daemon.baseUrl, apiKey: invalid, retries: 0 }).account.get())
      .catch((reason: Error) => reason);
    expect(error).toBeInstanceOf(TypeError);
    expect(`${error} ${(error as Error).cause}`).not.toContain('sec');
  }
});

test('an upload fails with the error of its source and is not retried', async () => {
  const client = createClient({ baseUrl: daemon.baseUrl, apiKey });
  const failing = async function* () {
    yield Buffer.from('{"content":"Read"}\n');
    throw new Error('the disk failed');
  };
  await expect(client.import(failing())).rejects.toThrow('the disk failed');
  const complete = async function* () {
    yield Buffer.from('{"content":"Read"}\n');
  };
  // Another import of the account can begin once the daemon has noticed the end of this one.
  const report = await vi.waitFor(() => client.import(complete()), { timeout: 10_000 });
  expect(report).toMatchObject({ added: { memories: 1 } });
});

async function startServer(answers: ScriptedAnswer[]) {
  const server = await startScriptedServer(answers);
  closing.push(server.close);
  return server;
}

describe.each([
  ['the global fetch', {}],
  ['the command line’s fetch', { fetch: createHttpFetch() }],
])('the client against a daemon, with %s', (_, options) => {
  test('creates, gets, updates, searches, learns and deletes', async () => {
    const client = createClient({ baseUrl: daemon.baseUrl, apiKey, ...options });
    const added = await client.memories.create({ content: 'Ada prefers oolong', tags: ['a b'] });
    expect((await client.memories.create({ content: 'ada prefers oolong' })).duplicate).toBe(true);
    const { data, response } = await client.memories.get(added.id).withResponse();
    const { etag } = response;
    expect(data).toEqual(await client.memories.get(added.id));
    const changed = await client.memories.update(added.id, { content: 'Ada prefers green' }, { ifMatch: etag });
    expect(changed.version).toBe(2);
    const stale = client.memories.update(added.id, { content: 'Lost' }, { ifMatch: etag });
    await expect(stale).rejects.toMatchObject({ code: 'precondition_failed' });
    await expect(client.memories.delete(added.id, { ifMatch: etag })).rejects.toThrow(ApiError);
    expect((await client.memories.history(added.id)).data).toHaveLength(2);
    expect((await client.memories.list({ tag: 'a b' })).data).toHaveLength(1);
    const { searchId, results } = await client.search({ query: 'green' });
    expect(results).toHaveLength(1);
    expect((await client.feedback(searchId, { used: [added.id] })).learned).toBe(true);
    expect((await client.retrieval.get()).events).toBeGreaterThan(0);
    expect((await client.retrieval.get({ days: 1, weights: 'all' })).history).toHaveLength(1);
    expect(await client.retrieval.delete({ user: 'default' })).toBeUndefined();
    expect((await client.retrieval.get({ user: 'default' })).events).toBe(0);
    expect((await client.context({ query: 'green' })).text).toContain('green');
    expect((await client.account.get()).email).toBe('client@example.com');
    expect((await client.usage.get({ days: 7 })).days.length).toBeGreaterThan(0);
    expect(await client.memories.delete(added.id)).toBeUndefined();
    await expect(client.memories.get(added.id)).rejects.toMatchObject({ code: 'not_found', status: 404 });
    const given = createClient({
      baseUrl: daemon.baseUrl,
      apiKey,
      ...options,
      signal: AbortSignal.abort(new Error('enough')),
    });
    await expect(given.account.get()).rejects.toThrow('enough');
  });
});

describe('the client against a daemon', () => {
  test('stores, reads and deletes a memory by external id', async () => {
    const { memories } = createClient({ baseUrl: daemon.baseUrl, apiKey });
    const content = 'Ada Lovelace is the contact';
    const { id } = await memories.external.put('crm/1815 ü', { content, user: 'crm' });
    const read = await memories.external.get('crm/1815 ü', { user: 'crm' }).withResponse();
    expect(read.data).toMatchObject({ id, content, externalId: 'crm/1815 ü' });
    await expect(memories.external.get('crm/1815 ü')).rejects.toMatchObject({ code: 'not_found' });
    const ifMatch = read.response.etag;
    const replaced = await memories.external.put('crm/1815 ü', { content: 'Gone', user: 'crm' }, { ifMatch });
    expect(replaced).toMatchObject({ id, version: 2 });
    await expect(memories.external.delete('crm/1815 ü', { user: 'crm' }, { ifMatch })).rejects.toMatchObject({
      code: 'precondition_failed',
    });
    await memories.external.delete('crm/1815 ü', { user: 'crm' });
    expect((await memories.list({ user: 'crm' })).data).toEqual([]);
  });

  test('lists by tags and metadata, and updates and deletes many', async () => {
    const { memories } = createClient({ baseUrl: daemon.baseUrl, apiKey });
    const metadata = { 'a key': 'x & y', n: 5 };
    const { data } = await memories.createMany([
      { content: 'Bulk one', tags: ['bulk', 'a b'], metadata },
      { content: 'Bulk two', tags: ['bulk'] },
    ]);
    const ids = data.map(({ id }) => id);
    const contents = async (query: Parameters<typeof memories.list>[0]) =>
      (await memories.list(query)).data.map(({ content }) => content);
    expect(await contents({ tags: ['bulk', 'a b'] })).toEqual(['Bulk one']);
    expect(await contents({ metadata })).toEqual(['Bulk one']);
    expect(await contents({ tags: ['bulk'], orderBy: 'updatedAt', order: 'asc' })).toEqual(['Bulk one', 'Bulk two']);
    expect((await memories.query({ ids: [...ids].reverse() })).data.map(({ id }) => id)).toEqual([...ids].reverse());
    expect(await memories.updateMany({ filter: { tags: ['bulk'] }, change: { pinned: true } })).toMatchObject({
      updated: 2,
    });
    expect(await memories.deleteMany({ ids })).toMatchObject({ deleted: 2, failed: [] });
  });

  test('replays a batch with the same idempotency key', async () => {
    const client = createClient({ baseUrl: daemon.baseUrl, apiKey });
    const batch = [{ content: 'b1' }, { content: 'b2' }];
    const first = await client.memories.createMany(batch, { idempotencyKey: 'once' }).withResponse();
    const again = await client.memories.createMany(batch, { idempotencyKey: 'once' }).withResponse();
    expect([first.response.replayed, again.response.replayed]).toEqual([false, true]);
    expect(again.data).toEqual(first.data);
  });

  test('reports invalid input by field', async () => {
    const client = createClient({ baseUrl: daemon.baseUrl, apiKey });
    const refused = await client.memories.create({ content: '' }).catch((error: ApiError) => error);
    expect(refused).toMatchObject({ code: 'invalid_request', errors: [{ path: '/content' }] });
    const nobody = createClient({ baseUrl: daemon.baseUrl });
    await expect(nobody.account.get()).rejects.toMatchObject({ code: 'unauthenticated', status: 401 });
  });
});

describe('retries', () => {
  test('wait as long as Retry-After says and report each wait', async () => {
    const waitsReported: string[] = [];
    const { client, waits } = await startServer([limited, limited, { status: 200, body: { email: 'a' } }]);
    expect(await client({ onWait: (ms, { message }) => waitsReported.push(`${ms} ${message}`) }).account.get()).toEqual(
      {
        email: 'a',
      },
    );
    expect(waits).toEqual([2000, 2000]);
    expect(waitsReported).toEqual(['2000 It is rate_limited.', '2000 It is rate_limited.']);
  });

  test('back off further each time if the daemon does not say how long, at moments that chance spreads', async () => {
    const { client, waits } = await startServer([problem('unavailable', 503)]);
    await expect(client({ retries: 8 }).account.get()).rejects.toMatchObject({ code: 'unavailable' });
    const longest = [250, 500, 1000, 2000, 4000, 5000, 5000, 5000];
    expect(waits.map((ms, index) => ms >= longest[index]! / 2 && ms <= longest[index]!)).toEqual(
      longest.map(() => true),
    );
    expect(waits.every((ms, index) => ms === longest[index])).toBe(false);
  });

  test('of a creating call share one idempotency key', async () => {
    const { client, requests } = await startServer([
      'break',
      problem('unavailable', 503),
      { status: 201, body: { id: 'x' } },
    ]);
    await client().memories.create({ content: 'x' });
    expect(requests).toHaveLength(3);
    expect(new Set(requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  });

  test('of a creating call are safe on a page that is served without TLS, where browsers have no randomUUID', async () => {
    const { client, requests } = await startServer(['break', { status: 201, body: { id: 'x' } }]);
    vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) });
    try {
      await client().memories.create({ content: 'x' });
      await client().memories.create({ content: 'x' });
    } finally {
      vi.unstubAllGlobals();
    }
    const keys = requests.map(({ headers }) => headers['idempotency-key']);
    expect([keys.length, new Set(keys).size]).toEqual([3, 2]);
  });

  test('wait for an earlier attempt that is still in progress', async () => {
    const inProgress = { ...problem('conflict', 409), headers: { 'retry-after': '1' } };
    const { client, waits } = await startServer([inProgress, { status: 201, body: { id: 'x' } }]);
    await client().memories.create({ content: 'x' });
    expect(waits).toEqual([1000]);
  });

  test.each([
    ['a sign-in, which would send a second mail', 'break' as const, 1],
    ['an error that will not pass', problem('quota_exceeded', 429, { resetsAt: '2026-01-01T00:00:00.000Z' }), 1],
  ])('do not happen for %s', async (_, answer, tries) => {
    const { client, requests } = await startServer([answer]);
    await expect(client().auth.requestLink({ email: 'a@b.at' })).rejects.toThrow();
    expect(requests).toHaveLength(tries);
  });

  test('do not happen when Retry-After is too long', async () => {
    const { client, requests } = await startServer([
      { ...problem('rate_limited', 429), headers: { 'retry-after': '31' } },
    ]);
    await expect(client().account.get()).rejects.toMatchObject({ retryAfterSeconds: 31 });
    expect(requests).toHaveLength(1);
  });

  test('of a stream of events come later the more often it ends at once', async () => {
    const stream = (body: string) => ({ status: 200, headers: { 'content-type': 'text/event-stream' }, body });
    const [some, none] = [stream('id: 1\n\n'), stream('')];
    const { client, waits } = await startServer([some, none, none, some, problem('unauthenticated', 401)]);
    await expect(client().events().next()).rejects.toMatchObject({ code: 'unauthenticated' });
    const longestMs = [1000, 2000, 4000, 1000];
    expect(waits).toHaveLength(longestMs.length);
    for (const [index, waitMs] of waits.entries()) {
      expect(waitMs).toBeGreaterThanOrEqual(longestMs[index]! / 2);
      expect(waitMs).toBeLessThanOrEqual(longestMs[index]!);
    }
  });

  test('of a stream of events go on after an error that was cut off', async () => {
    const stream = { status: 200, headers: { 'content-type': 'text/event-stream' }, body: 'id: 1\n\n' };
    const cutOff = { status: 502, headers: { 'content-length': '100', connection: 'close' }, body: '<html>' };
    const { client, requests } = await startServer([stream, cutOff, stream, problem('unauthenticated', 401)]);
    await expect(client({ retries: 0 }).events().next()).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(requests).toHaveLength(4);
  });

  test('of a stream of events go on while the daemon is unavailable, however long', async () => {
    const stream = { status: 200, headers: { 'content-type': 'text/event-stream' }, body: 'id: 1\n\n' };
    const away = [problem('unavailable', 503), { status: 502, body: '<html>' }, limited, { status: 504, body: '' }];
    const answers = [stream, ...away, ...away, stream, problem('unauthenticated', 401)];
    const { client, requests } = await startServer(answers);
    await expect(client({ retries: 0 }).events().next()).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(requests).toHaveLength(answers.length);
    const { client: first } = await startServer([problem('unavailable', 503)]);
    await expect(first({ retries: 0 }).events().next()).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('of a conditional change do not report what it made itself as a change of somebody else', async () => {
    const sound = createClient({ baseUrl: daemon.baseUrl, apiKey });
    let isLost = true;
    const losing = createClient({
      ...{ baseUrl: daemon.baseUrl, apiKey, sleep: async () => {} },
      async fetch(url, request) {
        const response = await fetch(url, request as RequestInit);
        if (request.method === 'PATCH' && isLost) {
          isLost = false;
          throw new TypeError('connection lost');
        }
        return response;
      },
    });
    const { data, response } = await sound.memories.create({ content: 'Quincy rows' }).withResponse();
    const change = losing.memories.update(data.id, { content: 'Quincy rows on Fridays' }, { ifMatch: response.etag });
    await expect(change).rejects.toMatchObject({
      name: 'UnreachableError',
      message: expect.stringContaining('may have been made'),
    });
    expect(await sound.memories.get(data.id)).toMatchObject({ content: 'Quincy rows on Fridays', version: 2 });
    const stale = losing.memories.update(data.id, { content: 'Quincy skis' }, { ifMatch: response.etag });
    await expect(stale).rejects.toMatchObject({ code: 'precondition_failed' });
  });

  test.each([
    ['not_found', 404],
    ['gone', 410],
  ])('of a deletion accept %s if an answer was lost, and only then', async (code, status) => {
    const { client, requests } = await startServer(['break', limited, problem(code, status)]);
    const { data, response } = await client().memories.delete('mem_1').withResponse();
    expect([data, response.status, requests.length]).toEqual([undefined, status, 3]);
    const { client: other } = await startServer([limited, problem(code, status)]);
    await expect(other().memories.delete('mem_1')).rejects.toMatchObject({ code });
    const page = await startServer(['break', { status, body: '<html>' }]);
    await expect(page.client({ retries: 1 }).memories.delete('mem_1')).rejects.toThrow(/is not an svc daemon/);
    const read = await startServer(['break', problem(code, status)]);
    await expect(read.client().memories.get('mem_1')).rejects.toMatchObject({ code });
  });

  test('of a change report a conflict as an unknown outcome if an answer was lost, and only then', async () => {
    const conflict = problem('conflict', 409);
    const change = { validTo: '2026-01-01T00:00:00Z' };
    const { client } = await startServer(['break', conflict]);
    await expect(client().memories.update('mem_1', change)).rejects.toMatchObject({
      name: 'UnreachableError',
      message: expect.stringContaining('may have been made'),
    });
    const { client: other } = await startServer([limited, conflict]);
    await expect(other().memories.update('mem_1', change)).rejects.toMatchObject({ code: 'conflict' });
    const creation = await startServer(['break', conflict]);
    await expect(creation.client().memories.create({ content: 'x' })).rejects.toMatchObject({ code: 'conflict' });
  });

  test('stop at the limit, and sooner when no daemon responds', async () => {
    const { client, requests } = await startServer([limited]);
    await expect(client({ retries: 5 }).account.get()).rejects.toMatchObject({ code: 'rate_limited' });
    expect(requests).toHaveLength(6);
    const broken = await startServer(['break']);
    await expect(broken.client({ retries: 9 }).account.get()).rejects.toBeInstanceOf(UnreachableError);
    expect(broken.requests).toHaveLength(4);
  });
});

describe('a server that is not svc', () => {
  test.each([
    ['a web page', { status: 200, body: '<html>' }],
    ['an error page', { status: 502, body: '<html>' }],
    ['a redirect', { status: 302, headers: { location: 'http://elsewhere.example/' }, body: '' }],
    ['an unknown problem document', { status: 400, body: { code: 'constructor' } }],
  ])('is recognized: %s', async (_, answer) => {
    const { client } = await startServer([answer]);
    await expect(client({ retries: 0 }).account.get()).rejects.toThrow(/is not an svc daemon/);
  });

  test('that is missing or too slow is unreachable', async () => {
    const nowhere = createClient({ baseUrl: 'http://127.0.0.1:9', retries: 0 });
    await expect(nowhere.account.get()).rejects.toThrow('No svc daemon responds at http://127.0.0.1:9.');
    const server = createServer(() => {});
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(() => {
      server.closeAllConnections();
      server.close();
    });
    const slow = createClient({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, timeoutMs: 50 });
    await expect(slow.account.get()).rejects.toMatchObject({ name: 'UnreachableError', timedOut: true });
  });

  test('an aborted call throws the signal’s reason', async () => {
    const reason = new Error('enough');
    const client = createClient({ baseUrl: daemon.baseUrl, apiKey, signal: AbortSignal.abort(reason) });
    await expect(client.account.get()).rejects.toBe(reason);
  });
});
