import { defineConfig, mergeConfig } from 'vitest/config';
import base from './vitest.config.ts';

/** Crashes, faults, browsers and other programs: minutes, not seconds. */
export default mergeConfig(
  { ...base, test: { ...base.test, include: [], exclude: [], globalSetup: [], reporters: ['default'] } },
  defineConfig({
    test: {
      include: ['test/slow/**/*.test.ts'],
      globalSetup: ['test/helpers/build-all.ts', 'test/helpers/assistants/assistants-folder.ts'],
      fileParallelism: false,
      testTimeout: 300_000,
      // Browsers and processes that wait for a processor: what fails twice is broken.
      retry: 1,
      expect: { poll: { timeout: 10_000 } },
      hookTimeout: 120_000,
    },
  }),
);
