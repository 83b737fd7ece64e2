import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '../../src/db/open.ts';
import { createDatabaseFolder, type DatabaseFolder } from './database-folder.ts';
import { holdWriteLock } from './lock-holder.ts';

const BUSY_MS = 300;

let folder: DatabaseFolder;
let db: Database;
let holder: Awaited<ReturnType<typeof holdWriteLock>>;

beforeEach(async () => {
  folder = await createDatabaseFolder();
  db = await folder.open({ busyTimeoutMs: BUSY_MS });
  await db.probe(1);
  holder = await holdWriteLock(folder.file);
});

afterEach(async () => {
  await holder.end();
  await folder.clean();
});

const readPulse = () => db.readers.get<{ at: number }>('SELECT at FROM pulse');

describe('while another process holds the write lock (row 55)', () => {
  test('a write fails with unavailable after a bounded wait, and reads continue', async () => {
    const order: string[] = [];
    const refused = expect(db.probe(2))
      .rejects.toMatchObject({ code: 'unavailable', status: 503 })
      .then(() => order.push('refused'));
    expect(await readPulse()).toEqual({ at: 1 });
    order.push('read');
    await refused;
    expect(order).toEqual(['read', 'refused']);
  });

  test('the error says when to retry', async () => {
    await expect(db.probe(2)).rejects.toMatchObject({ options: { retryAfterSeconds: 5 } });
  });

  test('a thousand queued writes fail together, not one timeout after another', async () => {
    // One time-out each would take five minutes.
    const outcomes = await Promise.allSettled(Array.from({ length: 1000 }, (_, index) => db.probe(index)));
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
  });

  test('a waiting write succeeds if the lock is released in time', async () => {
    const write = db.probe(2);
    await sleep(BUSY_MS / 4);
    await holder.release();
    await write;
    expect(await readPulse()).toEqual({ at: 2 });
  });

  test('a suspended holder (SIGSTOP) has the same effect, and writes succeed again once it dies', async () => {
    holder.stop();
    await expect(db.probe(2)).rejects.toMatchObject({ code: 'unavailable' });
    expect(await readPulse()).toEqual({ at: 1 });
    await holder.end();
    await db.probe(3);
    expect(await readPulse()).toEqual({ at: 3 });
    expect(await db.readers.get('SELECT email FROM invitations')).toBeUndefined();
  });

  test('a checkpoint gives up quickly without an error', async () => {
    await db.checkpoint();
  });
});
