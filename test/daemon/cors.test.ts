import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ConfigError, describeConfig, readConfig } from '../../src/daemon/config.ts';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../features/memories/memory-daemon.ts';
import { expectRateHeaders } from './headers-expected.ts';

const APP = 'https://app.example.com';
const OTHERS = [
  'https://evil.example',
  'https://app.example.com.evil.example',
  'http://app.example.com',
  'https://app.example.com:8443',
  'https://APP.example.com/',
  'null',
];

const corsHeaders = (headers: Headers) => [...headers.keys()].filter((name) => name.startsWith('access-control-'));
const preflight = (origin: string, method = 'PATCH') => ({
  method: 'OPTIONS',
  headers: {
    origin,
    'access-control-request-method': method,
    'access-control-request-headers': 'authorization,content-type,if-match',
  },
});

describe('with SVC_CORS_ORIGINS', () => {
  let daemon: MemoryDaemon;
  let caller: Caller;
  beforeAll(async () => {
    const { corsOrigins } = readConfig({}, { SVC_CORS_ORIGINS: `${APP}, http://localhost:3000` }, '');
    daemon = await startMemoryDaemon({ config: { corsOrigins } });
    caller = await daemon.account();
  });
  afterAll(() => daemon.close());

  test.each([APP, 'http://localhost:3000'])(
    '%s may call, and read the rate, ETag and request id headers',
    async (origin) => {
      const { id } = await caller.add('tea');
      const path = `/v1/memories/${id}`;
      const asked = await daemon.call(undefined, path, preflight(origin));
      expect([asked.status, asked.text]).toEqual([204, '']);
      expect(asked.headers.get('access-control-allow-origin')).toBe(origin);
      expect(asked.headers.get('access-control-allow-methods')).toContain('PATCH');
      const allowed = asked.headers.get('access-control-allow-headers')!.toLowerCase().split(', ');
      expect(allowed).toEqual(expect.arrayContaining(['authorization', 'content-type', 'if-match', 'idempotency-key']));
      expectRateHeaders(asked.headers, 'preflight');

      const answers = [
        await caller.call(path, { headers: { origin } }),
        await caller.call(path, { method: 'PATCH', body: { colour: 1 }, headers: { origin } }),
        await daemon.call(undefined, path, { headers: { origin } }),
        await caller.call('/v1/nothing', { headers: { origin } }),
      ];
      expect(answers.map(({ status }) => status)).toEqual([200, 400, 401, 404]);
      for (const { headers } of answers) {
        expect([headers.get('access-control-allow-origin'), headers.get('vary')]).toEqual([origin, 'Origin']);
        const exposed = headers.get('access-control-expose-headers')!.toLowerCase().split(', ');
        expect(exposed).toEqual(
          expect.arrayContaining(['etag', 'x-request-id', 'retry-after', 'x-ratelimit-remaining']),
        );
        expect(headers.get('access-control-allow-credentials')).toBeNull();
      }
    },
  );

  test.each(OTHERS)('%s may not', async (origin) => {
    for (const answer of [
      await daemon.call(undefined, '/v1/account', preflight(origin)),
      await caller.call('/v1/account', { headers: { origin } }),
    ]) {
      expect(corsHeaders(answer.headers)).toEqual([]);
      expect(answer.headers.get('vary')).toBe('Origin');
    }
  });

  test('the dashboard stays closed to other origins', async () => {
    expect(corsHeaders((await daemon.call(undefined, '/dashboard', { headers: { origin: APP } })).headers)).toEqual([]);
  });

  test('pages of these origins may call MCP', async () => {
    const ask = (origin: string) =>
      caller.call('/v1/mcp', {
        body: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
        headers: { accept: 'application/json, text/event-stream', origin },
      });
    expect((await ask(APP)).status).toBe(200);
    expect((await ask('https://evil.example')).status).toBe(403);
  });
});

test('without the setting no origin may call', async () => {
  const daemon = await startMemoryDaemon();
  const { headers } = await daemon.call(undefined, '/v1/account', preflight(APP));
  expect(corsHeaders(headers)).toEqual([]);
  await daemon.close();
});

describe('SVC_CORS_ORIGINS', () => {
  test('accepts exact origins, and --check shows them', () => {
    const config = readConfig({}, { SVC_CORS_ORIGINS: 'https://A.example.com, http://127.0.0.1:3000' }, '');
    expect(config.corsOrigins).toEqual(['https://a.example.com', 'http://127.0.0.1:3000']);
    expect(describeConfig(config).SVC_CORS_ORIGINS).toEqual(config.corsOrigins);
    expect(readConfig({}, {}, '').corsOrigins).toEqual([]);
  });

  test.each([
    '*',
    'https://*.example.com',
    'app.example.com',
    'https://a.example/x',
    'https://a.example/',
    'null',
    'file:///x',
  ])('refuses %s', (text) => {
    const read = () => readConfig({}, { SVC_CORS_ORIGINS: text }, '');
    expect(read).toThrow(expect.objectContaining({ name: 'ConfigError' } satisfies Partial<ConfigError>));
    expect(read).toThrow(/^SVC_CORS_ORIGINS must be origins/);
  });
});
