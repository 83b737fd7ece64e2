// Copied beside the mutated source: tells which mutant lives in this process, and notes which test file executes which.

const { MUTANT_ALIVE, MUTANT_HITS, MUTANT_TEST } = typeof process === 'undefined' ? {} : process.env;
const alive = Number(MUTANT_ALIVE ?? -1);
const noted = new Set();

export function isAlive(id) {
  if (MUTANT_HITS) note(`${id}\t${globalThis.__vitest_worker__?.filepath ?? MUTANT_TEST ?? ''}\n`);
  return id === alive;
}

function note(line) {
  if (noted.has(line)) return;
  noted.add(line);
  process.getBuiltinModule('node:fs').appendFileSync(`${MUTANT_HITS}/${process.pid}`, line);
}
