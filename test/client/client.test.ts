import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createHttpFetch } from '../../src/cli/http-fetch.ts';
import { createClient, type TransportOptions, UnreachableError } from '../../src/client/client.ts';
import { AppError } from '../../src/contract/errors.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';

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

test('what a source fails with is told as it is, and nothing of it is repeated', async () => {
  const client = createClient({ baseUrl: daemon.baseUrl, apiKey });
  const failing = async function* () {
    yield Buffer.from('{"content":"Read"}\n');
    throw new Error('the disk failed');
  };
  await expect(client.import(failing())).rejects.toThrow('the disk failed');
  const sound = async function* () {
    yield Buffer.from('{"content":"Read"}\n');
  };
  expect(await client.import(sound())).toMatchObject({ added: { memories: 1 } });
});

/** A daemon that answers what the test scripts: a status with a body, or a connection that breaks. */
async function scripted(answers: ({ status: number; headers?: object; body?: object | string } | 'break')[]) {
  const requests: { method?: string; key?: string | string[]; url?: string }[] = [];
  const server = createServer((request, response) => {
    requests.push({ method: request.method!, key: request.headers['idempotency-key']!, url: request.url! });
    const answer = answers[Math.min(requests.length, answers.length) - 1]!;
    if (answer === 'break') return request.socket.destroy();
    const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? {});
    return response.writeHead(answer.status, { ...answer.headers }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const waits: number[] = [];
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const client = (more: Partial<TransportOptions> = {}) =>
    createClient({ baseUrl, apiKey: 'k', sleep: async (ms) => void waits.push(ms), ...more });
  return { client, requests, waits };
}

const problem = (code: string, status: number, more: object = {}) => ({
  status,
  body: {
    type: `urn:svc:problem:${code}`,
    title: 't',
    status,
    detail: `It is ${code}.`,
    code,
    requestId: 'r',
    ...more,
  },
});
const limited = { ...problem('rate_limited', 429), headers: { 'retry-after': '2' } };

describe.each([
  ['the platform’s fetch', {}],
  ['the command line’s', { fetch: createHttpFetch() }],
])('against the daemon by %s', (_, way) => {
  test('every call of a memory’s life', async () => {
    const client = createClient({ baseUrl: daemon.baseUrl, apiKey, ...way });
    const added = await client.memories.add({ content: 'Ada prefers oolong', tags: ['a b'] });
    expect((await client.memories.add({ content: 'ada prefers oolong' })).duplicate).toBe(true);
    const { body, etag } = await client.memories.read(added.id);
    expect(body).toEqual(await client.memories.get(added.id));
    const changed = await client.memories.change(added.id, { content: 'Ada prefers green' }, { ifMatch: etag! });
    expect(changed.version).toBe(2);
    const stale = client.memories.change(added.id, { content: 'Lost' }, { ifMatch: etag! });
    await expect(stale).rejects.toMatchObject({ code: 'precondition_failed' });
    await expect(client.memories.remove(added.id, { ifMatch: etag! })).rejects.toThrow(AppError);
    expect((await client.memories.history(added.id)).data).toHaveLength(2);
    expect((await client.memories.list({ tag: 'a b' })).data).toHaveLength(1);
    const { searchId, results } = await client.search({ query: 'green' });
    expect(results).toHaveLength(1);
    expect((await client.feedback(searchId, { used: [added.id] })).learned).toBe(true);
    expect((await client.retrieval.show()).events).toBeGreaterThan(0);
    expect(await client.retrieval.reset('default')).toBeUndefined();
    expect((await client.retrieval.show('default')).events).toBe(0);
    expect((await client.context({ query: 'green' })).text).toContain('green');
    expect((await client.account()).email).toBe('client@example.com');
    expect((await client.usage(7)).days.length).toBeGreaterThan(0);
    expect(await client.memories.remove(added.id)).toBeUndefined();
    await expect(client.memories.get(added.id)).rejects.toMatchObject({ code: 'not_found', status: 404 });
    const given = createClient({
      baseUrl: daemon.baseUrl,
      apiKey,
      ...way,
      signal: AbortSignal.abort(new Error('enough')),
    });
    await expect(given.account()).rejects.toThrow('enough');
  });
});

describe('against the daemon', () => {
  test('a batch under the same key is the same batch', async () => {
    const client = createClient({ baseUrl: daemon.baseUrl, apiKey });
    const batch = [{ content: 'b1' }, { content: 'b2' }];
    const first = await client.memories.addBatch(batch, { idempotencyKey: 'once' });
    const again = await client.memories.addBatch(batch, { idempotencyKey: 'once' });
    expect([first.replayed, again.replayed]).toEqual([false, true]);
    expect(again.data).toEqual(first.data);
  });

  test('faults are named by field', async () => {
    const client = createClient({ baseUrl: daemon.baseUrl, apiKey });
    const refused = await client.memories.add({ content: '' }).catch((error: AppError) => error);
    expect(refused).toMatchObject({ code: 'invalid_request', options: { errors: [{ path: '/content' }] } });
    const nobody = createClient({ baseUrl: daemon.baseUrl });
    await expect(nobody.account()).rejects.toMatchObject({ code: 'unauthenticated', status: 401 });
  });
});

describe('what is tried again', () => {
  test('waits as long as it is asked to, and tells of it', async () => {
    const told: string[] = [];
    const { client, waits } = await scripted([limited, limited, { status: 200, body: { email: 'a' } }]);
    expect(await client({ onWait: (ms, { message }) => told.push(`${ms} ${message}`) }).account()).toEqual({
      email: 'a',
    });
    expect(waits).toEqual([2000, 2000]);
    expect(told).toEqual(['2000 It is rate_limited.', '2000 It is rate_limited.']);
  });

  test('creating goes under one idempotency key, whatever breaks', async () => {
    const { client, requests } = await scripted([
      'break',
      problem('unavailable', 503),
      { status: 201, body: { id: 'x' } },
    ]);
    await client().memories.add({ content: 'x' });
    expect(requests).toHaveLength(3);
    expect(new Set(requests.map(({ key }) => key)).size).toBe(1);
  });

  test('an earlier try that is still under way is waited for', async () => {
    const underWay = { ...problem('conflict', 409), headers: { 'retry-after': '1' } };
    const { client, waits } = await scripted([underWay, { status: 201, body: { id: 'x' } }]);
    await client().memories.add({ content: 'x' });
    expect(waits).toEqual([1000]);
  });

  test.each([
    ['a sign-in, which would mail twice', 'break' as const, 1],
    ['a refusal', problem('quota_exceeded', 429, { resetsAt: '2026-01-01T00:00:00.000Z' }), 1],
  ])('not %s', async (_, answer, tries) => {
    const { client, requests } = await scripted([answer]);
    await expect(client().auth.requestLink({ email: 'a@b.at' })).rejects.toThrow();
    expect(requests).toHaveLength(tries);
  });

  test('not for longer than anybody waits', async () => {
    const { client, requests } = await scripted([
      { ...problem('rate_limited', 429), headers: { 'retry-after': '31' } },
    ]);
    await expect(client().account()).rejects.toMatchObject({ options: { retryAfterSeconds: 31 } });
    expect(requests).toHaveLength(1);
  });

  test('not past the number of retries, and a missing daemon is told soon', async () => {
    const { client, requests } = await scripted([limited]);
    await expect(client({ retries: 5 }).account()).rejects.toMatchObject({ code: 'rate_limited' });
    expect(requests).toHaveLength(6);
    const broken = await scripted(['break']);
    await expect(broken.client({ retries: 9 }).account()).rejects.toBeInstanceOf(UnreachableError);
    expect(broken.requests).toHaveLength(4);
  });
});

describe('what is no daemon', () => {
  test.each([
    ['a page', { status: 200, body: '<html>' }],
    ['an error page', { status: 502, body: '<html>' }],
    ['a redirect', { status: 302, headers: { location: 'http://elsewhere.example/' }, body: '' }],
    ['a problem of another kind', { status: 400, body: { code: 'constructor' } }],
  ])('%s', async (_, answer) => {
    const { client } = await scripted([answer]);
    await expect(client({ retries: 0 }).account()).rejects.toThrow(/is no svc daemon/);
  });

  test('nobody at the address, or nobody in time', async () => {
    const nowhere = createClient({ baseUrl: 'http://127.0.0.1:9', retries: 0 });
    await expect(nowhere.account()).rejects.toThrow('No svc daemon answers at http://127.0.0.1:9.');
    const server = createServer(() => {});
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(() => {
      server.closeAllConnections();
      server.close();
    });
    const slow = createClient({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, timeoutMs: 50 });
    await expect(slow.account()).rejects.toMatchObject({ name: 'UnreachableError', timedOut: true });
  });

  test('who gives up gets the own reason', async () => {
    const reason = new Error('enough');
    const client = createClient({ baseUrl: daemon.baseUrl, apiKey, signal: AbortSignal.abort(reason) });
    await expect(client.account()).rejects.toBe(reason);
  });
});
