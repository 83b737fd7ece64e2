import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ApiError, type Client, createClient } from '../../src/client/client.ts';
import { createClient as createDefaultClient } from '../../src/client/entry.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { limited, problem, type ScriptedAnswer, startScriptedServer } from './scripted-server.ts';

let daemon: TestDaemon;
let apiKey: string;
let client: Client;
const closing: (() => void)[] = [];

beforeAll(async () => {
  daemon = await startTestDaemon();
  ({ apiKey } = await daemon.signIn('options@example.com'));
  client = createClient({ baseUrl: daemon.baseUrl, apiKey });
});

afterEach(() => {
  for (const close of closing.splice(0)) close();
});

afterAll(() => daemon.close());

async function startServer(answers: ScriptedAnswer[]) {
  const server = await startScriptedServer(answers);
  closing.push(server.close);
  return server;
}

describe('withResponse', () => {
  test('returns status, ETag, request id and headers beside the data', async () => {
    const { data, response } = await client.memories.create({ content: 'Ada' }).withResponse();
    expect(response).toMatchObject({ status: 201, replayed: false, requestId: expect.stringMatching(/^req_/) });
    expect(Number(response.headers.get('x-ratelimit-limit'))).toBeGreaterThan(0);
    const read = await client.memories.get(data.id).withResponse();
    expect(read.data).toEqual(await client.memories.get(data.id));
    expect(read.response.etag).toMatch(/^"/);
    const page = await client.memories.list({ limit: 1 }).withResponse();
    expect(page).toMatchObject({ data: { data: [{ id: data.id }] }, response: { status: 200 } });
    const removed = await client.memories.delete(data.id, { ifMatch: read.response.etag }).withResponse();
    expect(removed).toMatchObject({ data: undefined, response: { status: 204 } });
  });

  test('throws the error of the call', async () => {
    await expect(client.memories.get('mem_none').withResponse()).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('an error', () => {
  test('carries status, code, detail, field errors, request id and headers', async () => {
    const error = await client.memories.create({ content: '' }).catch((cause: ApiError) => cause);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      name: 'ApiError',
      status: 400,
      code: 'invalid_request',
      errors: [{ path: '/content', message: expect.any(String) }],
      requestId: expect.stringMatching(/^req_/),
    });
    const { detail, message, headers, problem: document, requestId } = error as ApiError;
    expect(detail).toBe(message);
    expect(headers.get('x-request-id')).toBe(requestId);
    expect(document).toMatchObject({ title: 'The request is not valid', requestId });
  });

  test('may have a code that this version does not know', async () => {
    const { client: scripted } = await startServer([problem('brand_new', 418, { flavor: 'mint' })]);
    const error = await scripted()
      .account.get()
      .catch((cause: ApiError) => cause);
    expect(error).toMatchObject({ status: 418, code: 'brand_new', problem: { flavor: 'mint' }, errors: [] });
  });
});

describe('options of a call', () => {
  test('override those of the client', async () => {
    const { client: scripted, requests } = await startServer([limited]);
    const options = { retries: 1, headers: { 'X-Trace': 'call' } };
    const configured = scripted({ retries: 4, headers: { 'x-trace': 'client', 'x-team': 'tea' } });
    await expect(configured.account.get(options)).rejects.toMatchObject({ code: 'rate_limited' });
    expect(requests).toHaveLength(2);
    expect(requests[0]!.headers).toMatchObject({ 'x-trace': 'call', 'x-team': 'tea', authorization: 'Bearer k' });
    await expect(configured.account.get()).rejects.toThrow();
    expect(requests).toHaveLength(7);
  });

  test('name the space to act in, and the own account', async () => {
    const space = await client.spaces.create({ name: 'Büro 東京' });
    const shared = createClient({ baseUrl: daemon.baseUrl, apiKey, space: 'Büro 東京' });
    const { id } = await shared.memories.create({ content: 'The office is on the third floor' });
    expect((await shared.account.get()).tenantId).toBe(space.id);
    await expect(client.memories.get(id)).rejects.toMatchObject({ code: 'not_found' });
    expect(await client.memories.get(id, { space: space.id })).toMatchObject({ id, author: 'options@example.com' });
    await expect(shared.memories.get(id, { space: 'default' })).rejects.toMatchObject({ code: 'not_found' });
    expect((await shared.spaces.list()).data).toEqual([expect.objectContaining({ name: 'Büro 東京', role: 'owner' })]);
    await expect(shared.spaces.list({ space: space.id })).rejects.toMatchObject({ code: 'invalid_request' });
    const lines = [];
    for await (const { type } of shared.export()) lines.push(type);
    expect(lines).toContain('memory');
    expect(await shared.import('{"content":"Imported"}\n')).toMatchObject({ added: { memories: 1 } });
  });

  test('abort a call while it waits to be retried', async () => {
    const { baseUrl, requests } = await startServer([{ ...limited, headers: { 'retry-after': '20' } }]);
    const reason = new Error('enough');
    const controller = new AbortController();
    const patient = createClient({ baseUrl, onWait: () => controller.abort(reason) });
    await expect(patient.account.get({ signal: controller.signal })).rejects.toBe(reason);
    expect(requests).toHaveLength(1);
    await expect(client.account.get({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });

  test('limit the time of a call', async () => {
    const stalled = createClient({
      baseUrl: daemon.baseUrl,
      fetch: (_, { signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    });
    await expect(stalled.account.get({ timeoutMs: 20 })).rejects.toMatchObject({
      name: 'UnreachableError',
      timedOut: true,
    });
  });

  test.each([2 ** 31, Number.POSITIVE_INFINITY])('let a call and a job take %d ms', async (timeoutMs) => {
    const open = { status: 200, body: { id: 'job_1', state: 'running' } };
    const { client: scripted } = await startServer([open, open, { status: 200, body: { id: 'job_1', state: 'done' } }]);
    expect(await scripted({ timeoutMs }).jobs.get('job_1')).toEqual(open.body);
    // A timer that is set for longer than it can be fires after a millisecond.
    const sleep = () => new Promise<void>((resolve) => setTimeout(resolve, 20));
    expect(await scripted({ sleep }).jobs.wait('job_1', { timeoutMs })).toMatchObject({ state: 'done' });
  });

  test('of a list may be dates', async () => {
    await client.memories.create({ content: 'Ada moved to Graz', user: 'dates' });
    const tomorrow = new Date(daemon.clock.nowMs() + 86_400_000);
    // As programs in plain JavaScript pass them.
    const query = { user: 'dates', after: tomorrow as unknown as string };
    expect((await client.memories.list(query)).data).toEqual([]);
    expect((await client.memories.list({ ...query, after: new Date(0) as unknown as string })).data).toHaveLength(1);
  });

  test('carry the idempotency key and make any creating call repeatable', async () => {
    const created = await client.conversations.create({ title: 'Tea' }, { idempotencyKey: 'tea' }).withResponse();
    const again = await client.conversations.create({ title: 'Tea' }, { idempotencyKey: 'tea' }).withResponse();
    expect(again).toMatchObject({ data: created.data, response: { replayed: true } });
  });
});

describe('a list', () => {
  test('requests a page only when the loop gets there', async () => {
    const page = (id: string, nextCursor: string | null) => ({ status: 200, body: { data: [{ id }], nextCursor } });
    const { client: scripted, requests } = await startServer([page('a', 'one'), page('b', 'two'), page('c', null)]);
    for await (const { id } of scripted().memories.list({ user: 'ada' })) if (id === 'b') break;
    expect(requests.map(({ url }) => url)).toEqual(['/v1/memories?user=ada', '/v1/memories?user=ada&cursor=one']);
  });

  test('throws out of the loop if a page cannot be read', async () => {
    const { client: scripted } = await startServer([problem('unauthenticated', 401)]);
    const iterate = async () => {
      for await (const memory of scripted().memories.list()) throw new Error(`unexpected ${memory.id}`);
    };
    await expect(iterate()).rejects.toMatchObject({ code: 'unauthenticated' });
    const later = scripted().memories.list();
    await new Promise((resolve) => setTimeout(resolve, 50));
    await expect(later).rejects.toMatchObject({ code: 'unauthenticated' });
  });
});

describe('jobs.wait', () => {
  const job = (state: string) => ({ status: 200, body: { id: 'job_1', state } });

  test('returns the job once it has ended', async () => {
    const { client: scripted, waits } = await startServer([job('queued'), job('running'), job('failed')]);
    expect(await scripted().jobs.wait('job_1', { intervalMs: 70 })).toEqual({ id: 'job_1', state: 'failed' });
    expect(waits).toEqual([70, 70]);
  });

  test('ends at its time limit and at its signal', async () => {
    const { baseUrl } = await startServer([job('running')]);
    const { jobs } = createClient({ baseUrl });
    await expect(jobs.wait('job_1', { intervalMs: 5, timeoutMs: 40 })).rejects.toMatchObject({ name: 'TimeoutError' });
    const reason = new Error('enough');
    const controller = new AbortController();
    const waiting = jobs.wait('job_1', { intervalMs: 60_000, signal: controller.signal });
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
  });
});

describe('import', () => {
  const line = (content: string) => `${JSON.stringify({ content })}\n`;

  test('accepts text, bytes, a Blob and a stream of either', async () => {
    async function* chunks() {
      yield line('streamed text');
      yield new TextEncoder().encode(line('streamed bytes'));
    }
    const sources = [line('text'), new TextEncoder().encode(line('bytes')), new Blob([line('blob')]), chunks()];
    for (const source of sources) {
      expect(await client.import(source, { user: 'imports', tags: ['a', 'b'] })).toMatchObject({ skipped: 0 });
    }
    const { data } = await client.memories.list({ user: 'imports', tag: 'b' });
    expect(data.map(({ content }) => content)).toEqual(['streamed bytes', 'streamed text', 'blob', 'bytes', 'text']);
  });

  test('returns the first report again for the same idempotency key', async () => {
    const once = () => client.import(line('once'), { idempotencyKey: 'import-once' }).withResponse();
    const first = await once();
    expect(await once()).toMatchObject({ data: first.data, response: { replayed: true } });
  });

  test('is retried if the source can be read again', async () => {
    const { client: scripted, requests } = await startServer(['break', { status: 200, body: { skipped: 0 } }]);
    expect(await scripted().import('tea\n', { format: 'lines' })).toEqual({ skipped: 0 });
    expect(requests.map(({ url, body }) => [url, body])).toEqual(
      Array.from({ length: 2 }, () => ['/v1/import?format=lines', 'tea\n']),
    );
  });
});

test('the global fetch is called as browsers require, not as a method', async () => {
  const original = globalThis.fetch;
  globalThis.fetch = function (this: unknown, ...args) {
    if (this !== undefined && this !== globalThis) throw new TypeError('Illegal invocation');
    return original(...args);
  };
  try {
    const browser = createClient({ baseUrl: daemon.baseUrl, apiKey, retries: 0 });
    await browser.account.get();
    await browser.import('{"content":"Browsers"}\n');
    for await (const { type } of browser.export()) expect(type).not.toBe('');
  } finally {
    globalThis.fetch = original;
  }
});

describe('without options', () => {
  const before = { SVC_URL: process.env.SVC_URL, SVC_API_KEY: process.env.SVC_API_KEY };

  afterEach(() => {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });

  test('the client uses SVC_URL and SVC_API_KEY', async () => {
    Object.assign(process.env, { SVC_URL: daemon.baseUrl, SVC_API_KEY: apiKey });
    expect((await createDefaultClient().account.get()).email).toBe('options@example.com');
    const other = createDefaultClient({ apiKey: 'svc_live_0', retries: 0 });
    await expect(other.account.get()).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  test('the client uses the default address of the daemon', async () => {
    Object.assign(process.env, { SVC_URL: '', SVC_API_KEY: '' });
    const asked: [string, string | undefined][] = [];
    const fetch = async (url: string, { headers }: { headers: Record<string, string> }) => {
      asked.push([url, headers.authorization]);
      throw new Error('not sent');
    };
    await expect(createDefaultClient({ fetch, retries: 0 }).account.get()).rejects.toThrow('No svc daemon responds');
    expect(asked).toEqual([['http://127.0.0.1:8787/v1/account', undefined]]);
  });
});
