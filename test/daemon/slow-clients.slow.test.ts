import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../features/memories/memory-daemon.ts';

const HEADERS_MS = 300;
const REQUEST_MS = 700;

let daemon: MemoryDaemon;
let caller: Caller;
/** Local ports of the clients that the tests open, and the daemon's open connections by the port of their other side. */
const ports = new Set<number | undefined>();
const connected = new Set<number | undefined>();

beforeAll(async () => {
  daemon = await startMemoryDaemon({ timeouts: { headersMs: HEADERS_MS, requestMs: REQUEST_MS } });
  daemon.app.server.on('connection', (socket: Socket) => {
    const { remotePort } = socket;
    connected.add(remotePort);
    socket.on('close', () => connected.delete(remotePort));
  });
});
beforeEach(async () => {
  caller = await daemon.account();
});
afterAll(() => daemon.close());

/** Counts connections of clients that the tests opened. */
const stuck = () => [...ports].filter((port) => connected.has(port)).length;

async function until(condition: () => Promise<boolean>, ms = 15_000): Promise<boolean> {
  for (const deadline = performance.now() + ms; performance.now() < deadline; await sleep(20)) {
    if (await condition()) return true;
  }
  return false;
}

interface RawConnection {
  socket: Socket;
  /** Everything received so far. */
  received(): string;
}

async function open(): Promise<RawConnection> {
  // A client that never closes its own side: the daemon must not wait for it.
  const socket = connect({ port: Number(new URL(daemon.baseUrl).port), host: '127.0.0.1', allowHalfOpen: true });
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString();
  });
  socket.on('error', () => {});
  await once(socket, 'connect');
  ports.add(socket.localPort);
  return { socket, received: () => text };
}

const head = (length: number) =>
  `POST /v1/memories HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${caller.apiKey}\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n`;

describe('a slow client', () => {
  test.each<[string, () => string[]]>([
    ['with its headers', () => Array.from({ length: 100 }, (_, index) => `x-slow-${index}: 1\r\n`)],
    ['with its body', () => [`${head(500)}\r\n`, ...'{"content":"'.split(''), ...'x'.repeat(480).split('')]],
    ['that sends nothing after the first line', () => ['POST /v1/memories HTTP/1.1\r\n']],
    ['that sends nothing after its headers', () => [`${head(500)}\r\n`]],
  ])('%s gets 408 and is disconnected', async (_, pieces) => {
    const { socket, received } = await open();
    const [first = '', ...rest] = pieces();
    socket.write(first.startsWith('POST') ? first : `GET /v1/memories HTTP/1.1\r\n${first}`);
    for (const piece of rest) {
      if (received() !== '' || socket.destroyed) break;
      socket.write(piece);
      await sleep(20);
    }
    expect(await until(async () => received() !== '')).toBe(true);
    expect(received()).toMatch(/^HTTP\/1\.1 408 /);
    for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']) {
      expect(received().toLowerCase()).toMatch(new RegExp(`\r\n${name}: \\d+\r\n`));
    }
    expect(await caller.list()).toEqual([]);
    socket.destroy();
    expect(await until(async () => stuck() === 0)).toBe(true);
  });

  test('does not delay other clients', async () => {
    const lines = await Promise.all(Array.from({ length: 50 }, open));
    for (const { socket } of lines) socket.write(`${head(500)}\r\n{`);
    expect((await caller.call('/v1/account')).status).toBe(200);
    for (const { socket } of lines) socket.destroy();
    expect(await until(async () => stuck() === 0)).toBe(true);
  });

  test('is served if it finishes in time', async () => {
    const { socket, received } = await open();
    const body = '{"content":"Slow but sure"}';
    socket.write(`${head(body.length)}\r\n`);
    for (const letter of body) {
      socket.write(letter);
      await turn();
    }
    expect(await until(async () => received().startsWith('HTTP/1.1 201'))).toBe(true);
    expect(await caller.list()).toEqual(['Slow but sure']);
    socket.destroy();
  });
});

describe('a client that hangs up', () => {
  test.each<[string, () => string]>([
    ['during its headers', () => 'POST /v1/memories HTTP/1.1\r\nhost:'],
    ['during its body', () => `${head(500)}\r\n{"content":"Half`],
    ['before the response', () => `${head(26)}\r\n{"content":"Then hung up"}`],
    ['before a search is done', () => `${head(17).replace('memories', 'search')}\r\n{"query":"slowly"}`],
  ])('%s leaves nothing behind', async (_, request) => {
    const lines = await Promise.all(Array.from({ length: 20 }, open));
    for (const { socket } of lines) socket.write(request(), () => socket.destroy());
    expect(await until(async () => stuck() === 0)).toBe(true);
    expect(await until(async () => daemon.db.writes.waiting() === 0)).toBe(true);
    expect((await caller.list()).filter((content) => content.startsWith('Half'))).toEqual([]);
    expect((await caller.call('/healthz')).status).toBe(200);
  });

  test('leaves its idempotency key usable', async () => {
    const { socket } = await open();
    const body = '{"content":"Sent and gone"}';
    socket.write(`${head(body.length)}idempotency-key: gone\r\n\r\n${body}`, () => socket.destroy());
    expect(await until(async () => stuck() === 0)).toBe(true);
    const again = () => caller.call('/v1/memories', { body, headers: { 'idempotency-key': 'gone' } });
    expect(await until(async () => [200, 201].includes((await again()).status))).toBe(true);
    expect((await caller.list()).filter((content) => content === 'Sent and gone')).toHaveLength(1);
  });

  test('is not logged as an error of the daemon', () => {
    const faults = daemon.logLines.filter((line) => (JSON.parse(line) as { level: number }).level >= 50);
    expect(faults).toEqual([]);
  });
});
