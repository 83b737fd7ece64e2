// Kills the process right before its change number `KILL_AT` of the file system, and counts the changes in `KILL_COUNT`.
import { appendFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

let changes = 0;
// Not in the daemon that the process starts.
const names = process.argv.includes('upgrade') ? ['mkdir', 'rename', 'rm', 'symlink', 'writeFile'] : [];
for (const name of names) {
  const original = fs[name];
  fs[name] = (...given) => {
    changes += 1;
    const paths = given.slice(0, name === 'rename' ? 2 : 1).join(' ');
    if (process.env.KILL_COUNT) appendFileSync(process.env.KILL_COUNT, `${name} ${paths}\n`);
    if (changes === Number(process.env.KILL_AT)) process.kill(process.pid, 'SIGKILL');
    return original(...given);
  };
}
syncBuiltinESMExports();
