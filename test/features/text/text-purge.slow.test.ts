import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPlainConnection } from '../../../src/db/connection.ts';
import { setDatabaseState } from '../../../src/db/database-state.ts';
import { onPostgres } from '../../helpers/postgres/folder-databases.ts';
import { type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';

const PURGE_EVERY_MS = 600_000;

let daemon: MemoryDaemon;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
afterAll(() => daemon.close());

const file = () => join(daemon.folder, 'svc.db');

/** The index has stems of words. */
async function isOnDisk(stem: string): Promise<boolean> {
  await daemon.db.emptyLog();
  return (await readFile(file())).includes(stem);
}

/** Refuses all writes, as after a move, until the function that it returns is called. */
async function refuseWrites(): Promise<() => Promise<void>> {
  const state = { state: 'moved', otherEnd: 'postgres://db.example.com/svc', at: 0 } as const;
  await daemon.db.writes.write('daemon', (connection) => setDatabaseState(connection, state));
  return async () => {
    const connection = await openPlainConnection(file());
    await setDatabaseState(connection, undefined);
    await connection.close();
  };
}

// An index of PostgreSQL has no words of what was removed.
test.skipIf(onPostgres)('words of erased memories leave the disk, also if that failed at first', async () => {
  const caller = await daemon.account();
  // The daemon purges nothing by itself in the next ten minutes.
  await daemon.memories.sweep();
  const { id } = await caller.add('The stegosaurus grazes');
  await caller.add('The archaeopteryx flies');
  expect((await caller.erase(id)).status).toBe(204);
  expect(await isOnDisk('stegosaur')).toBe(true);

  const acceptWrites = await refuseWrites();
  daemon.clock.advance(PURGE_EVERY_MS);
  await expect(daemon.memories.sweep()).rejects.toMatchObject({ code: 'unavailable' });
  await acceptWrites();
  daemon.clock.advance(PURGE_EVERY_MS);
  await daemon.memories.sweep();

  expect(await isOnDisk('stegosaur')).toBe(false);
  expect(await isOnDisk('archaeopteryx')).toBe(true);
});
