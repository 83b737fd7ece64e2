import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { loginCommand } from '../../src/cli/commands/login.ts';
import { openSession } from '../../src/cli/session.ts';
import {
  type CommandLineOptions,
  confirmLink,
  createCommandLine,
  type TestCommandLine,
} from '../helpers/command-line.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';

let daemon: TestDaemon;
let line: TestCommandLine;
const more: TestCommandLine[] = [];
let people = 0;
let email: string;

beforeAll(async () => {
  daemon = await startTestDaemon();
});
afterAll(() => daemon.close());
beforeEach(async () => {
  // Another minute: what a test asked for does not count against the next one's limit.
  daemon.clock.advance(60_000);
  people += 1;
  email = `person${people}@example.com`;
  line = await createCommandLine();
});
afterEach(async () => {
  await Promise.all([line, ...more.splice(0)].map((one) => one.close()));
});

async function another(options: CommandLineOptions): Promise<TestCommandLine> {
  const made = await createCommandLine(options);
  more.push(made);
  return made;
}

const login = (...words: string[]) => line.start(loginCommand, '--url', daemon.baseUrl, '--email', email, ...words);
const statusOf = async (apiKey: string) => (await daemon.call(apiKey, '/v1/account')).status;

describe('no keychain', () => {
  async function signInWithout(options: CommandLineOptions & { answers?: string[] }, ...words: string[]) {
    line = await another(options);
    const before = (await daemon.mailbox.mailsTo(email)).at(-1)?.name;
    const running = login(...words);
    for (const answer of options.answers ?? []) running.type(answer);
    const outcome = await Promise.race([running.ended, confirmLink(daemon, email, before)]);
    if ('code' in outcome) running.type(outcome.code);
    return running.ended;
  }

  test('the key goes into a file of mode 0600, with a clear warning', async () => {
    line.keychain.fault = 'absent';
    const ending = await signInWithout({ keychain: line.keychain });
    expect(ending.exitCode).toBe(0);
    expect(ending.error).toMatch(/No keychain is available\. The key is in a file that only you may\s+read/);
    expect(ending.out).toContain('key in a file with mode 0600');
    const path = join(line.folder, 'keys.json');
    expect(((await stat(path)).mode & 0o777).toString(8)).toBe('600');
    const { apiKey, keyStore } = await openSession(line);
    expect(keyStore).toBe('file');
    expect(await readFile(path, 'utf8')).toContain(apiKey);
    expect(await statusOf(apiKey)).toBe(200);
  });

  test.each(['absent', 'locked', 'refused', 'silent'] as const)(
    '--key-store keychain refuses where it is %s, before any key is made',
    async (fault) => {
      line.keychain.fault = fault;
      const { apiKey } = await daemon.signIn(email);
      const ending = await signInWithout({ keychain: line.keychain }, '--key-store', 'keychain');
      expect(ending).toMatchObject({ exitCode: 1, error: expect.stringContaining('--key-store file') });
      expect(await statusOf(apiKey)).toBe(200);
      expect(await line.files()).toBe('');
    },
  );

  test('--key-store file asks no keychain and warns of none', async () => {
    line.keychain.fault = 'locked';
    const ending = await signInWithout({ keychain: line.keychain }, '--key-store', 'file');
    expect(ending.exitCode).toBe(0);
    expect(ending.error).not.toContain('keychain');
  });

  test('a key file that others may read is refused before any key is made', async () => {
    line = await another({});
    const { apiKey } = await daemon.signIn(email);
    await writeFile(join(line.folder, 'keys.json'), '{}', { mode: 0o644 });
    const ending = await line.run(loginCommand, '--url', daemon.baseUrl, '--email', email, '--key-store', 'file');
    expect(ending).toMatchObject({ exitCode: 1, error: expect.stringContaining('chmod 600') });
    expect(await statusOf(apiKey)).toBe(200);
  });

  test('a locked one: a person decides', async () => {
    line.keychain.fault = 'locked';
    line = await another({ keychain: line.keychain, isTty: true });
    const refused = login();
    await refused.hears('The keychain is locked');
    refused.type('n');
    expect(await refused.ended).toMatchObject({ exitCode: 1, error: expect.stringContaining('Unlock it') });
    expect(await daemon.mailbox.mailsTo(email)).toEqual([]);
    const yes = await signInWithout({ keychain: line.keychain, isTty: true, answers: ['y'] });
    expect(yes.exitCode).toBe(0);
  });

  test('one that fails only after the key was made: the file is offered, the key is not lost', async () => {
    line.keychain.failWrites = 'refused';
    const ending = await signInWithout({ keychain: line.keychain });
    expect(ending.exitCode).toBe(0);
    expect(ending.error).toContain('The keychain did not take the key');
    expect(await statusOf((await openSession(line)).apiKey)).toBe(200);
  });

  test('where that is ruled out, the key that nobody could use is made invalid again, and so it is said', async () => {
    line.keychain.failWrites = 'refused';
    const made: string[] = [];
    const listening: typeof fetch = async (...request) => {
      const answer = await fetch(...request);
      const key = /svc_live_[0-9a-f]{32}/.exec(await answer.clone().text())?.[0];
      if (key) made.push(key);
      return answer;
    };
    const options = { keychain: line.keychain, context: { fetch: listening } };
    const ending = await signInWithout(options, '--key-store', 'keychain');
    expect(ending).toMatchObject({ exitCode: 1, error: expect.stringContaining('could not be kept') });
    expect(made).toHaveLength(1);
    expect(await statusOf(made[0]!)).toBe(401);
    expect(ending.out + ending.error + (await line.files())).not.toContain(made[0]);
  });
});
