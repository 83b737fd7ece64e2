import { createServer } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { PROVIDER_HTTP_LIMITS } from '../../../src/outside/providers/provider-http.ts';
import type { ProviderModels } from '../../../src/outside/providers/provider-models.ts';
import { ask, faultOf, modelsFor, soon } from '../../helpers/providers/models.ts';
import { type ProviderServer, startProviderServer } from '../../helpers/providers/server.ts';

const KEY = 'right-key-0123456789';
const MIB = 1024 * 1024;
const PATIENTLY = { timeout: 15_000 };
let server: ProviderServer;
let models: ProviderModels;
let hasty: ProviderModels;

beforeAll(async () => {
  server = await startProviderServer('openai-compatible', { key: KEY, answer: () => ({ facts: [] }) });
  models = modelsFor([server.allowed]);
  hasty = modelsFor([server.allowed], { limits: soon(150) });
});
beforeEach(() => server.reset());
afterAll(async () => {
  await models.close();
  await hasty.close();
  await server.close();
});

type Call = (models: ProviderModels, signal?: AbortSignal) => Promise<unknown>;

const CALLS: [string, Call][] = [
  ['a check', (models, signal) => models.list(server.access(), signal)],
  [
    'vectors',
    (models, signal) =>
      models.embed(server.access(), { model: server.embedding, texts: ['a'], purpose: 'query' }, signal),
  ],
  ['an object', (models, signal) => models.generate(server.access(), ask(server.generating), signal)],
];

describe.each(CALLS)('%s', (name, call) => {
  test('times out if the provider sends nothing, or stops in the middle', async () => {
    for (const trouble of ['hang', 'hang-mid-body'] as const) {
      server.next(trouble);
      expect(await faultOf(call(hasty))).toMatchObject({ reason: 'slow' });
    }
    await expect(call(models)).resolves.toBeDefined();
  });

  test('ends when the caller aborts, and leaves no connection open', async () => {
    const early = AbortSignal.abort();
    expect(await faultOf(call(models, early))).toMatchObject({ reason: 'slow' });
    expect(server.requests).toEqual([]);
    for (const trouble of ['hang', 'hang-mid-body'] as const) {
      const stopping = new AbortController();
      server.next(trouble);
      const fault = faultOf(call(models, stopping.signal));
      await expect.poll(() => server.requests.length, PATIENTLY).toBe(1);
      stopping.abort(new Error('of the caller'));
      expect(await fault).toMatchObject({ reason: 'slow' });
      await expect.poll(() => server.state.answering, PATIENTLY).toBe(0);
      server.reset();
    }
  });

  test('that is cut off or refused is unreachable', async () => {
    server.next('reset');
    const fault = await faultOf(call(models));
    expect(fault).toMatchObject({ reason: 'unreachable' });
    expect(fault.message).toMatch(/ECONNRESET|UND_ERR_SOCKET/);
    await expect(call(models)).resolves.toBeDefined();
  });

  test('follows no redirects, and the key goes nowhere else', async () => {
    const elsewhere = await startProviderServer('openai-compatible');
    const both = modelsFor([server.allowed, elsewhere.allowed]);
    server.state.redirectTo = `${elsewhere.baseUrl}/models`;
    for (const status of [301, 302, 303, 307, 308]) {
      server.next({ status, headers: { location: server.state.redirectTo } });
      expect(await faultOf(call(both))).toMatchObject({ reason: 'failed', maybeInput: false });
    }
    server.next('redirect');
    expect(await faultOf(call(both))).toMatchObject({ reason: 'failed' });
    expect(elsewhere.requests).toEqual([]);
    expect(elsewhere.state.connections).toBe(0);
    await both.close();
    await elsewhere.close();
  });

  test.each(['huge', 'bomb'] as const)(
    'does not read beyond its limit from an endless response: %s',
    async (trouble) => {
      const bound = PROVIDER_HTTP_LIMITS.exchange[name === 'a check' ? 'check' : 'stream'].maxBytes;
      // Error responses are limited too.
      for (const status of [200, 400]) {
        server.reset();
        server.state.troubleStatus = status;
        server.next(trouble);
        const { fault, grownBytes } = await whileMeasured(() => faultOf(call(models)));
        expect(fault).toMatchObject({ reason: 'failed' });
        await expect.poll(() => server.state.answering, PATIENTLY).toBe(0);
        // Compressed data fits into socket buffers, so the server can send far more of it without waiting.
        if (trouble === 'huge') expect(server.state.bytesSent).toBeLessThan(bound + 16 * MIB);
        expect(grownBytes).toBeLessThan(4 * bound + 64 * MIB);
      }
      server.reset();
      await expect(call(models)).resolves.toBeDefined();
    },
  );
});

