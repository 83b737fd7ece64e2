import sqlite3 from 'sqlite3';
import { MIGRATIONS } from '../../migrations/index.ts';
import { migrate } from '../../src/db/migrate.ts';

// Migrates a file to a schema, and is killed right before its statement number `last`. Prints how many it ran otherwise.
const [file = '', schema = '', last = ''] = process.argv.slice(2);

let statements = 0;
const driver = sqlite3.Database.prototype as unknown as Record<string, (...given: unknown[]) => unknown>;
for (const method of ['run', 'all', 'get', 'each', 'exec', 'prepare']) {
  const original = driver[method]!;
  driver[method] = function (...given) {
    statements += 1;
    if (statements === Number(last)) process.kill(process.pid, 'SIGKILL');
    return original.apply(this, given);
  };
}
await migrate(file, MIGRATIONS.slice(0, Number(schema)));
process.stdout.write(`${statements}`);
