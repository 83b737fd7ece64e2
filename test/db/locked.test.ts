import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '../../src/db/open.ts';
import { createDatabaseFolder, type DatabaseFolder } from './database-folder.ts';
import { holdWriteLock } from './lock-holder.ts';

const BUSY_MS = 300;

let place: DatabaseFolder;
let db: Database;
let holder: Awaited<ReturnType<typeof holdWriteLock>>;

beforeEach(async () => {
  place = await createDatabaseFolder();
  db = await place.open({ busyTimeoutMs: BUSY_MS });
  await db.probe(1);
  holder = await holdWriteLock(place.file);
});

afterEach(async () => {
  await holder.end();
  await place.clean();
});

async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; result: T }> {
  const start = performance.now();
  const result = await work();
  return { ms: performance.now() - start, result };
}

const readPulse = () => db.readers.get<{ at: number }>('SELECT at FROM pulse');

describe('another process holds the write lock (row 55)', () => {
  test('a write waits for a bounded time and is refused as unavailable; reads go on meanwhile', async () => {
    const refused = timed(() => expect(db.probe(2)).rejects.toMatchObject({ code: 'unavailable', status: 503 }));
    const read = await timed(readPulse);
    expect(read).toMatchObject({ result: { at: 1 } });
    expect(read.ms).toBeLessThan(BUSY_MS / 2);
    const { ms } = await refused;
    expect(ms).toBeGreaterThan(BUSY_MS * 0.8);
    expect(ms).toBeLessThan(BUSY_MS * 3);
  });

  test('it says when to come again', async () => {
    await expect(db.probe(2)).rejects.toMatchObject({ options: { retryAfterSeconds: 5 } });
  });

  test('a thousand waiting writes are refused together, not one time-out after another', async () => {
    const { ms, result } = await timed(() =>
      Promise.allSettled(Array.from({ length: 1000 }, (_, index) => db.probe(index))),
    );
    expect(result.every(({ status }) => status === 'rejected')).toBe(true);
    expect(ms).toBeLessThan(BUSY_MS * 4);
  });

  test('a write that waits is done when the lock is given back in time', async () => {
    const write = db.probe(2);
    await sleep(BUSY_MS / 4);
    await holder.release();
    await write;
    expect(await readPulse()).toEqual({ at: 2 });
  });

  test('a holder that is stopped (SIGSTOP) is borne the same way, and with its death writes go on', async () => {
    holder.stop();
    await expect(db.probe(2)).rejects.toMatchObject({ code: 'unavailable' });
    expect(await readPulse()).toEqual({ at: 1 });
    await holder.end();
    await db.probe(3);
    expect(await readPulse()).toEqual({ at: 3 });
    expect(await db.readers.get('SELECT email FROM invitations')).toBeUndefined();
  });

  test('a checkpoint gives up quickly and quietly', async () => {
    const { ms } = await timed(db.checkpoint);
    expect(ms).toBeLessThan(1000);
  });
});
