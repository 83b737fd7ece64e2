import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { folderInMemory } from './test/helpers/folder-in-memory.ts';
import { daemonSuites } from './test/helpers/postgres/daemon-suites.ts';

const onPostgres = process.env.TEST_ENGINE === 'postgres';

/** V8 optimizes later than in a server: tests run most code a few times. Newer versions of Node have no interrupt budget. */
const LATE_OPTIMIZATION = [
  ...(process.version.startsWith('v20.') ? ['--interrupt-budget=1000000'] : []),
  '--no-flush-bytecode',
  '--wasm-tiering-budget=100000000',
];

/** Most of what a test makes is garbage soon: a larger young generation is collected less often. */
export const LARGE_YOUNG_GENERATION = '--max-semi-space-size=32';

/** Chooses the order of tests and the inputs of properties. */
const SEED = process.env.TEST_SEED ?? '1';

/** SQLite works on libuv's threads (see bin/svc). Screens are drawn for their tests wherever those run: ink draws none where CI is set. */
export const ENVIRONMENT = { UV_THREADPOOL_SIZE: '8', CI: 'false', TEST_SEED: SEED };

/** Files that take a processor for seconds. The slow suite runs them. */
export const LONG = 'test/**/*.slow.test.ts';

export default defineConfig({
  test: {
    include: onPostgres ? [...daemonSuites(import.meta.dirname), 'test/postgres/**/*.test.ts'] : ['test/**/*.test.ts'],
    exclude: ['test/slow/**', ...(onPostgres ? [] : ['test/postgres/**', LONG])],
    pool: 'forks',
    // Every file starts what it needs and ends it: to load all packages anew for each took half of the time.
    isolate: false,
    execArgv: [...LATE_OPTIMIZATION, LARGE_YOUNG_GENERATION, '--min-semi-space-size=32'],
    experimental: { fsModuleCache: true, fsModuleCachePath: '.cache/vitest' },
    // Mostly they wait: for the disk, for a daemon's start, for each other's processes.
    maxWorkers: availableParallelism() + 1,
    env: { ...ENVIRONMENT, ...folderInMemory() },
    // No test relies on what another left behind.
    sequence: { shuffle: true, seed: Number(SEED) },
    setupFiles: ['test/helpers/generated-inputs.ts'],
    reporters: ['minimal'],
    globalSetup: ['build-all', 'folder-in-memory', ...(onPostgres ? ['postgres/setup'] : [])].map(
      (name) => `test/helpers/${name}.ts`,
    ),
    // Daemons, the client and the server share the processors.
    testTimeout: onPostgres ? 60_000 : 20_000,
    hookTimeout: onPostgres ? 60_000 : 20_000,
    expect: { poll: { timeout: 15_000 } },
  },
});
