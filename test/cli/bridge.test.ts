import { EventEmitter, once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Transport } from '../../src/cli/bridge/http-transport.ts';
import type { Session } from '../../src/cli/command-context.ts';
import { makeTenant } from '../features/limits/tenants.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { connectClient, HANDSHAKE, NotSignedInError, startBridge, stateless } from './bridge-harness.ts';

const UNREACHABLE = 'http://127.0.0.1:9';

let daemon: TestDaemon;
let folder: string;
const closing: (() => unknown)[] = [];

beforeAll(async () => {
  daemon = await startTestDaemon();
  folder = await mkdtemp(join(tmpdir(), 'svc-bridge-test-'));
});

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

afterAll(async () => {
  await daemon.close();
  await rm(folder, { recursive: true, force: true });
});

const sessionOf = (apiKey: string, url = daemon.baseUrl): Session => ({ profileName: 'default', url, apiKey });

async function bridgeUnder(
  session: () => Promise<Session>,
  more: { folder?: string; tools?: 'everyday' | 'tidy' | 'chatgpt' } = {},
) {
  const bridge = await startBridge({ session, ...more });
  closing.push(bridge.close);
  return bridge;
}

describe.each(['legacy', 'modern'] as const)('the official client, %s era', (era) => {
  test('lists and calls the tools without logging a key or a memory', async () => {
    const { apiKey } = await daemon.signIn(`stdio-${era}@example.com`);
    const bridge = await bridgeUnder(async () => sessionOf(apiKey));
    const client = await connectClient(bridge, era);
    expect(client.getNegotiatedProtocolVersion()).toBe(era === 'legacy' ? '2025-11-25' : '2026-07-28');
    expect(client.getServerVersion()).toMatchObject({ name: 'svc' });
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('memory_add');
    const added = await client.callTool({ name: 'memory_add', arguments: { content: 'Ada prefers  oolong\u2028tea' } });
    expect(added.content).toMatchObject([{ text: expect.stringContaining('> Ada prefers  oolong\n> tea') }]);
    const found = await client.callTool({ name: 'memory_search', arguments: { query: 'oolong' } });
    expect(found.content).toMatchObject([{ text: expect.stringContaining('> Ada prefers  oolong\n> tea') }]);
    await daemon.activity.flush();
    const { data } = (await daemon.call<{ data: object[] }>(apiKey, '/v1/activity?route=memory_search')).body;
    expect(data).toMatchObject([{ client: 'test/1', transport: 'mcp' }]);
    expect(bridge.logged.join('')).toContain('tools/call');
    expect(bridge.logged.join('')).not.toMatch(/svc_live|oolong/);
  });

  test('lists the tools without a sign-in, and a call says to sign in', async () => {
    const client = await connectClient(await bridgeUnder(() => Promise.reject(new NotSignedInError())), era);
    expect((await client.listTools()).tools.length).toBeGreaterThan(5);
    const answer = await client.callTool({ name: 'memory_search', arguments: { query: 'tea' } });
    expect(answer.isError).toBe(true);
    expect(answer.content[0]).toMatchObject({ text: expect.stringContaining('svc login') });
    expect(client.getInstructions()).toContain('svc login');
  });
});

describe('the stored key', () => {
  test('is read on first use, cached, and read again when the daemon rejects it', async () => {
    const email = 'rotated@example.com';
    let { apiKey } = await daemon.signIn(email);
    let reads = 0;
    const bridge = await bridgeUnder(async () => {
      reads += 1;
      return sessionOf(apiKey);
    });
    expect(reads).toBe(0);
    await Promise.all([bridge.ask('ping'), bridge.ask('ping')]);
    expect(reads).toBe(1);
    apiKey = (await daemon.signIn(email)).apiKey;
    const answers = await Promise.all([1, 2, 3].map(() => bridge.ask('tools/list')));
    expect(answers.map(({ result }) => result?.tools?.length)).toEqual([7, 7, 7].map(() => expect.any(Number)));
    expect(reads).toBe(2);
    expect(bridge.logged.join()).not.toContain('svc_live');
  });

  test('if it stays rejected, the tool result says to sign in, and a later sign-in is picked up', async () => {
    const email = 'late@example.com';
    let { apiKey } = await daemon.signIn(email);
    await daemon.signInByMail(email);
    const bridge = await bridgeUnder(async () => sessionOf(apiKey));
    const call = () => bridge.ask('tools/call', { name: 'memory_list', arguments: {} });
    const refused = await call();
    expect(refused.result).toMatchObject({ isError: true });
    expect(refused.result?.content?.[0]?.text).toMatch(
      /replaced by a sign-in on the web less than a minute ago.*Nothing was read or stored\..*svc login/,
    );
    apiKey = (await daemon.signIn(email)).apiKey;
    expect((await call()).result).toMatchObject({ content: [{ text: 'No memories.' }] });
  });

  test('gets different advice when it is missing than when the keychain is locked', async () => {
    let problem: Error = new NotSignedInError('none');
    const bridge = await bridgeUnder(() => Promise.reject(problem));
    const advice = async () => (await bridge.ask('tools/call', { name: 'memory_list' })).result?.content?.[0]?.text;
    expect(await advice()).toMatch(/not signed in.*svc login/);
    problem = new Error('The keychain is locked.');
    expect(await advice()).toMatch(/The keychain is locked\..*svc status/);
  });
});

