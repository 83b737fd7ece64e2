import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createBatchingTransport } from '../../src/cli/bridge/batching-transport.ts';
import { createHttpTransport } from '../../src/cli/bridge/http-transport.ts';
import { BATCH_MEDIA_TYPE } from '../../src/contract/mcp-batch.ts';
import { makeTenant } from '../features/limits/tenants.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { connectClient, HANDSHAKE, type Reply, startBridge, stateless } from './bridge-harness.ts';

let daemon: TestDaemon;
const closing: (() => unknown)[] = [];

beforeAll(async () => {
  daemon = await startTestDaemon();
  // No bucket refills.
  daemon.clock.freeze();
});

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

afterAll(() => daemon.close());

async function bridgeFor(apiKey: () => string, url = daemon.baseUrl) {
  const transport = createBatchingTransport(createHttpTransport());
  const session = async () => ({ profileName: 'default', url, apiKey: apiKey() });
  const bridge = await startBridge({ session, transport });
  closing.push(bridge.close);
  return bridge;
}

/** Lists the media types of the requests that the daemon gets. */
function watchRequests(): string[] {
  const types: string[] = [];
  const listener = (request: IncomingMessage) => types.push(request.headers['content-type'] ?? '');
  daemon.app.server.on('request', listener);
  closing.push(() => daemon.app.server.off('request', listener));
  return types;
}

const textOf = ({ result }: Reply) => result?.content?.[0]?.text ?? '';

describe('calls at once', () => {
  test.each(['legacy', 'modern'] as const)('get their own answers, failing ones among them, %s era', async (era) => {
    const { apiKey } = await makeTenant(daemon, `own-${era}@example.com`, 'Enterprise');
    const bridge = await bridgeFor(() => apiKey);
    if (era === 'legacy') await bridge.ask('initialize', HANDSHAKE);
    const types = watchRequests();
    const paramsOf = (params: object) => (era === 'legacy' ? params : stateless(params));
    const answers = await Promise.all(
      Array.from({ length: 120 }, (_, at) => {
        if (at % 4 === 1)
          return bridge.ask('tools/call', paramsOf({ name: 'memory_get', arguments: { id: `m${at}` } }));
        if (at % 4 === 2) return bridge.ask('tools/call', paramsOf({ name: `tool_${at}`, arguments: {} }));
        if (at % 40 === 3) return bridge.ask('tools/list', paramsOf({}));
        return bridge.ask('tools/call', paramsOf({ name: 'memory_add', arguments: { content: `fact number ${at}.` } }));
      }),
    );
    for (const [at, answer] of answers.entries()) {
      if (at % 4 === 1) expect([at, answer.result?.isError]).toEqual([at, true]);
      else if (at % 4 === 2) expect(JSON.stringify(answer)).toContain(`tool_${at}`);
      else if (at % 40 === 3) expect(answer.result?.tools?.length).toBeGreaterThan(5);
      else expect(textOf(answer)).toContain(`fact number ${at}.`);
    }
    expect(bridge.lines).toHaveLength(era === 'legacy' ? 121 : 120);
    expect(types.filter((type) => type === BATCH_MEDIA_TYPE).length).toBeGreaterThan(0);
    expect(types.length).toBeLessThan(era === 'legacy' ? 12 : 48);
  });

  test('a call alone is sent as a single request', async () => {
    const { apiKey } = await makeTenant(daemon, 'alone@example.com');
    const bridge = await bridgeFor(() => apiKey);
    const types = watchRequests();
    expect(textOf(await bridge.ask('tools/call', { name: 'memory_list', arguments: {} }))).toBe('No memories.');
    expect(types).toEqual(['application/json']);
  });

  test('beyond the rate limit are told one by one how long to wait', async () => {
    const { apiKey } = await makeTenant(daemon, 'limited@example.com');
    const bridge = await bridgeFor(() => apiKey);
    const answers = await Promise.all(
      Array.from({ length: 130 }, () => bridge.ask('tools/call', { name: 'memory_list', arguments: {} })),
    );
    const refused = answers.filter(({ result }) => result?.isError);
    expect(refused).toHaveLength(10);
    for (const answer of refused) expect(textOf(answer)).toMatch(/^rate_limited: .* Wait 1 s before the next call\.$/);
  });

  test('use the new key if theirs was replaced, and otherwise say to sign in', async () => {
    const email = 'replaced@example.com';
    let { apiKey } = await makeTenant(daemon, email);
    const bridge = await bridgeFor(() => apiKey);
    const list = () =>
      Promise.all([1, 2, 3].map(() => bridge.ask('tools/call', { name: 'memory_list', arguments: {} })));
    expect((await list()).map(textOf)).toEqual(Array(3).fill('No memories.'));
    const next = (await makeTenant(daemon, email)).apiKey;
    expect((await list()).map(textOf)).toEqual(Array(3).fill(expect.stringContaining('svc login')));
    apiKey = next;
    expect((await list()).map(textOf)).toEqual(Array(3).fill('No memories.'));
  });

  test('a cancelled one is not answered, and the others are', async () => {
    const { apiKey } = await makeTenant(daemon, 'cancelled@example.com');
    const bridge = await bridgeFor(() => apiKey);
    const ask = () => bridge.ask('tools/call', { name: 'memory_list', arguments: {} });
    const [first, , third] = [ask(), ask(), ask()];
    bridge.notify('notifications/cancelled', { requestId: 2 });
    await Promise.all([first, third, bridge.ask('ping')]);
    expect(bridge.lines.map((line) => JSON.parse(line).id).sort()).toEqual([1, 3, 4]);
  });

  test('of which all are cancelled hang up', async () => {
    const { url, received, gone } = await serve(() => {});
    const bridge = await bridgeFor(() => 'svc_live_x', url);
    for (const id of [1, 2]) void bridge.ask('tools/call', { name: 'memory_list', arguments: { limit: id } });
    await received;
    for (const requestId of [1, 2]) bridge.notify('notifications/cancelled', { requestId });
    await gone;
    expect(bridge.lines).toEqual([]);
  });
});

