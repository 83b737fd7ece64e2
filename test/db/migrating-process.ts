import { MIGRATIONS } from '../../migrations/index.ts';
import { ensureDatabaseFile } from '../../src/db/database-file.ts';
import { migrate } from '../../src/db/migrate.ts';

// Creates and migrates the database of a folder, but pauses at the given moment, prints it, and waits to be killed.
const [folder = '', moment = ''] = process.argv.slice(2);

async function wait(): Promise<void> {
  process.stdout.write(`${moment}\n`);
  await new Promise((resolve) => setTimeout(resolve, 60_000));
}

const file = await ensureDatabaseFile(folder);
if (moment === 'created') await wait();
await migrate(
  file,
  MIGRATIONS.map((step, index) => ({
    ...step,
    async up(db) {
      if (moment === `after step ${index}`) await wait();
      await step.up(db);
      if (moment === `in step ${index + 1}`) await wait();
    },
  })),
);
