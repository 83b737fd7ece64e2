import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../features/memories/memory-daemon.ts';
import { newAccount, portable, version } from '../features/portability/portable-account.ts';

const MIB = 1024 * 1024;
const SECONDS = 20;
/** Sends every export to a client that reads one byte a second. */
const SIP_MS = 1000;
/** Keeps four writers below the rate limit. */
const WRITE_MS = 50;

let daemon: MemoryDaemon;
const sockets: Socket[] = [];

beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await daemon.close();
});

async function newOwner(): Promise<Caller> {
  const owner = await newAccount(daemon);
  const text = 'x'.repeat(90_000);
  await portable(owner).importFile(Array.from({ length: 200 }, (_, index) => version({ content: `${index} ${text}` })));
  return owner;
}

async function sip(owner: Caller): Promise<void> {
  const socket = connect({ port: Number(new URL(daemon.baseUrl).port), host: '127.0.0.1' });
  socket.on('error', () => {});
  sockets.push(socket);
  await once(socket, 'connect');
  socket.write(`GET /v1/export HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${owner.apiKey}\r\n\r\n`);
  await once(socket, 'readable');
  const timer = setInterval(() => socket.read(1), SIP_MS);
  socket.on('close', () => clearInterval(timer));
}

test('four exports read at 1 B/s delay no other export and leave the write-ahead log small (row 65)', async () => {
  const owners: Caller[] = [];
  while (owners.length < 4) owners.push(await newOwner());
  const fifth = await newOwner();
  await Promise.all(owners.map(sip));
  const log = join(daemon.folder, 'svc.db-wal');
  const writer = await newAccount(daemon);
  let busy = true;
  let written = 0;
  let exported = 0;
  const writers = Array.from({ length: 4 }, async () => {
    while (busy) {
      await writer.add(`${written++} ${'y'.repeat(5000)}`);
      await sleep(WRITE_MS);
    }
  });
  const exporter = (async () => {
    while (busy) {
      expect(await portable(fifth).lines()).toHaveLength(201);
      exported += 1;
      await sleep(1000);
    }
  })();
  let largest = 0;
  for (let look = 0; look < SECONDS * 4; look += 1) {
    await sleep(250);
    largest = Math.max(largest, (await stat(log)).size);
  }
  busy = false;
  await Promise.all([...writers, exporter]);
  console.info(`${written} writes, ${exported} exports, log at most ${Math.round(largest / MIB)} MiB`);
  expect(written).toBeGreaterThan(100);
  expect(exported).toBeGreaterThan(2);
  expect(largest).toBeLessThan(64 * MIB);
});
