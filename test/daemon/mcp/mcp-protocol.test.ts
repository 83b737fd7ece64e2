import http from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon.ts';

const REVISION = '2026-07-28';
const RATE_LIMIT_HEADERS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];
/** Pino's level for errors. */
const ERROR_LEVEL = 50;
const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

let daemon: TestDaemon;
let apiKey: string;

beforeAll(async () => {
  daemon = await startTestDaemon();
  ({ apiKey } = await daemon.signIn('protocol@example.com'));
});

afterAll(() => daemon.close());

interface Message {
  method?: string;
  params?: Record<string, unknown>;
  headers?: Record<string, string | undefined>;
}

/** Builds a message of the stateless revision; `headers` overrides headers, or removes them with `undefined`. */
function modern({ method = 'tools/list', params = {}, headers = {} }: Message) {
  const all: Record<string, string | undefined> = {
    authorization: `Bearer ${apiKey}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': REVISION,
    'mcp-method': method,
    'mcp-name': params.name as string | undefined,
    ...headers,
  };
  return {
    headers: Object.fromEntries(
      Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
    ),
    body: JSON.stringify({ jsonrpc: '2.0', id: 'seven', method, params: { _meta: ENVELOPE, ...params } }),
  };
}

function send(message: Message = {}, init: RequestInit = {}): Promise<Response> {
  return fetch(`${daemon.baseUrl}/v1/mcp`, { method: 'POST', ...modern(message), ...init });
}

const reading = (uri: string): Message => ({ method: 'resources/read', params: { uri }, headers: { 'mcp-name': uri } });

/** Sends a message of the revisions that start with `initialize`. */
function legacy(body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const none = { 'mcp-protocol-version': undefined, 'mcp-method': undefined };
  return send({ headers: { ...none, ...headers } }, { body: JSON.stringify(body) });
}

interface Answer {
  id?: unknown;
  error?: { code: number };
  result?: Record<string, unknown>;
}

/** Parses the JSON-RPC response, sent as JSON or as a single event of a stream. */
async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  return JSON.parse(/^data: (.+)$/m.exec(text)?.[1] ?? text);
}

describe('the protocol', () => {
  test('server/discover and tools/list return complete results with a TTL', async () => {
    for (const [method, cacheScope] of [
      ['server/discover', 'public'],
      ['tools/list', 'private'],
    ]) {
      const response = await send({ method });
      expect(response.status).toBe(200);
      expect((await answerOf(response)).result).toMatchObject({
        resultType: 'complete',
        ttlMs: expect.any(Number),
        cacheScope,
      });
    }
  });

  test('resources and prompts return complete results: shared ones are cacheable, private ones are not', async () => {
    for (const [method, cacheScope, params = {}] of [
      ['prompts/list', 'public'],
      ['resources/templates/list', 'public'],
      ['resources/list', 'private'],
      ['resources/read', 'private', { uri: 'memory://profile' }],
    ] as [string, string, Record<string, unknown>?][]) {
      const response = await send({ method, params, headers: { 'mcp-name': params.uri as string | undefined } });
      const { result } = await answerOf(response);
      expect([method, response.status, result]).toMatchObject([method, 200, { resultType: 'complete', cacheScope }]);
      expect(Number(result?.ttlMs) > 0).toBe(cacheScope === 'public');
    }
    const get = await send({ method: 'prompts/get', params: { name: 'save_session' } });
    expect((await answerOf(get)).result).toMatchObject({ resultType: 'complete', messages: [{ role: 'user' }] });
  });

  test('initialize negotiates the revision that the client requests', async () => {
    for (const protocolVersion of ['2025-11-25', '2025-06-18']) {
      const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } };
      const response = await legacy({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
      expect(response.headers.get('mcp-session-id')).toBeNull();
      expect((await answerOf(response)).result).toMatchObject({ protocolVersion, serverInfo: { name: 'svc' } });
    }
    const initialized = await legacy({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect([initialized.status, await initialized.text()]).toEqual([202, '']);
  });

  test('arguments that are null count as none, in both revisions', async () => {
    const params = { name: 'memory_list', arguments: null };
    const called = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    for (const response of [await send({ method: 'tools/call', params }), await legacy(called)]) {
      const { result } = await answerOf(response);
      expect(result).toMatchObject({ content: [{ type: 'text' }] });
      expect(result).not.toHaveProperty('isError', true);
    }
  });

  test.each([
    ['an unknown method', { method: 'memories/dream' }, 404, -32601],
    ['a method that the stateless revision dropped', { method: 'ping' }, 404, -32601],
    ['an unknown tool', { method: 'tools/call', params: { name: 'memory_dream', arguments: {} } }, 200, -32602],
    [
      'a tool named like a method of Object.prototype',
      { method: 'tools/call', params: { name: 'toString' } },
      200,
      -32602,
    ],
    ['an unknown prompt', { method: 'prompts/get', params: { name: 'dream' } }, 200, -32602],
    [
      'a prompt named like a method of Object.prototype',
      { method: 'prompts/get', params: { name: 'toString' } },
      200,
      -32602,
    ],
    ['a prompt without its argument', { method: 'prompts/get', params: { name: 'recall' } }, 200, -32602],
    ['a memory that does not exist', reading('memory://mem_0'), 200, -32602],
    ['a resource of another kind', reading('https://svc.example/'), 200, -32602],
    ['an invalid URI', reading('memory'), 200, -32602],
    ['an invalid user name', reading('memory://profile/%00'), 200, -32602],
    ['a badly encoded user name', reading('memory://profile/%E0%A4'), 200, -32602],
    ['a cursor that no list returned', { params: { cursor: 'made up' } }, 200, -32602],
    ['a cursor of resources', { method: 'resources/list', params: { cursor: 'made up' } }, 200, -32602],
    ['malformed parameters', { method: 'tools/call', params: { name: 'memory_list', arguments: 7 } }, 200, -32602],
    ['a method that differs from its header', { headers: { 'mcp-method': 'prompts/list' } }, 400, -32020],
    ['a method without its header', { headers: { 'mcp-method': undefined } }, 400, -32020],
    ['a revision that differs from its header', { headers: { 'mcp-protocol-version': '2025-11-25' } }, 400, -32020],
    [
      'an unknown revision',
      {
        params: { _meta: { ...ENVELOPE, 'io.modelcontextprotocol/protocolVersion': '2031-01-01' } },
        headers: { 'mcp-protocol-version': '2031-01-01' },
      },
      400,
      -32022,
    ],
  ] as [string, Message, number, number][])(
    '%s gets the error of the specification',
    async (_case, message, status, code) => {
      const response = await send(message);
      expect(response.status).toBe(status);
      expect(await answerOf(response)).toMatchObject({ id: 'seven', error: { code } });
      const well = await answerOf(await send({ method: 'tools/call', params: { name: 'memory_list', arguments: {} } }));
      expect(well.result).not.toHaveProperty('isError', true);
    },
  );

  test('a legacy message is served in a known revision and gets 400 in an unknown one', async () => {
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    expect((await legacy(list, { 'mcp-protocol-version': '1999-12-31' })).status).toBe(400);
    expect((await legacy(list, { 'mcp-protocol-version': '2025-06-18' })).status).toBe(200);
  });

  test('a batch is rejected: it would be many calls for one rate limit token', async () => {
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
    const batch = await legacy([ping, { ...ping, id: 2 }]);
    expect([batch.status, (await answerOf(batch)).error?.code]).toEqual([400, -32600]);
    expect((await answerOf(await legacy(ping))).result).toEqual({});
  });

  test('GET and DELETE get 405 with Allow', async () => {
    for (const method of ['GET', 'DELETE']) {
      const response = await send({}, { method, body: null });
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'OPTIONS, POST']);
    }
    expect((await send()).status).toBe(200);
  });
});

describe('access control', () => {
  test('a foreign Origin gets 403', async () => {
    const own = new URL(daemon.baseUrl).origin;
    for (const origin of ['https://evil.example', 'null', 'http://localhost.evil.example', `${own}.evil.example`]) {
      const response = await send({ headers: { origin } });
      expect([origin, response.status]).toEqual([origin, 403]);
      expect(response.headers.get('content-type')).toContain('application/problem+json');
      expect(await response.json()).toMatchObject({ code: 'forbidden', status: 403 });
    }
    for (const origin of [own, 'http://localhost:6274', 'http://127.0.0.1:1', 'http://[::1]:3000', undefined]) {
      expect([origin, (await send({ headers: { origin } })).status]).toEqual([origin, 200]);
    }
  });

  test('a request without a key gets 401, and nothing points an assistant to OAuth', async () => {
    const response = await send({ headers: { authorization: undefined } });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="svc"');
    for (const path of ['oauth-protected-resource', 'oauth-protected-resource/v1/mcp', 'oauth-authorization-server']) {
      expect((await fetch(`${daemon.baseUrl}/.well-known/${path}`)).status).toBe(404);
    }
    expect((await send()).status).toBe(200);
  });
});

test('every MCP response carries the three rate limit headers', async () => {
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
  const answers: [number, Promise<Response>][] = [
    [200, send()],
    [200, legacy(ping)],
    [202, legacy({ jsonrpc: '2.0', method: 'notifications/initialized' })],
    [400, send({ headers: { 'mcp-method': 'x' } })],
    [400, send({}, { body: '{' })],
    [400, legacy([ping])],
    [401, send({ headers: { authorization: undefined } })],
    [403, send({ headers: { origin: 'https://evil.example' } })],
    [404, send({ method: 'memories/dream' })],
    [405, send({}, { method: 'GET', body: null })],
    [405, send({}, { method: 'DELETE', body: null })],
    [415, send({ headers: { 'content-type': 'text/csv' } })],
  ];
  for (const [status, pending] of answers) {
    const response = await pending;
    expect(response.status).toBe(status);
    for (const name of RATE_LIMIT_HEADERS) expect(response.headers.get(name), `${name} at ${status}`).toMatch(/^\d+$/);
  }
});

describe('a client that closes the stream', () => {
  /** Sends a `share` of a message and closes the connection `afterMs` later. */
  function hangUp(content: string, share: number, afterMs: number): Promise<void> {
    const { headers, body } = modern({ method: 'tools/call', params: { name: 'memory_add', arguments: { content } } });
    return new Promise((resolve) => {
      const request = http.request(`${daemon.baseUrl}/v1/mcp`, { method: 'POST', headers, agent: false });
      request.on('error', () => {}).on('close', resolve);
      request.setHeader('content-length', Buffer.byteLength(body));
      request.write(body.slice(0, Math.floor(body.length * share)));
      setTimeout(() => request.destroy(), afterMs);
    });
  }

  test('cancels work that has not begun and does not affect other clients', async () => {
    await Promise.all(Array.from({ length: 10 }, (_, index) => hangUp(`Never said ${index}`, 0.9, index)));
    await Promise.all(Array.from({ length: 10 }, (_, index) => hangUp('Said once', 1, index)));
    const response = await send({ method: 'tools/call', params: { name: 'memory_list', arguments: {} } });
    const { content } = (await answerOf(response)).result as { content: { text: string }[] };
    const listed = content[0]!.text;
    expect(listed).not.toContain('Never said');
    expect(listed.split('Said once').length).toBeLessThanOrEqual(2);
    expect(daemon.logLines.filter((line) => JSON.parse(line).level >= ERROR_LEVEL)).toEqual([]);
  });
});
