import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../features/memories/memory-daemon.ts';
import { expectRateHeaders } from './headers-expected.ts';

const MIB = 1024 * 1024;
const run = promisify(execFile);
let daemon: MemoryDaemon;
let caller: Caller;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
  caller = await daemon.account();
});
afterAll(() => daemon.close());

/** A memory whose content is that many bytes. */
const bodyOf = (bytes: number) => Buffer.from(JSON.stringify({ content: 'x'.repeat(bytes) }));
const headers = () => ({ authorization: `Bearer ${caller.apiKey}`, 'content-type': 'application/json' });

async function expectRefusal(response: Response): Promise<void> {
  expect(response.status).toBe(413);
  expectRateHeaders(response.headers, 'too large', 3000);
  expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  expect(await response.json()).toMatchObject({ code: 'payload_too_large', status: 413 });
}

describe('a client that sends a body of 10 MiB reads 413', () => {
  test('fetch, with a length', async () => {
    for (let count = 0; count < 2; count += 1) {
      const body = bodyOf(10 * MIB);
      await expectRefusal(await fetch(`${daemon.baseUrl}/v1/memories`, { method: 'POST', headers: headers(), body }));
    }
    await caller.add('A rightful memory');
  });

  test('fetch, in chunks', async () => {
    for (let count = 0; count < 2; count += 1) {
      const whole = bodyOf(10 * MIB);
      let sent = 0;
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          if (sent >= whole.length) return controller.close();
          controller.enqueue(whole.subarray(sent, sent + 65_536));
          sent += 65_536;
        },
      });
      const request: RequestInit & { duplex: 'half' } = { method: 'POST', headers: headers(), body, duplex: 'half' };
      await expectRefusal(await fetch(`${daemon.baseUrl}/v1/memories`, request));
    }
  });

  test.each<[string, string[]]>([
    ['with a length', []],
    ['in chunks', ['-H', 'Transfer-Encoding: chunked']],
    ['without waiting for 100 Continue', ['-H', 'Expect:']],
  ])('curl, %s', async (_, more) => {
    const file = join(daemon.folder, 'large.json');
    await writeFile(file, bodyOf(10 * MIB));
    const given = Object.entries(headers()).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
    const url = `${daemon.baseUrl}/v1/memories`;
    const { stdout } = await run('curl', [
      '-sS',
      '-w',
      ' %{http_code}',
      ...given,
      ...more,
      '-T',
      file,
      '-X',
      'POST',
      url,
    ]);
    expect(stdout).toMatch(/"code":"payload_too_large".* 413$/);
  });

  test('a client that sends everything before it reads', async () => {
    const socket = connect(Number(new URL(daemon.baseUrl).port), '127.0.0.1');
    socket.pause();
    const body = bodyOf(10 * MIB);
    const head = Object.entries(headers()).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`POST /v1/memories HTTP/1.1\r\nhost: x\r\n${head.join('')}content-length: ${body.length}\r\n\r\n`);
    await new Promise<void>((resolve, reject) => socket.write(body, (error) => (error ? reject(error) : resolve())));
    let heard = '';
    socket.on('data', (chunk) => {
      heard += chunk.toString();
    });
    await once(socket.resume(), 'close');
    expect(heard).toMatch(/^HTTP\/1\.1 413 /);
  });
});

test('a body without end is cut off', async () => {
  const socket = connect(Number(new URL(daemon.baseUrl).port), '127.0.0.1');
  socket.on('error', () => {});
  const head = Object.entries(headers()).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST /v1/memories HTTP/1.1\r\nhost: x\r\n${head.join('')}transfer-encoding: chunked\r\n\r\n`);
  const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(65_536, 'x'), Buffer.from('\r\n')]);
  const closed = new Promise<boolean>((resolve) => socket.once('close', () => resolve(true)));
  let sent = 0;
  while (!socket.destroyed && sent < 512 * MIB) {
    sent += chunk.length;
    if (!socket.write(chunk)) await Promise.race([once(socket, 'drain').catch(() => {}), closed]);
  }
  expect(await closed).toBe(true);
  expect(sent).toBeLessThan(512 * MIB);
  expect((await caller.call('/v1/account')).status).toBe(200);
});
