import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';

let daemon: TestDaemon;

beforeAll(async () => {
  daemon = await startTestDaemon({ timeouts: { headersMs: 200, requestMs: 400 } });
});

afterAll(() => daemon.close());

const connections = () =>
  new Promise<number>((resolve) => daemon.app.server.getConnections((_error, count) => resolve(count)));

/** Sends `text` and then keeps its end open, whatever the daemon does. Resolves once the daemon has accepted it. */
async function stubbornClient(text: string, { app, baseUrl } = daemon): Promise<void> {
  const accepted = new Promise((resolve) => app.server.once('connection', resolve));
  const socket = connect({ port: Number(new URL(baseUrl).port), host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => {});
  socket.resume();
  socket.write(text);
  await accepted;
}

const POST =
  'POST /v1/auth/magic-link HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n';

describe('a client that keeps its end of the connection open', () => {
  test.each([
    ['after garbage', 'garbage\r\n\r\n'],
    ['in the middle of its headers', 'GET / HTTP/1.1\r\nHost: a\r\n'],
    ['in the middle of its body', `${POST}{"email":`],
    ['after headers that are too long', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`],
  ])('%s is disconnected', async (_when, text) => {
    await stubbornClient(text);
    await vi.waitFor(async () => expect(await connections()).toBe(0), 4000);
  });

  test('does not delay a stop, nor does a silent one', async () => {
    const patient = await startTestDaemon({ timeouts: { headersMs: 60_000, requestMs: 60_000 } });
    for (const text of ['', 'GET']) await stubbornClient(text, patient);
    await patient.stop();
    await patient.close();
  });

  test('does not block other clients', async () => {
    for (let count = 0; count < 50; count += 1) await stubbornClient('GET / HTTP/1.1\r\n');
    const headers = { connection: 'close' };
    expect((await daemon.call(undefined, '/healthz', { headers })).status).toBe(200);
    await vi.waitFor(async () => expect(await connections()).toBe(0), 4000);
  });
});
