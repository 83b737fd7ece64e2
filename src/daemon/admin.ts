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