/** Upper bound of what is buffered in between, including by the server in this process. */
async function whileMeasured<T>(work: () => Promise<T>): Promise<{ fault: T; grownBytes: number }> {
  const before = process.memoryUsage().arrayBuffers;
  let most = before;
  const measuring = setInterval(() => {
    most = Math.max(most, process.memoryUsage().arrayBuffers);
  }, 2);
  const fault = await work();
  clearInterval(measuring);
  return { fault, grownBytes: most - before };
}

test('a stream that trickles forever times out', async () => {
  const limits = soon(5000);
  limits.exchange.stream.wholeMs = 400;
  const patient = modelsFor([server.allowed], { limits });
  server.next('drip');
  const fault = await faultOf(patient.generate(server.access(), ask(server.generating)));
  expect(fault).toMatchObject({ reason: 'slow' });
  await patient.close();
});

test('a closed port is unreachable, and the fault says so', async () => {
  const listening = createServer();
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  const { port } = listening.address() as { port: number };
  await new Promise((resolve) => listening.close(resolve));
  const own = modelsFor([{ host: '127.0.0.1', port }]);
  const fault = await faultOf(own.list({ ...server.access(), baseUrl: `http://127.0.0.1:${port}/v1` }));
  expect(fault).toMatchObject({ reason: 'unreachable' });
  expect(fault.message).toContain('ECONNREFUSED');
  await own.close();
});

test('a host name that does not exist is unreachable', async () => {
  const missing = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
  const own = modelsFor([], { lookup: () => Promise.reject(missing) });
  const fault = await faultOf(own.list({ provider: 'openai', key: KEY, baseUrl: undefined }));
  expect(fault).toMatchObject({ reason: 'unreachable' });
  expect(fault.message).toContain('ENOTFOUND');
  await own.close();
});

test('a server that does not speak HTTP fails', async () => {
  const chatter = createServer((socket) => {
    socket.write('SSH-2.0-OpenSSH_9.6\r\n');
    socket.destroySoon();
  });
  await new Promise<void>((resolve) => chatter.listen(0, '127.0.0.1', resolve));
  const { port } = chatter.address() as { port: number };
  const own = modelsFor([{ host: '127.0.0.1', port }]);
  const fault = await faultOf(own.list({ ...server.access(), baseUrl: `http://127.0.0.1:${port}/v1` }));
  expect(fault).toMatchObject({ reason: 'failed' });
  await own.close();
  await new Promise((resolve) => chatter.close(resolve));
});

test('closing the connections ends a request in flight immediately', async () => {
  const own = modelsFor([server.allowed]);
  server.next('hang');
  const fault = faultOf(own.list(server.access()));
  await expect.poll(() => server.requests.length, PATIENTLY).toBe(1);
  await own.close();
  expect(await fault).toMatchObject({ reason: 'unreachable' });
});

test('proxies from the environment are not used', async () => {
  const proxy = await startProviderServer('openai-compatible');
  for (const name of ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY']) {
    vi.stubEnv(name, `http://${proxy.host}`);
  }
  const own = modelsFor([server.allowed]);
  expect(await own.list(server.access())).toContain('some-model');
  expect(proxy.state.connections).toBe(0);
  vi.unstubAllEnvs();
  await own.close();
  await proxy.close();
});