describe('an unreachable daemon', () => {
  test('is answered for by the bridge in both eras', async () => {
    const bridge = await bridgeUnder(async () => sessionOf('svc_live_x', UNREACHABLE));
    expect((await bridge.ask('initialize', HANDSHAKE)).result).toMatchObject({
      protocolVersion: '2025-06-18',
      serverInfo: { name: 'svc', version: '1.2.3' },
    });
    bridge.notify('notifications/initialized');
    expect((await bridge.ask('ping')).result).toEqual({});
    expect((await bridge.ask('server/discover', stateless())).result).toMatchObject({
      supportedVersions: ['2026-07-28'],
      resultType: 'complete',
      ttlMs: 0,
    });
    expect((await bridge.ask('tools/list', stateless())).result).toMatchObject({ cacheScope: 'private' });
    expect((await bridge.ask('tools/call', { name: 'memory_add' })).result?.content?.[0]?.text).toMatch(/svc serve/);
    for (const [method, params] of [
      ['resources/read', { uri: 'memory://profile' }],
      ['prompts/get', { name: 'recall', arguments: { about: 'tea' } }],
    ] as const) {
      const refused = await bridge.ask(method, params);
      expect(refused.error).toMatchObject({ code: -32603, message: expect.stringContaining('svc serve') });
    }
  });

  test('may stop and restart while the bridge runs', async () => {
    const port = await freePort();
    const first = await startTestDaemon({ config: { port } });
    const { apiKey } = await first.signIn('restart@example.com');
    const bridge = await bridgeUnder(async () => sessionOf(apiKey, first.baseUrl));
    const list = async () => (await bridge.ask('tools/call', { name: 'memory_list', arguments: {} })).result?.isError;
    expect(await list()).toBeUndefined();
    await first.stop();
    expect(await list()).toBe(true);
    const second = await startTestDaemon({ config: { port }, dataDir: first.folder });
    closing.push(second.close);
    expect(await list()).toBeUndefined();
    await second.stop();
    const third = await startTestDaemon({ config: { port }, dataDir: first.folder });
    closing.push(third.stop);
    expect(await list()).toBeUndefined();
  });

  test('has its most recent tool list returned', async () => {
    const { apiKey } = await daemon.signIn('cached@example.com');
    const cached = await mkdtemp(join(tmpdir(), 'svc-cached-'));
    const online = await startBridge({ session: async () => sessionOf(apiKey), folder: cached });
    const { result } = await online.ask('tools/list', stateless());
    online.stop();
    await online.ended;
    expect(await readdir(cached)).toEqual(['mcp-tools.json']);
    const offline = await bridgeUnder(async () => sessionOf(apiKey, UNREACHABLE), { folder: cached });
    expect((await offline.ask('tools/list')).result?.tools).toEqual(result?.tools);
  });

  test('does not mix the tools to tidy memories with those of every day', async () => {
    const { apiKey } = await daemon.signIn('two-sets@example.com');
    const namesOf = async (tools: 'everyday' | 'tidy', url?: string) => {
      const bridge = await bridgeUnder(async () => sessionOf(apiKey, url), { folder: shared, tools });
      const { result } = await bridge.ask('tools/list');
      bridge.stop();
      await bridge.ended;
      return result?.tools?.map(({ name }) => name);
    };
    const shared = await mkdtemp(join(tmpdir(), 'svc-two-sets-'));
    const tidy = ['suggestions_list', 'suggestions_propose'];
    expect(await namesOf('tidy', UNREACHABLE)).toEqual(tidy);
    const everyday = await namesOf('everyday');
    expect(everyday).toContain('memory_add');
    expect(await namesOf('tidy')).toEqual(tidy);
    expect((await readdir(shared)).sort()).toEqual(['mcp-tools-tidy.json', 'mcp-tools.json']);
    expect(await namesOf('everyday', UNREACHABLE)).toEqual(everyday);
    expect(await namesOf('tidy', UNREACHABLE)).toEqual(tidy);
  });

  test.each([
    ['tidy', 'prompts/list'],
    ['tidy', 'initialize'],
    ['tidy', 'server/discover'],
    ['chatgpt', 'initialize'],
    ['chatgpt', 'server/discover'],
  ] as const)('gets, with --tools %s, the same answer to %s as from a daemon', async (tools, method) => {
    const { apiKey } = await makeTenant(daemon, 'other-offers@example.com');
    const online = await bridgeUnder(async () => sessionOf(apiKey), { tools });
    const offline = await bridgeUnder(async () => sessionOf('svc_live_x', UNREACHABLE), { tools });
    const params = method === 'initialize' ? HANDSHAKE : stateless();
    const [real, substitute] = [await online.ask(method, params), await offline.ask(method, params)];
    expect(essentials(substitute.result)).toEqual(essentials(real.result));
  });

  test.each(['resources/list', 'resources/templates/list', 'prompts/list', 'initialize', 'server/discover'])(
    'gets the same answer to %s as from a daemon without memories',
    async (method) => {
      const { apiKey } = await makeTenant(daemon, 'offers@example.com');
      const online = await bridgeUnder(async () => sessionOf(apiKey));
      const offline = await bridgeUnder(async () => sessionOf('svc_live_x', UNREACHABLE));
      const params = method === 'initialize' ? HANDSHAKE : stateless();
      const [real, substitute] = [await online.ask(method, params), await offline.ask(method, params)];
      expect(essentials(substitute.result)).toEqual(essentials(real.result));
      expect(essentials(real.result)).not.toEqual({});
    },
  );

  test.each(['everyday', 'tidy', 'chatgpt'] as const)(
    'the built-in %s tools are a subset of the daemon’s',
    async (tools) => {
      const { apiKey } = await makeTenant(daemon, 'built-in@example.com');
      type Tool = { name: string; inputSchema: { required?: string[]; properties: object } };
      const real = (await (await bridgeUnder(async () => sessionOf(apiKey), { tools })).ask('tools/list')).result
        ?.tools as never;
      const built = (
        await (await bridgeUnder(() => Promise.reject(new NotSignedInError('')), { tools })).ask('tools/list')
      ).result;
      expect(built?.tools?.length).toBeGreaterThan(1);
      for (const { name, inputSchema } of (built?.tools ?? []) as unknown as Tool[]) {
        const twin = (real as Tool[]).find((tool) => tool.name === name);
        if (!twin) expect.fail(`The daemon has no ${name}`);
        expect(twin.inputSchema.required ?? [], name).toEqual(inputSchema.required);
        expect(Object.keys(twin.inputSchema.properties), name).toEqual(
          expect.arrayContaining(Object.keys(inputSchema.properties)),
        );
      }
    },
  );
});

