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

describe('svc login', () => {
  test('signs in when the browser on this computer sends the code', async () => {
    const running = login();
    const { loopbackUrl } = await confirmLink(daemon, email);
    const answer = await fetch(loopbackUrl!);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('You may close this page');
    const { exitCode, out } = await running.ended;
    expect(exitCode).toBe(0);
    expect(out).toContain(`Signed in as ${email}`);
    const session = await openSession(line);
    expect(await statusOf(session.apiKey)).toBe(200);
    expect(line.keptSignIns).toEqual([{ profileName: 'default', profile: session.profile, apiKey: session.apiKey }]);
    await expect(fetch(loopbackUrl!)).rejects.toThrow();
  });

  test('looks for the daemon before it asks for an address', async () => {
    const url = 'http://127.0.0.1:9';
    const { exitCode, out, error } = await line.run(loginCommand, '--url', url);
    expect({ exitCode, out }).toEqual({ exitCode: 4, out: '' });
    expect(error).toContain(`No daemon answers at ${url}. Start it with svc serve`);
    expect(error).not.toMatch(/email/i);
  });

  test.each([
    ['as shown', (code: string) => code],
    ['in lower case', (code: string) => code.toLowerCase()],
    ['without the dash', (code: string) => code.replace('-', '')],
    ['with spaces', (code: string) => `  ${code.split('').join(' ')} `],
  ])('accepts a code typed %s', async (_, typed) => {
    const running = login('--no-browser-hand-over');
    const { code, loopbackUrl } = await confirmLink(daemon, email);
    expect(loopbackUrl).toBeUndefined();
    running.type(typed(code));
    expect((await running.ended).exitCode).toBe(0);
  });

  test('--json prints exactly one object, and no key appears anywhere', async () => {
    const running = login('--json', '--profile', 'work');
    const { code } = await confirmLink(daemon, email);
    running.type(code);
    const { out, error } = await running.ended;
    const { apiKey, profile } = await openSession(line);
    expect(JSON.parse(out)).toEqual({
      status: 'signed-in',
      email,
      tenantId: profile?.tenantId,
      tier: 'Free',
      url: daemon.baseUrl,
      profile: 'work',
      keyStore: 'keychain',
    });
    expect(out + error + (await line.files())).not.toContain(apiKey);
    expect(daemon.logLines.join('')).not.toContain(apiKey);
  });

  test('reports how many tries are left after a wrong code, and accepts the right one', async () => {
    const running = login();
    const { code } = await confirmLink(daemon, email);
    running.type('AAAA-AAAA');
    await running.hears('4 tries left');
    running.type('12345');
    await running.hears('eight letters and digits');
    running.type('BBBB-BBBB');
    await running.hears('3 tries left');
    running.type(code);
    expect((await running.ended).exitCode).toBe(0);
  });

  test('five wrong codes end the sign-in but not the existing key, and a new link works', async () => {
    const { apiKey } = await daemon.signIn(email);
    const before = (await daemon.mailbox.mailsTo(email)).at(-1)?.name;
    const running = login();
    const { name } = await daemon.mailbox.waitForMail(email, { after: before });
    const { code } = await confirmLink(daemon, email, before);
    for (const wrong of ['AAAA', 'BBBB', 'CCCC', 'DDDD', 'EEEE']) running.type(`${wrong}-2222`);
    await running.hears('This sign-in is over');
    running.type(code);
    expect(await statusOf(apiKey)).toBe(200);
    running.type('r');
    await running.hears('A new link is on its way');
    running.type((await confirmLink(daemon, email, name)).code);
    expect((await running.ended).exitCode).toBe(0);
    expect(await statusOf(apiKey)).toBe(401);
  });

  test('accepts the code of the first link after a new one was requested', async () => {
    const running = login();
    const { code } = await confirmLink(daemon, email);
    running.type('R');
    await running.hears('A new link is on its way');
    running.type(code);
    expect((await running.ended).exitCode).toBe(0);
  });

  test('reports an expired link, and a new one works', async () => {
    const running = login();
    const first = await daemon.mailbox.waitForMail(email);
    const { code } = await confirmLink(daemon, email);
    daemon.clock.advance(16 * 60_000);
    running.type(code);
    await running.hears('it has expired');
    running.type('r');
    running.type((await confirmLink(daemon, email, first.name)).code);
    expect((await running.ended).exitCode).toBe(0);
  });

  test('leaves nothing behind when it is stopped', async () => {
    const running = login();
    const { loopbackUrl } = await confirmLink(daemon, email);
    running.stop();
    expect(await running.ended).toMatchObject({
      exitCode: 130,
      out: '',
      error: expect.stringContaining('Nobody was signed in'),
    });
    await expect(fetch(loopbackUrl!)).rejects.toThrow();
    expect(await line.files()).toBe('');
  });

  test('--timeout ends the wait', async () => {
    expect(await login('--timeout', '1').ended).toMatchObject({
      exitCode: 1,
      error: expect.stringContaining('in time'),
    });
    expect((await login('--timeout', 'soon').ended).exitCode).toBe(2);
  });

  test('exits with 4 and says what to do if the daemon is unreachable', async () => {
    const ending = await line.run(loginCommand, '--email', email, '--url', 'http://127.0.0.1:9');
    expect(ending).toMatchObject({ exitCode: 4, out: '' });
    expect(ending.error).toContain('http://127.0.0.1:9');
    expect(ending.error).toContain('svc serve');
  });

  test('never prompts without a terminal, and rejects invalid options as usage errors', async () => {
    expect(await line.run(loginCommand, '--url', daemon.baseUrl)).toMatchObject({
      exitCode: 2,
      error: expect.stringContaining('--email'),
    });
    expect((await line.run(loginCommand, '--email', 'nobody')).exitCode).toBe(2);
    expect((await line.run(loginCommand, '--email', 'a@b@c', '--url', daemon.baseUrl)).exitCode).toBe(2);
    expect((await line.run(loginCommand, '--email', email, '--url', 'ftp://x')).exitCode).toBe(2);
    expect((await line.run(loginCommand, '--email', email, '--profile', '--json')).exitCode).toBe(2);
    expect((await line.run(loginCommand, '--email', email, '--key-store', 'cloud')).exitCode).toBe(2);
  });

  test('asks for the email address on a terminal, and suggests the last one', async () => {
    line = await createExtraLine({ isTty: true });
    const start = () => line.start(loginCommand, '--url', daemon.baseUrl);
    const first = start();
    await first.hears('Email address:');
    first.type('nonsense');
    await first.hears('not an email address');
    first.type(email);
    const before = await daemon.mailbox.waitForMail(email);
    first.type((await confirmLink(daemon, email)).code);
    expect((await first.ended).exitCode).toBe(0);
    const second = start();
    await second.hears(`Email address [${email}]:`);
    second.type('');
    second.type((await confirmLink(daemon, email, before.name)).code);
    expect((await second.ended).exitCode).toBe(0);
  });
});

