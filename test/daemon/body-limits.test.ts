import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';

let daemon: TestDaemon;
let apiKey: string;

beforeAll(async () => {
  daemon = await startTestDaemon({ config: { oauth: 'on', defaultTier: 'Enterprise' } });
  ({ apiKey } = await daemon.signIn('ada@example.com'));
});
afterAll(() => daemon.close());

const KIB = 1024;
const NEST = '['.repeat(400_000) + ']'.repeat(400_000);
const json = { 'content-type': 'application/json' };
const post = (key: string | undefined, path: string, body: string, headers = {}) =>
  daemon.call(key, path, { method: 'POST', body, headers: { ...json, ...headers } });

/** Returns the longest text that the daemon gave to `JSON.parse` while `work` ran. */
async function longestParsed(work: () => Promise<unknown>): Promise<number> {
  const parse = vi.spyOn(JSON, 'parse');
  try {
    await work();
    return Math.max(0, ...parse.mock.calls.map(([text]) => String(text).length));
  } finally {
    parse.mockRestore();
  }
}

describe('a body that is not plain UTF-8 is refused by its headers', () => {
  const MEMORY = JSON.stringify({ content: 'Zoë trinkt Tee' });
  const PATHS = {
    '/v1/memories': MEMORY,
    '/v1/mcp': '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    '/v1/import': '{"type":"memory","content":"Tea"}',
    '/v1/auth/magic-link': '{"email":"ada@example.com"}',
  };
  const send = (path: string, body: string | Uint8Array, headers: Record<string, string>) =>
    daemon.call(apiKey, path, { method: 'POST', body: body as string, headers: { ...json, ...headers } });

  test.each(Object.entries(PATHS))('compressed at %s', async (path, text) => {
    for (const coding of ['gzip', 'br', 'identity, gzip']) {
      const answer = await send(path, gzipSync(text), { 'content-encoding': coding });
      expect([answer.status, answer.body.code], coding).toEqual([415, 'unsupported_media_type']);
      expect(answer.body.detail).toContain(coding);
      expect(answer.headers.get('accept-encoding')).toBe('identity');
    }
  });

  test.each(Object.entries(PATHS))('in another charset at %s', async (path, text) => {
    for (const charset of ['iso-8859-1', 'UTF-16LE', '"latin1"']) {
      const type = `application/json; charset=${charset}`;
      const answer = await send(path, Buffer.from(text, 'latin1'), { 'content-type': type });
      expect([answer.status, answer.body.code], charset).toEqual([415, 'unsupported_media_type']);
      expect(answer.body.detail).toContain('UTF-8');
    }
  });

  test('and accepted if the headers say so', async () => {
    for (const type of ['application/json; charset=utf-8', 'application/json;charset="UTF-8"']) {
      const headers = { 'content-type': type, 'content-encoding': 'identity' };
      expect((await send('/v1/memories', MEMORY, headers)).status).toBeLessThan(300);
    }
    const headers = { 'content-encoding': 'gzip', 'content-type': 'text/plain; charset=latin1' };
    expect((await daemon.call(apiKey, '/v1/memories', { headers })).status).toBe(200);
  });
});

describe('a body that would take long to parse is refused before it is parsed', () => {
  const PATHS = ['/v1/memories', '/v1/memories/batch', '/v1/search', '/v1/mcp'];

  test.each(PATHS)('400,000 levels at %s', async (path) => {
    const longest = await longestParsed(async () => {
      const answer = await post(apiKey, path, `{"metadata":${NEST}}`, {
        accept: 'application/json, text/event-stream',
      });
      expect(answer).toMatchObject({ status: 400, body: { detail: 'The body is nested deeper than 32 levels.' } });
    });
    expect(longest).toBeLessThan(KIB);
    const control = await longestParsed(() => post(apiKey, path, `{"metadata":"${'x'.repeat(100 * KIB)}"}`));
    expect(control).toBeGreaterThan(60 * KIB);
  });

  test('400,000 levels on a line of an import', async () => {
    const lines = `{"content":"before"}\n{"content":"deep","metadata":{"a":${NEST}}}\n{"content":"after"}\n`;
    const longest = await longestParsed(async () => {
      const { body } = await post(apiKey, '/v1/import', lines, { 'content-type': 'application/x-ndjson' });
      const reasons = [{ place: 'line 2', reason: 'is nested deeper than 32 levels', fault: true }];
      expect(body).toMatchObject({ added: { memories: 2 }, skipped: 1, reasons });
    });
    expect(longest).toBeLessThan(KIB);
  });
});

