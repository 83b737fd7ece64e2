import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeTenant } from '../features/limits/tenants.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';

const PYTHON = { PYTHONPATH: 'src', PYTHONDONTWRITEBYTECODE: '1' };
const FOLDER = fileURLToPath(new URL('../../clients/python', import.meta.url));

/** Changes something again and again, so that whenever the stream begins, there is an event to come. */
const CHANGES = `
import itertools, threading, time
def change():
    for number in itertools.count():
        Client().memories.create({"content": f"news {number}"})
        time.sleep(0.2)
threading.Thread(target=change, daemon=True).start()
`;

let daemon: TestDaemon;

beforeAll(async () => {
  daemon = await startTestDaemon();
});

afterAll(() => daemon.close());

test('the tests of the Python client pass against a daemon, and leave no connection open', async () => {
  const { apiKey } = await makeTenant(daemon, 'python@example.com', 'Enterprise');
  const env = { SVC_URL: daemon.baseUrl, SVC_API_KEY: apiKey, ...PYTHON };
  const words = ['-W', 'default', '-m', 'unittest', 'discover', '-t', '.', '-s', 'tests'];
  // The comparison with LangGraph's own store is left out where its package is not installed.
  const { stderr, exitCode } = await execa('python3', words, { cwd: FOLDER, env, reject: false, timeout: 120_000 });
  expect([exitCode, stderr]).toEqual([
    0,
    expect.stringMatching(/^[.s]+\n-+\nRan \d{2} tests in [\d.]+s\n\nOK(?: \(skipped=1\))?$/),
  ]);
});

test('the calls that the README shows run as they stand', async () => {
  const { apiKey } = await makeTenant(daemon, 'reader@example.com');
  const readme = await readFile(`${FOLDER}/README.md`, 'utf8');
  const [calls = '', options = '', later = ''] = [...readme.matchAll(/```python\n([\s\S]*?)```/g)].map(
    ([, code]) => code,
  );
  // The stream of events has no end.
  const untilEvent = later.replace(/^ +print\(event\.event.*$/m, '$&\n    break');
  expect(untilEvent).not.toBe(later);
  const awaited = `import asyncio\nasync def main():\n${untilEvent.replaceAll(/^/gm, '    ')}\n`;
  const program = `${calls}${options}${awaited}${CHANGES}asyncio.run(main())`;
  const env = { SVC_URL: daemon.baseUrl, SVC_API_KEY: apiKey, ...PYTHON };
  const { stdout } = await execa('python3', ['-c', program], { cwd: FOLDER, env, timeout: 120_000 });
  expect(stdout).toMatch(/^Ada prefers tea over coffee\nmemory\.created \{/);
});
