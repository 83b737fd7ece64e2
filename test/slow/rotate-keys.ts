import { createInterface } from 'node:readline';
import { openDatabase } from '../../src/db/open.ts';
import { createKeys } from '../../src/features/keys/keys.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';

/**
 * A separate process on the daemon's database: for each line `<tenantId>` on standard input it rotates that tenant's
 * key and, after the commit, writes the new key as a line.
 */
const [file = ''] = process.argv.slice(2);
const db = await openDatabase(file, { readerCount: 1, monotonicMs: systemClock.monotonicMs });
const log = { info() {}, warn() {}, error() {} };
const keys = createKeys({ db, clock: systemClock, random: systemRandom, log, onEnd: async () => {} });
for await (const tenantId of createInterface({ input: process.stdin })) {
  const apiKey = await db.writes.write('daemon', (connection) => keys.rotate(connection, tenantId));
  process.stdout.write(`${apiKey}\n`);
}
await db.close();
