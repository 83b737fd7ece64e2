import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeTenant } from '../features/limits/tenants.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';

const FOLDER = fileURLToPath(new URL('../../clients/python', import.meta.url));

let daemon: TestDaemon;

beforeAll(async () => {
  daemon = await startTestDaemon();
});

afterAll(() => daemon.close());

test('the tests of the Python client pass against a daemon, and leave no connection open', async () => {
  const { apiKey } = await makeTenant(daemon, 'python@example.com', 'Enterprise');
  const env = {
    SVC_URL: daemon.baseUrl,
    SVC_API_KEY: apiKey,
    PYTHONPATH: 'src',
    PYTHONDONTWRITEBYTECODE: '1',
  };
  const words = ['-W', 'default', '-m', 'unittest', 'discover', '-t', '.', '-s', 'tests'];
  // The comparison with LangGraph's own store is left out where its package is not installed.
  const { stderr, exitCode } = await execa('python3', words, { cwd: FOLDER, env, reject: false, timeout: 120_000 });
  expect([exitCode, stderr]).toEqual([
    0,
    expect.stringMatching(/^[.s]+\n-+\nRan \d{2} tests in [\d.]+s\n\nOK(?: \(skipped=1\))?$/),
  ]);
});
