import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { loginCommand } from '../../src/cli/commands/login.ts';
import { openKeyFile } from '../../src/cli/key-file.ts';
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
const extraLines: TestCommandLine[] = [];
let personCount = 0;
let email: string;

beforeAll(async () => {
  daemon = await startTestDaemon();
});
afterAll(() => daemon.close());
beforeEach(async () => {
  // A new minute, so that requests of one test do not count toward the rate limit of the next.
  daemon.clock.advance(60_000);
  personCount += 1;
  email = `person${personCount}@example.com`;
  line = await createCommandLine();
});
afterEach(async () => {
  await Promise.all([line, ...extraLines.splice(0)].map((one) => one.close()));
});

async function createExtraLine(options: CommandLineOptions): Promise<TestCommandLine> {
  const made = await createCommandLine(options);
  extraLines.push(made);
  return made;
}

const login = (...words: string[]) => line.start(loginCommand, '--url', daemon.baseUrl, '--email', email, ...words);
const statusOf = async (apiKey: string) => (await daemon.call(apiKey, '/v1/account')).status;

describe('without a usable keychain', () => {
  async function signInWithout(options: CommandLineOptions & { answers?: string[] }, ...words: string[]) {
    line = await createExtraLine(options);
    const before = (await daemon.mailbox.mailsTo(email)).at(-1)?.name;
    const running = login(...words);
    for (const answer of options.answers ?? []) running.type(answer);
    const outcome = await Promise.race([running.ended, confirmLink(daemon, email, before)]);
    if ('code' in outcome) running.type(outcome.code);
    return running.ended;
  }

  test('stores the key in a file with mode 0600 and warns about it', async () => {
    line.keychain.fault = 'absent';
    const ending = await signInWithout({ keychain: line.keychain });
    expect(ending.exitCode).toBe(0);
    expect(ending.error).toMatch(
      /No keychain is available\. The key is stored unencrypted in a file that\s+only\s+you\s+can\s+read/,
    );
    expect(ending.out).toContain('key in a file with mode 0600');
    const path = join(line.folder, 'keys.json');
    expect(((await stat(path)).mode & 0o777).toString(8)).toBe('600');
    const { apiKey, keyStore } = await openSession(line);
    expect(keyStore).toBe('file');
    expect(await readFile(path, 'utf8')).toContain(apiKey);
    expect(await statusOf(apiKey)).toBe(200);
  });

  test.each(['absent', 'locked', 'refused', 'silent'] as const)(
    '--key-store keychain fails before a key is created if the keychain is %s',
    async (fault) => {
      line.keychain.fault = fault;
      const { apiKey } = await daemon.signIn(email);
      const ending = await signInWithout({ keychain: line.keychain }, '--key-store', 'keychain');
      expect(ending).toMatchObject({ exitCode: 1, error: expect.stringContaining('--key-store file') });
      expect(await statusOf(apiKey)).toBe(200);
      expect(await line.files()).toBe('');
    },
  );

  test('--key-store file neither uses the keychain nor warns about it', async () => {
    line.keychain.fault = 'locked';
    const ending = await signInWithout({ keychain: line.keychain }, '--key-store', 'file');
    expect(ending.exitCode).toBe(0);
    expect(ending.error).not.toContain('keychain');
  });

  test('rejects a key file that others can read before a key is created', async () => {
    line = await createExtraLine({});
    const { apiKey } = await daemon.signIn(email);
    await writeFile(join(line.folder, 'keys.json'), '{}', { mode: 0o644 });
    const ending = await line.run(loginCommand, '--url', daemon.baseUrl, '--email', email, '--key-store', 'file');
    expect(ending).toMatchObject({ exitCode: 1, error: expect.stringContaining('chmod 600') });
    expect(await statusOf(apiKey)).toBe(200);
  });

  test('asks the user what to do if the keychain is locked', async () => {
    line.keychain.fault = 'locked';
    line = await createExtraLine({ keychain: line.keychain, isTty: true });
    const refused = login();
    await refused.hears('The keychain is locked');
    refused.type('n');
    expect(await refused.ended).toMatchObject({ exitCode: 1, error: expect.stringContaining('Unlock it') });
    expect(await daemon.mailbox.mailsTo(email)).toEqual([]);
    const yes = await signInWithout({ keychain: line.keychain, isTty: true, answers: ['y'] });
    expect(yes.exitCode).toBe(0);
  });

  test('stores the key in the file if the keychain fails after the key was created', async () => {
    line.keychain.failWrites = 'refused';
    const ending = await signInWithout({ keychain: line.keychain });
    expect(ending.exitCode).toBe(0);
    expect(ending.error).toContain('The keychain did not accept the key');
    expect(await statusOf((await openSession(line)).apiKey)).toBe(200);
  });

  test('revokes the new key and reports it if the file is ruled out', async () => {
    line.keychain.failWrites = 'refused';
    const created: string[] = [];
    const recordingFetch: typeof fetch = async (...request) => {
      const answer = await fetch(...request);
      const key = /svc_live_[0-9a-f]{32}/.exec(await answer.clone().text())?.[0];
      if (key) created.push(key);
      return answer;
    };
    const options = { keychain: line.keychain, context: { fetch: recordingFetch } };
    const ending = await signInWithout(options, '--key-store', 'keychain');
    expect(ending).toMatchObject({ exitCode: 1, error: expect.stringContaining('could not be stored') });
    expect(created).toHaveLength(1);
    expect(await statusOf(created[0]!)).toBe(401);
    expect(ending.out + ending.error + (await line.files())).not.toContain(created[0]);
  });
});

test('commands that probe the key file at the same time do not disturb each other, and leave no copy of it', async () => {
  const keys = openKeyFile(line.folder);
  await keys.set('ada', 'secret');
  const before = await readdir(line.folder);
  for (let round = 0; round < 50; round += 1) await Promise.all([keys.probe(), keys.probe(), keys.probe()]);
  expect(await readdir(line.folder)).toEqual(before);
  expect(await keys.get('ada')).toBe('secret');
});
