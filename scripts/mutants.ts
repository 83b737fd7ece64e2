import { existsSync } from 'node:fs';
import { appendFile, copyFile, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { execa } from 'execa';
import { createSeededRandom } from '../test/helpers/seeded-random.ts';
import { chooseMutants, type Mutant, mutantsIn, withMutants } from './mutants/mutants.ts';
import { folderOf, printTable } from './source-folders.ts';

/**
 * Prints how many of some changed lines of `src` the default suite notices, by folder, and those that it does not. All
 * changes stand in one copy of the repository and are switched on one at a time, so that each runs only the test files
 * that execute it, the nearest first. With `--folder` it goes on where it was ended; `--tests` and `--source` are parts of
 * the paths of test files and of what is changed.
 * `node --import tsx scripts/mutants.ts [--lines 300] [--seed 1] [--commit HEAD] [--folder DIR] [--at-once 2] [--tests test/] [--source src/]`
 */

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const RUNTIME = 'mutants-runtime.mjs';
const CONFIG = 'vitest.mutants.config.ts';
/** Test files are tried in so many portions of this size: few find most. */
const PORTIONS = [10, 20, 60];
const MAX_RUN_MS = 300_000;
const MAX_COVER_MS = 3_600_000;

const { values: options } = parseArgs({
  options: {
    lines: { type: 'string', default: '300' },
    seed: { type: 'string', default: '1' },
    commit: { type: 'string', default: 'HEAD' },
    folder: { type: 'string' },
    'at-once': { type: 'string', default: '2' },
    tests: { type: 'string', default: 'test/' },
    source: { type: 'string', default: 'src/' },
  },
});

/** The default suite with its long files, which tells children which test file starts them. */
const CONFIG_TEXT = `import { defineConfig } from 'vitest/config';
import base from './vitest.config.ts';
const setupFiles = [base.test?.setupFiles ?? [], './mutants-setup.ts'].flat();
const exclude = ['test/slow/**', 'test/postgres/**', 'test/house.test.ts'];
const maxWorkers = Number(process.env.MUTANT_WORKERS);
export default defineConfig({ test: { ...base.test, include: ['test/**/*.test.ts'], exclude, setupFiles, maxWorkers, retry: 0 } });
`;
const SETUP_TEXT =
  "process.env.MUTANT_TEST = (globalThis as { __vitest_worker__?: { filepath?: string } }).__vitest_worker__?.filepath ?? '';\n";

interface Outcome {
  id: number;
  /** The test file that failed, or how the run ended; absent if all passed. */
  caughtBy?: string;
  /** How many test files execute the line. */
  executedBy: number;
}

const copy = options.folder ?? (await mkdtemp(join(tmpdir(), 'svc-mutants-')));
const inCopy = (...names: string[]) => join(copy, ...names);
const readJson = async (path: string) => JSON.parse(await readFile(path, 'utf8'));

if (!existsSync(inCopy('mutants.json'))) await prepare();
const mutants = (await readJson(inCopy('mutants.json'))) as Mutant[];
if (!existsSync(inCopy('covered.json'))) await cover();
const { secondsOf, executedBy } = await readCoverage();
const outcomes = await tryAll();
print(outcomes);

async function prepare(): Promise<void> {
  await execa('git', ['clone', '--quiet', ROOT, copy]);
  await execa('git', ['checkout', '--quiet', options.commit], { cwd: copy });
  await symlink(join(ROOT, 'node_modules'), inCopy('node_modules'));
  const files = (await readdir(inCopy('src'), { recursive: true }))
    .filter((name) => /(?<!\.d)\.tsx?$/.test(name))
    .map((name) => posix.join('src', name))
    .filter((file) => file.includes(options.source))
    .sort();
  const lines: Mutant[][] = [];
  for (const file of files) lines.push(...(await mutantsIn(file, await readFile(inCopy(file), 'utf8'))));
  const chosen = chooseMutants(lines, Number(options.lines), createSeededRandom(Number(options.seed)));
  for (const file of new Set(chosen.map((mutant) => mutant.file))) {
    const own = new Map([...chosen.entries()].filter(([, mutant]) => mutant.file === file));
    const runtime = posix.relative(dirname(file), `src/${RUNTIME}`);
    const source = await readFile(inCopy(file), 'utf8');
    await writeFile(inCopy(file), withMutants(source, own, runtime.startsWith('.') ? runtime : `./${runtime}`));
  }
  await copyFile(join(ROOT, 'scripts/mutants/runtime.mjs'), inCopy('src', RUNTIME));
  await writeFile(inCopy(CONFIG), CONFIG_TEXT);
  await writeFile(inCopy('mutants-setup.ts'), SETUP_TEXT);
  await writeFile(inCopy('mutants.json'), JSON.stringify(chosen));
  console.error(`${chosen.length} of ${lines.length} lines in ${copy}`);
}

/** Runs test files until one fails, or all; resolves to the one that failed, how the run ended, or nothing. */
async function runTests(
  files: readonly string[],
  { report, env, timeoutMs, bail }: { report: string; env: Record<string, string>; timeoutMs: number; bail: number },
): Promise<string | undefined> {
  await rm(report, { force: true });
  const words = ['run', '--config', CONFIG, '--reporter=json', `--outputFile=${report}`, `--bail=${bail}`, ...files];
  const ran = await execa('vitest', words, {
    ...{ cwd: copy, preferLocal: true, localDir: copy, env, stdio: 'ignore', reject: false },
    ...{ timeout: timeoutMs, killSignal: 'SIGKILL' },
  });
  if (ran.exitCode === 0) return undefined;
  if (ran.timedOut) return 'a time-out';
  const { testResults } = (await readJson(report).catch(() => ({ testResults: [] }))) as Report;
  const failed = testResults.find(({ status }) => status === 'failed');
  return failed ? failed.name.slice(copy.length + 1) : 'a run that ended early';
}

interface Report {
  testResults: { name: string; status: string; startTime: number; endTime: number }[];
}

/** Runs all test files once, to learn which execute which line. */
async function cover(): Promise<void> {
  const hits = inCopy('hits');
  await rm(hits, { recursive: true, force: true });
  await mkdir(hits);
  const env = { MUTANT_HITS: hits, MUTANT_WORKERS: '3' };
  await runTests([options.tests], { report: inCopy('running.json'), env, timeoutMs: MAX_COVER_MS, bail: 0 });
  await copyFile(inCopy('running.json'), inCopy('covered.json'));
}

/** What ran: the seconds of each test file that is green without a mutant, and which of them execute each line. */
async function readCoverage() {
  const { testResults } = (await readJson(inCopy('covered.json'))) as Report;
  const green = testResults.filter(({ status }) => status === 'passed');
  const red = testResults.filter(({ status }) => status !== 'passed').map(({ name }) => name.slice(copy.length + 1));
  if (red.length > 0) console.error(`left out, as they are red without a mutant: ${red.join(', ')}`);
  const seconds = new Map(green.map((file) => [file.name, (file.endTime - file.startTime) / 1000]));
  const files = mutants.map(() => new Set<string>());
  for (const name of await readdir(inCopy('hits'))) {
    for (const line of (await readFile(inCopy('hits', name), 'utf8')).split('\n')) {
      const [id, file = ''] = line.split('\t');
      if (seconds.has(file)) files[Number(id)]?.add(file);
    }
  }
  return { secondsOf: seconds, executedBy: files };
}

/** The test files for a line: by name, then the particular and quick ones, then those of its folder. */
function filesFor(id: number): string[] {
  const { file } = mutants[id]!;
  const name = file.replace(/^.*\/|\.tsx?$/g, '');
  const folder = `/${folderOf(file)}/`;
  const distance = (path: string) => (path.includes(`/${name}.`) ? 0 : path.includes(folder) ? 1 : 2);
  const cost = (path: string) => executedBy.filter((files) => files.has(path)).length * (secondsOf.get(path)! + 0.1);
  const executing = [...executedBy[id]!]
    .map((path) => ({ path, order: [distance(path), cost(path)] as const }))
    .sort((one, other) => one.order[0] - other.order[0] || one.order[1] - other.order[1])
    .map(({ path }) => path);
  // A line that runs while its module is loaded is noted for the first test file of each process alone.
  const near = [...secondsOf.keys()].filter((path) => distance(path) < 2 && !executedBy[id]!.has(path));
  return [...executing, ...near];
}

async function tryAll(): Promise<Outcome[]> {
  const path = inCopy('outcomes.jsonl');
  const text = await readFile(path, 'utf8').catch(() => '');
  const known = text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Outcome);
  const done = new Set(known.map(({ id }) => id));
  const left = [...mutants.keys()].filter((id) => !done.has(id));
  const workers = Array.from({ length: Number(options['at-once']) }, async (_, worker) => {
    for (let id = left.shift(); id !== undefined; id = left.shift()) {
      const outcome = await tryOne(id, inCopy(`report-${worker}.json`));
      known.push(outcome);
      await appendFile(path, `${JSON.stringify(outcome)}\n`);
      console.error(
        `${known.length} of ${mutants.length}: ${describe(mutants[id]!)}: ${outcome.caughtBy ?? 'not noticed'}`,
      );
    }
  });
  await Promise.all(workers);
  return known;
}

