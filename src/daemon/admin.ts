import type { Connection } from '../db/connection.ts';
import { integrityProblems } from '../db/integrity.ts';
import type { Database } from '../db/open.ts';
import { vectorProblems } from '../features/embeddings/vector-sync.ts';
import { textIndices } from '../features/text/text-indices.ts';
import { systemClock } from '../lib/clock.ts';
import { systemRandom } from '../lib/random.ts';
import type { Config } from './config-settings.ts';
import { existingDatabase } from './database-location.ts';
import { createLog } from './log.ts';
import { openRooms, type Rooms } from './rooms.ts';

/**
 * Runs an admin command against the database, whether or not a daemon is running on it. Throws `not_found` if the data
 * folder has none.
 */
export async function withRooms<T>(config: Config, work: (rooms: Rooms) => Promise<T>): Promise<T> {
  const location = await existingDatabase(config);
  const log = createLog('silent', () => {});
  const rooms = await openRooms(config, location, { clock: systemClock, random: systemRandom, log });
  try {
    return await work(rooms);
  } finally {
    await rooms.db.close();
  }
}

/**
 * Lists all problems of the database: those that SQLite finds first, then disagreements between indices and rows.
 * `running` is the daemon that asks; an admin command opens the modules itself.
 */
export async function checkIntegrity(config: Config, running?: Pick<Rooms, 'db' | 'usage'>): Promise<string[]> {
  const location = await existingDatabase(config);
  const problems = 'file' in location ? await integrityProblems(location.file, 'integrity_check') : [];
  if (problems.length > 0) return problems;
  return running ? indexProblems(running) : withRooms(config, indexProblems);
}

async function indexProblems({ db, usage }: Pick<Rooms, 'db' | 'usage'>): Promise<string[]> {
  const indices = Object.values(textIndices).map(({ problems }) => problems);
  return runChecks(db, [...indices, vectorProblems, usage.storage.problems]);
}

type Check = (connection: Connection) => Promise<string[]>;

/** Checks PostgreSQL in a snapshot, so that no daemon waits. SQLite checks its text index with a statement that writes. */
async function runChecks(db: Database, checks: readonly Check[]): Promise<string[]> {
  const found: string[] = [];
  if (db.readers.engine === 'sqlite') {
    for (const check of checks) found.push(...(await db.writes.write('daemon', check)));
    return found;
  }
  const snapshot = await db.snapshot();
  try {
    for (const check of checks) found.push(...(await check(snapshot)));
    return found;
  } finally {
    await snapshot.close();
  }
}
