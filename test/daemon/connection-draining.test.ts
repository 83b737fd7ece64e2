import { connect, type Socket } from 'node:net';
import fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ConnectionDrain, trackConnections } from '../../src/daemon/connection-draining.ts';

let app: FastifyInstance;
let drain: ConnectionDrain;
let sockets: Socket[];
/** Ends the requests of `/slow`. */
let answer: () => void;

beforeEach(async () => {
  app = fastify();
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  app.get('/', async () => 'done');
  app.get('/slow', async () => {
    await answered;
    return 'done';
  });
  sockets = [];
  drain = trackConnections(app);
  await app.listen({ host: '127.0.0.1', port: 0 });
});
afterEach(async () => {
  answer();
  for (const socket of sockets) socket.destroy();
  await app.close();
});

const address = () => app.server.address() as { port: number };

/** Opens a connection and sends requests, each before the answer to the one before. */
async function send(...paths: string[]): Promise<Socket> {
  const socket = connect(address().port, '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => {});
  await new Promise((resolve) => socket.once('connect', resolve));
  const arrived = paths.length === 0 ? undefined : new Promise((resolve) => app.server.once('request', resolve));
  socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join(''));
  await arrived;
  return socket;
}

test('requests that wait behind another one when their connection ends do not hold up the end', async () => {
  const socket = await send('/slow', ...Array.from({ length: 50 }, () => '/'));
  const closed = new Promise((resolve) => app.server.once('connection', (other) => other.once('close', resolve)));
  await send();
  socket.resetAndDestroy();
  sockets.at(-1)!.resetAndDestroy();
  await closed;
  answer();
  expect(await drain.close(10_000)).toBe(0);
});

test('an idle connection does not hold up the end, and a request in flight is answered before', async () => {
  await send();
  const socket = await send('/slow');
  const text = new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))));
  const closing = drain.close(10_000);
  answer();
  expect(await text).toContain('200 OK');
  expect(await closing).toBe(0);
});

test('a request that does not end is cut off after the limit', async () => {
  await send('/slow');
  expect(await drain.close(50)).toBe(1);
});
