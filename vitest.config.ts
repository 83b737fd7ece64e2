import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/slow/**'],
    pool: 'forks',
    // SQLite works on libuv's threads (see bin/svc).
    env: { UV_THREADPOOL_SIZE: '8' },
    globalSetup: ['test/helpers/build-all.ts'],
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
});
