import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import base from './vitest.config.ts';

/** Files that measure time, or keep both processors busy themselves. */
const ALONE = [
  'backup',
  'neighbors',
  'noisy-tenant',
  'postgres-network',
  'same-answer',
  'serve',
  'web/budgets',
  'write-ahead-log',
].map((name) => `test/slow/${name}.test.ts`);

const shared = {
  ...base.test,
  globalSetup: [],
  // V8 as it serves, in tests that measure.
  execArgv: [],
  testTimeout: 300_000,
  // Browsers and processes that wait for a processor: what fails twice is broken.
  retry: 1,
  expect: { poll: { timeout: 10_000 } },
  hookTimeout: 120_000,
} satisfies TestProjectInlineConfiguration['test'];

/** Crashes, faults, browsers and other programs: minutes, not seconds. */
export default defineConfig({
  test: {
    globalSetup: ['test/helpers/build-all.ts', 'test/helpers/packages-folder.ts'],
    reporters: ['default'],
    projects: [
      {
        test: {
          ...shared,
          name: 'together',
          include: ['test/slow/**/*.test.ts'],
          exclude: ALONE,
          // Mostly they wait for each other's processes; with three, browsers miss their limits.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      { test: { ...shared, name: 'alone', include: ALONE, exclude: [], maxWorkers: 1, sequence: { groupOrder: 2 } } },
    ],
  },
});
