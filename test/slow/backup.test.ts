import { copyFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { openPlainConnection } from '../../src/db/connection.ts';
import { callAt, createWorkplaces, runCommand, signInAt } from '../helpers/process.ts';

const places = createWorkplaces();
afterEach(places.clean);

const WRITERS = 8;
const BALLAST_MIB = 200;

async function addBallast(dataDir: string): Promise<void> {
  const connection = await openPlainConnection(join(dataDir, 'svc.db'));
  await connection.exec('CREATE TABLE ballast (body BLOB)');
  for (let count = 0; count < BALLAST_MIB; count += 10) {
    await connection.exec('INSERT INTO ballast VALUES (randomblob(10485760))');
  }
  await connection.close();
}

function percentile(waits: number[], share: number): number {
  waits.sort((a, b) => a - b);
  return Math.round(waits[Math.floor(waits.length * share)] ?? 0);
}

test('a backup under load contains every write acknowledged before it, and does not block writers for long (row 57)', async () => {
  const dataDir = await places.folder();
  const daemon = await places.start({ dataDir, env: { SVC_DEFAULT_TIER: 'Enterprise' } });
  const keys: string[] = [];
  for (let index = 0; index < WRITERS; index += 1) keys.push(await signInAt(daemon, `writer-${index}@example.com`));
  await addBallast(dataDir);
  const acknowledged: string[] = [];
  const waits: number[] = [];
  let busy = true;
  const writers = keys.map(async (apiKey, index) => {
    for (let count = 0; busy; count += 1) {
      const startMs = performance.now();
      const memories = [{ content: `writer ${index} remembers ${count}` }];
      const { status, body } = await callAt(daemon.url, apiKey, '/v1/memories/batch', { body: { memories } });
      waits.push(performance.now() - startMs);
      // The rate limit is reached in the end; writers wait for it and continue.
      if (status === 429) await sleep(20);
      else acknowledged.push(JSON.stringify(body).match(/mem_[0-9a-f]+/)![0]);
    }
  });
  await vi.waitFor(() => expect(acknowledged.length).toBeGreaterThan(100), { timeout: 60_000, interval: 20 });
  const quiet = waits.splice(0);
  const before = [...acknowledged];
  const file = join(dataDir, 'backup.db');
  const startMs = performance.now();
  const { exitCode, stderr } = await runCommand({ dataDir, args: ['admin', 'backup', file] });
  const tookMs = Math.round(performance.now() - startMs);
  const during = waits.splice(0);
  busy = false;
  await Promise.all(writers);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  console.info(
    `${before.length} before, ${acknowledged.length - before.length} since; backup ${tookMs} ms; write p50, p99, slowest:`,
    `quiet ${percentile(quiet, 0.5)}, ${percentile(quiet, 0.99)}, ${Math.round(Math.max(...quiet))};`,
    `beside it ${percentile(during, 0.5)}, ${percentile(during, 0.99)}, ${Math.round(Math.max(...during))} ms`,
  );
  expect(Math.max(...during)).toBeLessThan(3000);

  const connection = await openPlainConnection(file, { readOnly: true });
  const ids = new Set((await connection.all<{ id: string }>('SELECT id FROM memories')).map(({ id }) => id));
  expect(await connection.all('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  await connection.close();
  expect(before.filter((id) => !ids.has(id))).toEqual([]);

  // Kill the daemon so that it leaves a log, and restore the backup beside that.
  await daemon.end();
  const elsewhere = await places.folder();
  for (const name of await readdir(dataDir)) {
    if (/^svc\.db/.test(name)) await copyFile(join(dataDir, name), join(elsewhere, name));
  }
  const restored = await runCommand({ dataDir: elsewhere, args: ['admin', 'restore', file, '--yes'] });
  expect(restored).toMatchObject({ exitCode: 0, stderr: '' });
  const again = await places.start({ dataDir: elsewhere });
  const listed = await callAt(again.url, keys[0]!, '/v1/memories?limit=1');
  expect(listed.status).toBe(200);
  expect((await runCommand({ dataDir: elsewhere, args: ['admin', 'check'] })).stdout).toBe('The database is sound.\n');
});