describe('a failing call', () => {
  test('gets the JSON-RPC error code', async () => {
    const { apiKey } = await daemon.signIn('faults@example.com');
    const bridge = await bridgeUnder(async () => sessionOf(apiKey));
    bridge.sendLine('{"jsonrpc":"2.0",');
    bridge.sendLine('[{"jsonrpc":"2.0","id":1,"method":"ping"}]');
    bridge.sendLine('');
    expect(bridge.lines).toEqual([]);
    expect((await bridge.ask('no/such', stateless())).error).toMatchObject({ code: -32601 });
    const future = stateless();
    future._meta['io.modelcontextprotocol/protocolVersion'] = '2099-01-01';
    expect((await bridge.ask('tools/list', future)).error).toMatchObject({ code: -32022 });
    expect(bridge.lines.slice(0, 2).map((line) => JSON.parse(line).error.code)).toEqual([-32700, -32600]);
  });

  test('carries a name that is not a valid header value', async () => {
    const { apiKey } = await daemon.signIn('names@example.com');
    const bridge = await bridgeUnder(async () => sessionOf(apiKey));
    const answer = await bridge.ask('tools/call', stateless({ name: 'mémoire ', arguments: {} }));
    expect(answer.error?.message ?? answer.result?.content?.[0]?.text).toMatch(/mémoire|not found/i);
    expect(answer.error?.code).not.toBe(-32020);
  });

  test('reports a rejected request with the daemon’s reason and how long to wait', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(429, { 'content-type': 'application/problem+json', 'retry-after': '7' });
      response.end(JSON.stringify({ code: 'rate_limited', detail: 'Too many requests.', status: 429 }));
    });
    const bridge = await bridgeUnder(async () => sessionOf('svc_live_x', url));
    const { result } = await bridge.ask('tools/call', { name: 'memory_list' });
    expect(result?.content?.[0]?.text).toBe(
      'rate_limited: Too many requests. Nothing was done. Wait 7 s before the next call.',
    );
  });

  test('distinguishes a server that is not svc from a broken connection', async () => {
    const foreign = await serve((_request, response) => response.end('<html>'));
    const breaking = await serve((request) => request.socket.destroy());
    let url = foreign;
    const bridge = await bridgeUnder(async () => sessionOf('svc_live_x', url));
    const advice = async () => (await bridge.ask('tools/call', { name: 'memory_list' })).result?.content?.[0]?.text;
    expect(await advice()).toContain('is not an svc daemon');
    url = breaking;
    const other = await bridgeUnder(async () => sessionOf('svc_live_x', url));
    const broken = (await other.ask('tools/call', { name: 'memory_add' })).result?.content?.[0]?.text;
    expect(broken).toContain('may or may not have taken effect');
    expect(broken).toContain('conversation_append stores its messages again');
  });

  test.each(['', '<html>Gateway timeout</html>'])(
    'does not say that nothing was stored if a proxy gives up on the daemon with %j',
    async (page) => {
      const url = await serve((_request, response) => response.writeHead(504).end(page));
      const bridge = await bridgeUnder(async () => sessionOf('svc_live_x', url));
      const { result } = await bridge.ask('tools/call', { name: 'conversation_append' });
      const advice = result?.content?.[0]?.text;
      expect(advice).toContain(`The proxy in front of the svc daemon at ${url} got no answer from it (HTTP 504)`);
      expect(advice).toContain('may or may not have taken effect');
    },
  );
});

