import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../contract/errors.ts';
import { ensureDatabaseFile } from '../db/database-file.ts';
import { integrityProblems } from '../db/integrity.ts';
import { vectorProblems } from '../features/embeddings/vector-sync-sqlite.ts';
import { textIndices } from '../features/text/text-index-sqlite.ts';
import { systemClock } from '../lib/clock.ts';
import { systemRandom } from '../lib/random.ts';
import type { Config } from './config-settings.ts';
import { createLog } from './log.ts';
import { openRooms, type Rooms } from './rooms.ts';

/**
 * Runs an admin command against the data folder, whether or not a daemon is running on it. Throws `not_found` if the
 * folder has no database.
 */
export async function withRooms<T>(config: Config, work: (rooms: Rooms) => Promise<T>): Promise<T> {
  const file = await existingDatabase(config);
  const log = createLog('silent', () => {});
  const rooms = await openRooms(config, file, { clock: systemClock, random: systemRandom, log });
  try {
    return await work(rooms);
  } finally {
    await rooms.db.close();
  }
}

/** Returns the path of the data folder's database. Throws `not_found` if there is none. */
export async function existingDatabase({ dataDir }: Config): Promise<string> {
  await access(join(dataDir, 'svc.db')).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') return;
    throw new AppError(
      'not_found',
      `There is no svc database in ${dataDir}. Start svc serve once, or set SVC_DATA_DIR.`,
    );
  });
  return ensureDatabaseFile(dataDir);
}

/** Lists all problems of the database: SQLite's integrity check first, then disagreements between indices and rows. */
export async function checkIntegrity(config: Config): Promise<string[]> {
  const file = await existingDatabase(config);
  const problems = await integrityProblems(file, 'integrity_check');
  if (problems.length > 0) return problems;
  return withRooms(config, async ({ db, usage }) => {
    const found: string[] = [];
    for (const index of Object.values(textIndices)) found.push(...(await db.writes.write('daemon', index.problems)));
    found.push(...(await db.writes.write('daemon', vectorProblems)));
    found.push(...(await db.writes.write('daemon', usage.storage.problems)));
    return found;
  });
}