describe('the official client', () => {
  test('gets answers to 120 calls at once, before and after a restart of the daemon', async () => {
    const config = { port: await freePort() };
    const first = await startTestDaemon({ config });
    const { apiKey } = await makeTenant(first, 'process@example.com', 'Enterprise');
    const client = await connectClient(await bridgeFor(() => apiKey, first.baseUrl));
    const texts = (prefix: string) =>
      Promise.all(
        Array.from({ length: 120 }, async (_, at) => {
          const content = `${prefix} ${at}.`;
          const { content: blocks } = await client.callTool(
            at % 5 === 0
              ? { name: 'memory_get', arguments: { id: content } }
              : { name: 'memory_add', arguments: { content } },
          );
          const text = (blocks[0] as { text: string }).text;
          return at % 5 === 0 || text.includes(content) ? text : expect.fail(`Not the answer to ${content}: ${text}`);
        }),
      );
    expect(new Set(await texts('fact')).size).toBeGreaterThan(96);
    await first.stop();
    const down = await Promise.all([1, 2, 3].map(() => client.callTool({ name: 'memory_list', arguments: {} })));
    expect(down.map(({ isError }) => isError)).toEqual([true, true, true]);
    const second = await startTestDaemon({ config, dataDir: first.folder });
    closing.push(second.close);
    await texts('new fact');
    const { body } = await second.call<{ data: object[] }>(apiKey, '/v1/memories?limit=100');
    expect(body).toMatchObject({ data: { length: 100 }, nextCursor: expect.any(String) });
  });
});

describe('the daemon', () => {
  test('that does not know batches gets single calls', async () => {
    const types: string[] = [];
    const { url } = await serve((request, response, body) => {
      types.push(request.headers['content-type'] ?? '');
      const isBatch = types.at(-1) === BATCH_MEDIA_TYPE;
      response.writeHead(isBatch ? 415 : 200, { 'content-type': 'application/json' });
      const problem = { code: 'unsupported_media_type', detail: 'Send the body as application/json.' };
      response.end(JSON.stringify(isBatch ? problem : { jsonrpc: '2.0', id: JSON.parse(body).id, result: {} }));
    });
    const bridge = await bridgeFor(() => 'svc_live_x', url);
    for (const _round of [1, 2]) {
      const answers = await Promise.all([1, 2, 3].map(() => bridge.ask('tools/call', { name: 'memory_list' })));
      expect(answers.map(({ result }) => result)).toEqual([{}, {}, {}]);
    }
    expect(types).toEqual([BATCH_MEDIA_TYPE, ...Array(6).fill('application/json')]);
  });

  test('that breaks off leaves the unanswered calls in doubt, and only those', async () => {
    const { url } = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': BATCH_MEDIA_TYPE });
      response.write('{"index":1,"status":200}\n{"jsonrpc":"2.0","id":2,"result":{}}\n{"index":0,"sta');
      setImmediate(() => response.destroy());
    });
    const bridge = await bridgeFor(() => 'svc_live_x', url);
    const [first, second] = await Promise.all([1, 2].map(() => bridge.ask('tools/call', { name: 'memory_list' })));
    expect(textOf(first!)).toContain('may or may not have taken effect');
    expect(second!.result).toEqual({});
  });

  test('that is not reached is reported to each call', async () => {
    const bridge = await bridgeFor(() => 'svc_live_x', 'http://127.0.0.1:9');
    const answers = await Promise.all([1, 2, 3].map(() => bridge.ask('tools/call', { name: 'memory_list' })));
    expect(answers.map(textOf)).toEqual(Array(3).fill(expect.stringContaining('svc serve')));
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void;

/** Starts a server, and reports when a request has arrived and when its connection is gone. */
async function serve(handler: Handler) {
  let arrived = () => {};
  let left = () => {};
  const received = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const gone = new Promise<void>((resolve) => {
    left = resolve;
  });
  const server: Server = createServer(async (request, response) => {
    response.on('close', left);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    arrived();
    handler(request, response, Buffer.concat(chunks).toString());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received, gone };
}