describe('cancellation and shutdown', () => {
  test('closes the connection of a cancelled request and never answers it', async () => {
    const asked = new EventEmitter();
    const [arrived, gone] = [once(asked, 'arrived'), once(asked, 'gone')];
    const url = await serve((_request, response) => {
      response.on('close', () => asked.emit('gone'));
      asked.emit('arrived');
    });
    const bridge = await bridgeUnder(async () => sessionOf('svc_live_x', url));
    void bridge.ask('tools/call', { name: 'memory_list' });
    await arrived;
    bridge.notify('notifications/cancelled', { requestId: 1 });
    await gone;
    bridge.stop();
    await bridge.ended;
    expect(bridge.lines).toEqual([]);
  });

  test('delivers pending answers after the input has ended', async () => {
    const { apiKey } = await daemon.signIn('drain@example.com');
    const bridge = await startBridge({ session: async () => sessionOf(apiKey) });
    const answer = bridge.ask('ping');
    await bridge.close();
    expect((await answer).result).toEqual({});
  });

  test('stops at once when asked to, even with an answer pending', async () => {
    const url = await serve(() => {});
    const bridge = await startBridge({ session: async () => sessionOf('svc_live_x', url) });
    void bridge.ask('ping');
    bridge.stop();
    await bridge.ended;
    expect(bridge.lines).toEqual([]);
  });
});

async function serve(handler: Parameters<typeof createServer>[1]): Promise<string> {
  const server: Server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** The parts of an answer that an assistant relies on: capabilities, names, URIs and required arguments. */
function essentials(result: object | undefined): object {
  const shown = ['capabilities', 'resources', 'resourceTemplates', 'prompts', 'arguments'];
  const retained = [...shown, 'listChanged', 'tools', 'uri', 'uriTemplate', 'name', 'mimeType', 'required'];
  const filtered = JSON.stringify(result, (key, value) =>
    key === '' || /^\d+$/.test(key) || retained.includes(key) ? value : undefined,
  );
  return JSON.parse(filtered) as object;
}

test('every request of the bridge says in User-Agent which assistant it works for', async () => {
  const sent: (string | undefined)[] = [];
  const transport: Transport = async ({ headers }) => {
    sent.push(headers['user-agent']);
    throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
  };
  const bridge = await startBridge({ session: async () => sessionOf('svc_live_0'), transport });
  closing.push(bridge.close);
  await bridge.ask('ping');
  await bridge.ask('initialize', { ...HANDSHAKE, clientInfo: { name: 'Visual Studio Code', version: '1.99.0' } });
  await bridge.ask('tools/call', { name: 'memory_list', arguments: {} });
  const products = [...new Set(sent)];
  expect(products).toEqual(['svc-bridge/1.2.3', 'Visual-Studio-Code/1.99.0 svc-bridge/1.2.3']);
});