async function tryOne(id: number, report: string): Promise<Outcome> {
  const files = filesFor(id);
  const executed = executedBy[id]!.size;
  for (const size of PORTIONS) {
    const portion = files.splice(0, size);
    if (portion.length === 0) break;
    const env = { MUTANT_ALIVE: String(id), MUTANT_WORKERS: portion.length > 10 ? '2' : '1' };
    const caughtBy = await runTests(portion, { report, env, timeoutMs: MAX_RUN_MS, bail: 1 });
    if (caughtBy !== undefined) return { id, caughtBy, executedBy: executed };
  }
  return { id, executedBy: executed };
}

function print(all: readonly Outcome[]): void {
  const missed = all.filter(({ caughtBy }) => caughtBy === undefined);
  for (const { id, executedBy: count } of missed) {
    console.log(`${describe(mutants[id]!)} (executed by ${count} test files)`);
  }
  const folders = [...new Set(mutants.map(({ file }) => folderOf(file)))].sort();
  const rows = folders.map((folder) => {
    const own = all.filter(({ id }) => folderOf(mutants[id]!.file) === folder);
    return [folder, own.length, own.filter(({ caughtBy }) => caughtBy !== undefined).length];
  });
  printTable(['folder', 'lines', 'noticed'], [...rows, ['all', all.length, all.length - missed.length]]);
}

function describe({ file, line, change }: Mutant): string {
  return `${file}:${line} ${change}`;
}
