import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import base, { ENVIRONMENT, LONG } from './vitest.config.ts';

/** Files that measure time, or keep both processors busy themselves. */
const ALONE = [
  'backup',
  'neighbors',
  'noisy-tenant',
  'postgres-network',
  'same-answer',
  'serve-stop',
  'web/budgets',
  'write-ahead-log',
].map((name) => `test/slow/${name}.test.ts`);

/** Files that drive browsers. */
const BROWSERS = ['web/**/*', 'reference', 'oauth-clients'].map((name) => `test/slow/${name}.test.ts`);

/** Files that take longest. The others fill the time beside them; at the end they would run by themselves. */
const FIRST = [
  'tenant-predicates',
  'openclaw',
  'assistant-turns',
  'assistants',
  'assistant-hooks',
  'bridge',
  'sync',
  'restore-kills',
  'web/memories',
].map((name) => `test/slow/${name}.test.ts`);

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const found = FIRST.findIndex((path) => moduleId.endsWith(`/${path}`));
      return found === -1 ? FIRST.length : found;
    };
    return (await super.sort(files)).toSorted((one, other) => place(one) - place(other));
  }
}

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
    env: { ...base.test?.env },
    globalSetup: ['build-all', 'folder-in-memory', 'packages-folder'].map((name) => `test/helpers/${name}.ts`),
    reporters: ['default'],
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          ...base.test,
          globalSetup: [],
          name: 'long',
          include: [LONG],
          exclude: [],
          maxWorkers: 3,
          sequence: { ...base.test?.sequence, groupOrder: 1 },
        },
      },
      {
        test: {
          ...shared,
          name: 'programs',
          include: ['test/slow/**/*.test.ts'],
          exclude: [...BROWSERS, ...ALONE],
          // Mostly they wait for each other's processes.
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...shared,
          name: 'browsers',
          include: BROWSERS,
          exclude: ALONE,
          // With three, pages miss their limits.
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          ...shared,
          name: 'alone',
          include: ALONE,
          exclude: [],
          // On the disk, as it serves.
          env: ENVIRONMENT,
          maxWorkers: 1,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
