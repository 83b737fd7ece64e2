import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Connection, openConnection } from '../../src/db/connection.ts';
import type { Database } from '../../src/db/open.ts';
import { createDatabaseFolder, type DatabaseFolder } from './database-folder.ts';
import { holdWriteLock } from './lock-holder.ts';

let folder: DatabaseFolder;
let holder: Connection;

beforeEach(async () => {
  folder = await createDatabaseFolder();
  holder = await openConnection(folder.file);
});

afterEach(async () => {
  await holder.close();
  await folder.clean();
});

/** Opens the database, whose write lock is then held by another connection. */
async function openLocked({ busyTimeoutMs = 100 } = {}): Promise<Database> {
  const db = await folder.open({ busyTimeoutMs });
  await db.probe(1);
  await holder.exec("BEGIN IMMEDIATE; INSERT INTO invitations VALUES ('held@example.com', 1)");
  return db;
}

const pulseOf = (db: Database) => db.readers.get<{ at: number }>('SELECT at FROM pulse');

describe('while another connection holds the write lock (row 55)', () => {
  test('a write fails with unavailable after a bounded wait, and says when to retry', async () => {
    const db = await openLocked();
    await expect(db.probe(2)).rejects.toMatchObject({
      code: 'unavailable',
      status: 503,
      options: { retryAfterSeconds: 5 },
    });
    expect(await pulseOf(db)).toEqual({ at: 1 });
  });

  test('a thousand queued writes fail together, not one timeout after another', async () => {
    const db = await openLocked();
    // One time-out each would take 100 seconds.
    const outcomes = await Promise.allSettled(Array.from({ length: 1000 }, (_, index) => db.probe(index)));
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
  });

  test('reads continue, and a waiting write succeeds if the lock is released in time', async () => {
    const db = await openLocked({ busyTimeoutMs: 15_000 });
    let written = false;
    const write = db.probe(2).then(() => {
      written = true;
    });
    for (let count = 0; count < 20; count += 1) expect(await pulseOf(db)).toEqual({ at: 1 });
    expect(written).toBe(false);
    await holder.exec('ROLLBACK');
    await write;
    expect(await pulseOf(db)).toEqual({ at: 2 });
  });

  test('a checkpoint gives up quickly without an error', async () => {
    const db = await openLocked();
    await db.checkpoint();
  });
});

test('a suspended process (SIGSTOP) has the same effect, and writes succeed again once it dies (row 55)', async () => {
  const db = await folder.open({ busyTimeoutMs: 100 });
  await db.probe(1);
  const other = await holdWriteLock(folder.file);
  try {
    other.stop();
    await expect(db.probe(2)).rejects.toMatchObject({ code: 'unavailable' });
    expect(await pulseOf(db)).toEqual({ at: 1 });
    await other.end();
    await db.probe(3);
    expect(await pulseOf(db)).toEqual({ at: 3 });
    expect(await db.readers.get('SELECT email FROM invitations')).toBeUndefined();
  } finally {
    await other.end();
  }
});
