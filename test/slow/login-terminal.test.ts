import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { confirmLink } from '../helpers/command-line.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { openTerminal, type TestTerminal } from '../helpers/terminal.ts';

/** Runs the built `svc login` in a real pseudo-terminal. */

const SVC = fileURLToPath(new URL('../../bin/svc', import.meta.url));
const EMAIL = 'ana@example.com';
const COLOR = /\u001b\[(3|9)[0-7]m/;
let daemon: TestDaemon;
let folder: string;
let terminal: TestTerminal;

beforeAll(async () => {
  daemon = await startTestDaemon();
});
afterAll(() => daemon.close());
beforeEach(async () => {
  // Every test signs in with the same address, which gets five terminal links per hour.
  daemon.clock.advance(60 * 60_000);
  folder = await mkdtemp(join(tmpdir(), 'svc-terminal-'));
});
afterEach(async () => {
  await terminal.close();
  await rm(folder, { recursive: true, force: true });
});

/** Opens a shell with an alias for `svc` and the test daemon as the default. */
async function open(env: Record<string, string> = {}, columns = 80): Promise<void> {
  terminal = await openTerminal({
    env: { HOME: folder, SVC_CONFIG_DIR: join(folder, 'svc'), SVC_URL: daemon.baseUrl, ...env },
    columns,
  });
  await terminal.type(`alias svc='${process.execPath} ${SVC}'; clear\n`);
}

const latestMail = async () => (await daemon.mailbox.mailsTo(EMAIL)).at(-1)?.name;

/** Waits for the link, opens it, and returns what the page shows. */
async function confirmLatestLink(before: string | undefined) {
  await terminal.sees('A sign-in link is on its way');
  return confirmLink(daemon, EMAIL, before);
}

/** Prints a screen, for the README, if `SVC_SHOW_SCREENS=1`. */
function showScreen(name: string, screen: string): void {
  if (process.env.SVC_SHOW_SCREENS) console.log(`--- ${name}\n${screen}\n`);
}

describe('svc login at a terminal', () => {
  test('asks for the email address, and continues when the browser sends the code', async () => {
    await open();
    const before = await latestMail();
    await terminal.type('svc login\n');
    showScreen('address', await terminal.sees('Email address'));
    await terminal.type('annaa');
    await terminal.press('BSpace');
    await terminal.press('Left');
    await terminal.press('BSpace');
    await terminal.press('C-e');
    await terminal.type('@example.com\n');
    const { loopbackUrl } = await confirmLatestLink(before);
    const waiting = await terminal.sees(/The link expires in 14:5\d/);
    showScreen('waiting', waiting);
    expect(waiting).toContain(EMAIL);
    expect((await fetch(loopbackUrl!)).status).toBe(200);
    const done = await terminal.sees('Signed in as');
    showScreen('done', done);
    expect(done).not.toContain('Waiting.');
    // Typed while svc is still exiting: it goes to the shell.
    await terminal.type('clear; svc status\n');
    showScreen('status', await terminal.sees('Profile'));
  });

  test('rejects a wrong code, then accepts the right one in lower case', async () => {
    await open();
    const before = await latestMail();
    await terminal.type(`svc login --email ${EMAIL}; echo "ended with $?"\n`);
    const { code } = await confirmLatestLink(before);
    await terminal.type('aaaa-aaaa\n');
    const wrong = await terminal.sees('4 tries left');
    showScreen('wrong code', wrong);
    await terminal.type(`${code.toLowerCase().replace('-', ' ')}\n`);
    expect(await terminal.sees(/ended with \d/)).toContain('ended with 0');
  });

  test('r sends a new link, and its code works', async () => {
    await open();
    const before = await latestMail();
    await terminal.type(`svc login --email ${EMAIL}; echo "ended with $?"\n`);
    await confirmLatestLink(before);
    const first = await latestMail();
    await terminal.type('r\n');
    showScreen('resent', await terminal.sees('A new link is on its way'));
    await terminal.type(`${(await confirmLink(daemon, EMAIL, first)).code}\n`);
    expect(await terminal.sees(/ended with \d/)).toContain('ended with 0');
  });

  test('five wrong codes end the sign-in, and a new link works', async () => {
    await open();
    const before = await latestMail();
    await terminal.type(`svc login --email ${EMAIL}; echo "ended with $?"\n`);
    await confirmLatestLink(before);
    const first = await latestMail();
    for (const left of ['4 tries', '3 tries', '2 tries', 'One try', 'This sign-in is over']) {
      await terminal.type('aaaa-aaaa\n');
      await terminal.sees(left);
    }
    showScreen('over', await terminal.screen());
    await terminal.type('r\n');
    await terminal.sees('A new link is on its way');
    await terminal.type(`${(await confirmLink(daemon, EMAIL, first)).code}\n`);
    expect(await terminal.sees(/ended with \d/)).toContain('ended with 0');
  });

  test.each([
    ['at the email prompt', 'svc login', 'Email address'],
    ['while waiting for the code', `svc login --email ${EMAIL}`, 'The link expires in'],
  ])('Ctrl-C %s restores the terminal and leaves nothing behind', async (_, command, seen) => {
    await open();
    const settings = () => terminal.type('stty -a | cksum\n');
    await settings();
    const [clean] = /\d{5,} \d+/.exec(await terminal.sees(/\d{5,} \d+/))!;
    await terminal.type(`clear; ${command}; echo "ended with $?"\n`);
    await terminal.sees(seen);
    await terminal.press('C-c');
    const ended = await terminal.sees(/ended with \d/);
    showScreen('Ctrl-C', ended);
    expect(ended).toContain('ended with 130');
    expect(ended).not.toContain(seen);
    await settings();
    expect(await terminal.sees(/\d{5,} \d+/)).toContain(clean);
    await terminal.type('echo "it echoes"\n');
    await terminal.sees(/\nit echoes/);
    expect(await readdir(folder)).toEqual([]);
  });

  test('a plain prompt after the rendered ones still reads input: the old key of an assistant is replaced', async () => {
    await open();
    const entry = { url: `${daemon.baseUrl}/v1/mcp`, headers: { Authorization: `Bearer svc_live_${'0'.repeat(32)}` } };
    const file = join(folder, '.cursor', 'mcp.json');
    await mkdir(dirname(file));
    await writeFile(file, JSON.stringify({ mcpServers: { svc: entry } }));
    const before = await latestMail();
    await terminal.type(`svc login --email ${EMAIL}; echo "ended with $?"\n`);
    const { code } = await confirmLatestLink(before);
    await terminal.type(`${code}\n`);
    await terminal.sees('Replace it with the new key?');
    await terminal.type('y\n');
    expect(await terminal.sees(/ended with \d/)).toContain('ended with 0');
    expect(await readFile(file, 'utf8')).not.toContain('0'.repeat(32));
  });

  test('fits into 40 columns', async () => {
    await open({}, 40);
    const before = await latestMail();
    await terminal.type(`svc login --email ${EMAIL}; echo "ended with $?"\n`);
    const { code } = await confirmLatestLink(before);
    showScreen('40 columns', await terminal.sees('The link expires in'));
    await terminal.type(`${code}\n`);
    await terminal.sees(/ended with 0/);
    await terminal.type('clear; svc status\n');
    const status = await terminal.sees('Profile');
    showScreen('40 columns, status', status);
    expect(status).toContain('Memories');
  });

  test.each([
    ['NO_COLOR', { NO_COLOR: '1' }],
    ['a dumb terminal', { TERM: 'dumb' }],
  ])('has no color with %s', async (_, env) => {
    await open(env);
    const before = await latestMail();
    await terminal.type(`svc login --email ${EMAIL}; echo "ended with $?"\n`);
    await terminal.sees('A sign-in link');
    expect(await terminal.colors()).not.toMatch(COLOR);
    await terminal.type(`${(await confirmLink(daemon, EMAIL, before)).code}\n`);
    await terminal.sees(/ended with 0/);
    expect(await terminal.colors()).not.toMatch(COLOR);
  });

  test('writes plain lines for a screen reader', async () => {
    await open({ INK_SCREEN_READER: 'true' });
    const before = await latestMail();
    await terminal.type('svc login; echo "ended with $?"\n');
    await terminal.sees('Email address:');
    await terminal.type(`${EMAIL}\n`);
    await terminal.sees(/A sign-in link for .* is on its\s+way/);
    await terminal.type('aaaa-aaaa\n');
    await terminal.sees('4 tries left');
    await terminal.type(`${(await confirmLink(daemon, EMAIL, before)).code}\n`);
    showScreen('screen reader', await terminal.sees(/ended with 0/));
  });

  test('exits with 4 and says what to do if the daemon is unreachable', async () => {
    await open({ SVC_URL: 'http://127.0.0.1:9' });
    await terminal.type(`svc login --email ${EMAIL}; echo "ended with $?"\n`);
    const ended = await terminal.sees(/ended with \d/);
    showScreen('unreachable', ended);
    expect(ended).toContain('ended with 4');
    expect(ended).toContain('svc serve');
  });
});
