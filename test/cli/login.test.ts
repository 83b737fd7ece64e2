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

describe('svc login', () => {
  test('the browser of this machine hands the code over', async () => {
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

  test.each([
    ['as it stands', (code: string) => code],
    ['in small letters', (code: string) => code.toLowerCase()],
    ['without the dash', (code: string) => code.replace('-', '')],
    ['with blanks', (code: string) => `  ${code.split('').join(' ')} `],
  ])('the code is typed %s', async (_, typed) => {
    const running = login('--no-browser-hand-over');
    const { code, loopbackUrl } = await confirmLink(daemon, email);
    expect(loopbackUrl).toBeUndefined();
    running.type(typed(code));
    expect((await running.ended).exitCode).toBe(0);
  });

  test('--json prints one object and nothing else, and no key anywhere', async () => {
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

  test('a wrong code is told with the tries left; the right one still works', async () => {
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

  test('five wrong codes void the sign-in, the former key lives, and another link starts again', async () => {
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

  test('after another link was asked for, the code of the first still works', async () => {
    const running = login();
    const { code } = await confirmLink(daemon, email);
    running.type('R');
    await running.hears('A new link is on its way');
    running.type(code);
    expect((await running.ended).exitCode).toBe(0);
  });

  test('a link that has expired is told, and another one works', async () => {
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

  test('being stopped leaves nothing behind', async () => {
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

  test('--timeout gives up', async () => {
    expect(await login('--timeout', '1').ended).toMatchObject({
      exitCode: 1,
      error: expect.stringContaining('in time'),
    });
    expect((await login('--timeout', 'soon').ended).exitCode).toBe(2);
  });

  test('a daemon that is not there ends with 4, its address and what to do', async () => {
    const ending = await line.run(loginCommand, '--email', email, '--url', 'http://127.0.0.1:9');
    expect(ending).toMatchObject({ exitCode: 4, out: '' });
    expect(ending.error).toContain('http://127.0.0.1:9');
    expect(ending.error).toContain('svc serve');
  });

  test('without a terminal nothing is asked, and what is no address is a fault of usage', async () => {
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

  test('a person is asked for the address; the last one is remembered', async () => {
    line = await another({ isTty: true });
    const start = () => line.start(loginCommand, '--url', daemon.baseUrl);
    const first = start();
    await first.hears('E-mail address:');
    first.type('nonsense');
    await first.hears('no e-mail address');
    first.type(email);
    const before = await daemon.mailbox.waitForMail(email);
    first.type((await confirmLink(daemon, email)).code);
    expect((await first.ended).exitCode).toBe(0);
    const second = start();
    await second.hears(`E-mail address [${email}]:`);
    second.type('');
    second.type((await confirmLink(daemon, email, before.name)).code);
    expect((await second.ended).exitCode).toBe(0);
  });
});

describe('several accounts', () => {
  async function signInHere(address: string, ...words: string[]): Promise<string> {
    const before = (await daemon.mailbox.mailsTo(address)).at(-1)?.name;
    const running = line.start(loginCommand, '--url', daemon.baseUrl, '--email', address, '--json', ...words);
    running.type((await confirmLink(daemon, address, before)).code);
    const { out } = await running.ended;
    return (JSON.parse(out) as { profile: string }).profile;
  }

  test('a second account gets a name of its own, and the first keeps its key', async () => {
    expect(await signInHere(email)).toBe('default');
    expect(await signInHere(`other-${email}`)).toBe(`other-person${people}`);
    expect(await signInHere(email)).toBe('default');
    expect(Object.keys(line.settings.profiles())).toEqual(['default', `other-person${people}`]);
    for (const profile of Object.keys(line.settings.profiles())) {
      expect(await statusOf((await openSession({ ...line, profile })).apiKey)).toBe(200);
    }
  });

  test('a second daemon gets a name after its host', async () => {
    await line.settings.save('default', { url: 'https://svc.example.com', email, tenantId: 'ten_x', keyStore: 'file' });
    expect(await signInHere(email)).toBe('127.0.0.1');
  });

  test('a person may choose that name', async () => {
    line = await another({ isTty: true });
    await line.settings.save('default', { url: 'https://svc.example.com', email, tenantId: 'ten_x', keyStore: 'file' });
    const running = login();
    await running.hears('Name for this one [127.0.0.1]:');
    running.type('laptop');
    running.type((await confirmLink(daemon, email)).code);
    expect((await running.ended).exitCode).toBe(0);
    expect(Object.keys(line.settings.profiles())).toEqual(['default', 'laptop']);
  });

  test('profiles of one account all get its new key', async () => {
    await signInHere(email, '--profile', 'one');
    await signInHere(email, '--profile', 'two');
    for (const profile of ['one', 'two']) {
      expect(await statusOf((await openSession({ ...line, profile })).apiKey)).toBe(200);
    }
  });
});