describe('several accounts', () => {
  async function signInAs(address: string, ...words: string[]): Promise<string> {
    const before = (await daemon.mailbox.mailsTo(address)).at(-1)?.name;
    const running = line.start(loginCommand, '--url', daemon.baseUrl, '--email', address, '--json', ...words);
    running.type((await confirmLink(daemon, address, before)).code);
    const { out } = await running.ended;
    return (JSON.parse(out) as { profile: string }).profile;
  }

  test('saves a second account under its own profile without touching the first', async () => {
    expect(await signInAs(email)).toBe('default');
    expect(await signInAs(`other-${email}`)).toBe(`other-person${personCount}`);
    expect(await signInAs(email)).toBe('default');
    expect(Object.keys(line.settings.profiles())).toEqual(['default', `other-person${personCount}`]);
    for (const profile of Object.keys(line.settings.profiles())) {
      expect(await statusOf((await openSession({ ...line, profile })).apiKey)).toBe(200);
    }
  });

  test('names the profile of a second daemon after its host', async () => {
    await line.settings.save('default', { url: 'https://svc.example.com', email, tenantId: 'ten_x', keyStore: 'file' });
    expect(await signInAs(email)).toBe('127.0.0.1');
  });

  test('lets the user choose the profile name', async () => {
    line = await createExtraLine({ isTty: true });
    await line.settings.save('default', { url: 'https://svc.example.com', email, tenantId: 'ten_x', keyStore: 'file' });
    const running = login();
    await running.hears('Profile name [127.0.0.1]:');
    running.type('laptop');
    running.type((await confirmLink(daemon, email)).code);
    expect((await running.ended).exitCode).toBe(0);
    expect(Object.keys(line.settings.profiles())).toEqual(['default', 'laptop']);
  });

  test('updates the key in every profile of the account', async () => {
    await signInAs(email, '--profile', 'one');
    await signInAs(email, '--profile', 'two');
    for (const profile of ['one', 'two']) {
      expect(await statusOf((await openSession({ ...line, profile })).apiKey)).toBe(200);
    }
  });
});
