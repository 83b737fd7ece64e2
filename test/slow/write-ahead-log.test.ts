import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';

let daemon: TestDaemon;
afterEach(() => daemon.close());

const SECONDS = 15;
const MIB = 1024 * 1024;

test('the write-ahead log stays bounded under constant reads and writes, and neither waits long', async () => {
  daemon = await startTestDaemon();
  const { db } = daemon;
  const file = join(daemon.folder, 'svc.db-wal');
  await db.writes.write('daemon', (connection) =>
    connection.exec('CREATE TABLE load (number INTEGER PRIMARY KEY, body BLOB)'),
  );
  let busy = true;
  let written = 0;
  let read = 0;
  const waits: number[] = [];
  const insert = db.writes.grouped<number, void>(
    async (connection, numbers) => {
      for (const number of numbers) {
        await connection.run('INSERT INTO load (body) VALUES (zeroblob(?))', [1500 + (number % 100)]);
      }
      return numbers.map(() => ({ ok: undefined }));
    },
    () => ({ tenantId: 'one', rows: 1, characters: 1500 }),
  );
  const writers = Array.from({ length: 64 }, async () => {
    while (busy) {
      const start = performance.now();
      await insert(written++);
      waits.push(performance.now() - start);
    }
  });
  const readers = Array.from({ length: 8 }, async () => {
    while (busy) {
      await db.readers.get(
        'SELECT count(*), sum(length(body)) FROM (SELECT body FROM load ORDER BY number DESC LIMIT 20000)',
      );
      read += 1;
    }
  });
  let largest = 0;
  for (let second = 0; second < SECONDS * 4; second += 1) {
    await sleep(250);
    largest = Math.max(largest, (await stat(file)).size);
  }
  busy = false;
  await Promise.all([...writers, ...readers]);
  waits.sort((a, b) => a - b);
  const p99 = waits[Math.floor(waits.length * 0.99)] ?? 0;
  console.info(
    `${written} writes, ${read} scans, log at most ${Math.round(largest / MIB)} MiB, write p99 ${Math.round(p99)} ms, slowest ${Math.round(waits.at(-1) ?? 0)} ms`,
  );
  expect(written).toBeGreaterThan(1000);
  expect(read).toBeGreaterThan(100);
  expect(largest).toBeLessThan(256 * MIB);
  expect(waits.at(-1)).toBeLessThan(3000);
  await db.checkpoint();
  expect((await stat(file)).size).toBe(0);
});