describe('a long body is parsed in pieces', () => {
  const names = (index: number) => Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`n${index}_${at}`, 1]));

  test.each(['/v1/memories/batch', '/v1/mcp'])('of 16,000 names, at %s', async (path) => {
    const memories = Array.from({ length: 400 }, (_, index) => ({
      content: `Memory ${index}`,
      metadata: { list: Array.from({ length: 5 }, (_, at) => names(5 * index + at)) },
    }));
    const call = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'memory_status', arguments: { memories } },
    };
    const body = JSON.stringify(path === '/v1/mcp' ? call : { memories });
    const longest = await longestParsed(async () => {
      const headers = { ...json, accept: 'application/json, text/event-stream', authorization: `Bearer ${apiKey}` };
      const answer = await fetch(daemon.baseUrl + path, { method: 'POST', headers, body });
      expect([200, 201]).toContain(answer.status);
      await answer.body?.cancel();
    });
    expect(body.length).toBeGreaterThan(200 * KIB);
    expect(longest).toBeLessThan(20 * KIB);
    if (path === '/v1/mcp') return;
    const listed = await daemon.call<{ data: object[] }>(apiKey, '/v1/memories?limit=200');
    expect(listed.body.data).toContainEqual(expect.objectContaining(memories.at(-1)!));
  });
});

describe('a long line of an import is parsed in pieces', () => {
  const names = Object.fromEntries(Array.from({ length: 2500 }, (_, index) => [`name${index}`, index]));
  const list = Array.from({ length: 6 }, () => names);

  test.each([
    ['svc', { content: 'a long line', extra: list }, { reasons: [{ reason: 'has an unknown field: extra' }] }],
    ['mcp-memory', { type: 'entity', name: 'a', entityType: 'b', list }, { added: { memories: 1 } }],
  ])('of format %s', async (format, line, report) => {
    const body = JSON.stringify(line);
    const longest = await longestParsed(async () => {
      const headers = { 'content-type': 'application/x-ndjson' };
      expect((await post(apiKey, `/v1/import?format=${format}`, body, headers)).body).toMatchObject(report);
    });
    expect(body.length).toBeGreaterThan(200 * KIB);
    expect(longest).toBeLessThan(20 * KIB);
  });
});

describe('a long list', () => {
  test('is answered as it was added, and never measured or written as one text', async () => {
    const memories = Array.from({ length: 101 }, (_, index) => ({ content: `${index} “data":[” ${'é'.repeat(2000)}` }));
    const sent = JSON.stringify({ memories });
    const measure = vi.spyOn(Buffer, 'byteLength');
    const { status, headers, body } = await post(apiKey, '/v1/memories/batch', sent);
    const longest = Math.max(...measure.mock.calls.map(([text]) => (typeof text === 'string' ? text.length : 0)));
    measure.mockRestore();
    expect(status).toBe(201);
    const { data } = body as { data: { content: string }[] };
    expect(data.map(({ content }) => ({ content }))).toEqual(memories);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(headers.get('content-length')).toBe(String(Buffer.byteLength(JSON.stringify(body))));
    // Memories are measured one by one.
    expect(longest).toBeGreaterThan(2000);
    expect(longest).toBeLessThan(sent.length / 10);
  });
});

describe('a route that needs no key takes at most 16 KiB', () => {
  const form = { 'content-type': 'application/x-www-form-urlencoded' };

  test.each([
    ['/v1/auth/magic-link', json],
    ['/v1/auth/token', json],
    ['/v1/auth/device', json],
    ['/v1/auth/device/token', json],
    ['/v1/auth/callback', form],
    ['/v1/session', json],
    ['/v1/oauth/register', json],
    ['/v1/oauth/token', form],
    ['/v1/oauth/revoke', form],
  ])('%s', async (path, headers) => {
    const body = (bytes: number) =>
      headers === form ? `a=${'x'.repeat(bytes - 2)}` : `{"a":"${'x'.repeat(bytes - 8)}"}`;
    const refused = await post(undefined, path, body(16 * KIB + 1), headers);
    expect(refused).toMatchObject({ status: 413, body: { code: 'payload_too_large' } });
    expect(refused.headers.get('content-type')).toContain('application/problem+json');
    expect((await post(undefined, path, body(16 * KIB), headers)).status).not.toBe(413);
  });
});

describe('a body is not parsed', () => {
  const body = `{"a":"${'x'.repeat(10 * KIB)}"}`;

  test.each([
    ['without a key', undefined, '/v1/memories', 401],
    ['with a wrong key', `svc_live_${'0'.repeat(32)}`, '/v1/memories', 401],
    ['at a path that does not exist', undefined, '/v1/nothing', 404],
    ['with a method that the path does not support', undefined, '/healthz', 405],
  ])('%s', async (_, key, path, status) => {
    const longest = await longestParsed(async () => expect((await post(key, path, body)).status).toBe(status));
    expect(longest).toBeLessThan(KIB);
  });

  test('past the rate limit, on a public route', async () => {
    daemon.clock.freeze();
    const longest = await longestParsed(async () => {
      for (let count = 0; count < 121; count += 1) await daemon.call(undefined, '/v1/nothing');
      expect((await post(undefined, '/v1/auth/magic-link', body)).status).toBe(429);
    });
    expect(longest).toBeLessThan(KIB);
    daemon.clock.advance(120_000);
    const control = await longestParsed(() => post(undefined, '/v1/auth/magic-link', body));
    expect(control).toBeGreaterThan(10 * KIB);
  });
});
