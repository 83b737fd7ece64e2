import { AppError } from '../contract/errors.ts';
import { ITEM_TYPES } from '../contract/search.ts';
import { lockFolder } from '../db/folder-lock.ts';
import { filePageProblems } from '../db/integrity.ts';
import { openDatabase } from '../db/open.ts';
import { leaveAllToIndex } from '../features/text/text-portions.ts';
import { systemClock } from '../lib/clock.ts';
import type { Config } from './config-settings.ts';
import { existingFile } from './database-location.ts';
import { type IndexingOptions, indexTexts } from './index-texts.ts';
import { forgetCheck } from './last-check.ts';

/**
 * Makes the search index of the data folder anew from the rows, and returns how many texts it has. If it is interrupted,
 * the next start of the daemon finishes it. Throws `conflict` if a daemon is running on the folder, `unprocessable` if the
 * file is corrupt outside of the index, or the database is PostgreSQL's.
 */
export async function reindex(config: Config, options: IndexingOptions): Promise<number> {
  if (config.databaseUrl !== undefined) {
    throw new AppError('unprocessable', "The database is PostgreSQL's (SVC_DATABASE_URL). Restore a backup of it.");
  }
  const file = await existingFile(config);
  const lock = await lockFolder(config.dataDir, process.pid);
  try {
    const [problem] = await filePageProblems(file);
    if (problem !== undefined) {
      throw new AppError(
        'unprocessable',
        `${file} is corrupt (${problem}). Restore a backup; the file was not changed.`,
      );
    }
    const { monotonicMs } = systemClock;
    const db = await openDatabase(file, { readerCount: 1, monotonicMs, isVerified: true });
    try {
      // In one transaction: what a crash left for the next start to finish must be all that may be damaged.
      await db.writes.write('daemon', async (connection) => {
        for (const type of ITEM_TYPES) await leaveAllToIndex(connection, type);
      });
      const texts = await indexTexts(db, options);
      await forgetCheck(config.dataDir);
      return texts;
    } finally {
      await db.close();
    }
  } finally {
    await lock.release();
  }
}
