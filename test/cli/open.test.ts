import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser as signBrowserIn } from '../features/connections/browser.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { type CliUser, createCliUser } from './memory-harness.ts';

const TTY = { tty: true };
let daemon: TestDaemon;
let person: CliUser;
let apiKey: string;

beforeAll(async () => {
  daemon = await startTestDaemon();
  apiKey = (await daemon.signIn('open@example.com')).apiKey;
  person = await createCliUser(daemon.baseUrl, apiKey, daemon.clock);
});
afterAll(async () => {
  await person.close();
  await daemon.close();
});

const ticketIn = (text: string) => /\/dashboard#ticket=([\w-]{43})\n?/.exec(text)?.[1] ?? '';

/** An environment whose launcher of browsers is this script. */
async function launcher(name: string, script: string): Promise<Record<string, string>> {
  const folder = join(person.folder, name);
  await mkdir(folder);
  await writeFile(join(folder, 'xdg-open'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return { PATH: [folder, process.env.PATH].join(delimiter), DISPLAY: ':0' };
}

test('--print prints a link that signs a browser in once, and the key stays', async () => {
  const { out, err, code } = await person.run(['open', '--print'], TTY);
  expect({ err, code }).toEqual({ err: '', code: 0 });
  expect(out).toMatch(new RegExp(`^${daemon.publicUrl}/dashboard#ticket=[\\w-]{43}\n$`));
  const browser = await signBrowserIn(daemon, { ticket: ticketIn(out) });
  expect((await browser.call('/v1/account')).status).toBe(200);
  await expect(signBrowserIn(daemon, { ticket: ticketIn(out) })).rejects.toThrow('410');
  expect((await daemon.call(apiKey, '/v1/account')).status).toBe(200);
});

test('--json prints the link and when it ends', async () => {
  const { url, expiresAt } = JSON.parse((await person.run(['open', '--json'])).out);
  expect(ticketIn(url)).not.toBe('');
  expect(Date.parse(expiresAt)).toBeGreaterThan(daemon.clock.nowMs());
});

test.skipIf(process.platform !== 'linux')(
  'opens the link in the browser, and does not show the ticket in the terminal',
  async () => {
    const env = await launcher('works', `printf '%s' "$1" > "${person.folder}/opened"`);
    const { out, err, code } = await person.run(['open'], { ...TTY, env });
    expect({ out, err, code }).toEqual({
      out: `Opened ${daemon.publicUrl}/dashboard in your browser.\n`,
      err: '',
      code: 0,
    });
    const opened = () => readFile(join(person.folder, 'opened'), 'utf8').then(ticketIn, () => '');
    await expect.poll(opened).not.toBe('');
    const ticket = await opened();
    expect((await signBrowserIn(daemon, { ticket })).session.id).toMatch(/^con_/);
  },
);

test.skipIf(process.platform !== 'linux').each([
  ['there is no screen', async () => ({})],
  [
    'it runs over ssh',
    async () => ({ ...(await launcher('ssh', 'exit 0')), SSH_CONNECTION: '192.0.2.1 1 192.0.2.2 22' }),
  ],
  ['there is no launcher', async () => ({ PATH: person.folder, DISPLAY: ':0' })],
])('prints the link if %s', async (_, environment) => {
  const { out, err, code } = await person.run(['open'], { ...TTY, env: await environment() });
  expect(code).toBe(0);
  expect(ticketIn(out)).not.toBe('');
  expect(err).toBe('No browser could be opened here. Open this link within 60 seconds; it works once:\n');
});

test('exits with 3 and says why if the key was replaced', async () => {
  const email = 'replaced@example.com';
  const other = await createCliUser(daemon.baseUrl, (await daemon.signIn(email)).apiKey, daemon.clock);
  await daemon.signInByMail(email);
  const { out, err, code } = await other.run(['open']);
  await other.close();
  expect([out, code]).toEqual(['', 3]);
  expect(err).toBe(
    'svc: This API key was replaced by a sign-in on the web less than a minute ago. Use the new key, or run svc login.\n',
  );
});
