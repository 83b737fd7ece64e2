import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { confirmLink } from '../helpers/command-line.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { openTerminal, type TestTerminal } from '../helpers/terminal.ts';

/** `svc login` as it is built, in a real pseudo-terminal. */

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

/** A shell in which `svc` is known and the daemon of the test is the default one. */
async function open(env: Record<string, string> = {}, columns = 80): Promise<void> {
  terminal = await openTerminal({
    env: { HOME: folder, SVC_CONFIG_DIR: join(folder, 'svc'), SVC_URL: daemon.baseUrl, ...env },
    columns,
  });
  await terminal.type(`alias svc='${process.execPath} ${SVC}'; clear\n`);
}

const latest = async () => (await daemon.mailbox.mailsTo(EMAIL)).at(-1)?.name;

/** Asks for the link, and returns what the page behind it shows. */
async function confirmed(before: string | undefined) {
  await terminal.sees('A sign-in link is on its way');
  return confirmLink(daemon, EMAIL, before);
}

/** Keeps a screen for the README: `SVC_SHOW_SCREENS=1` prints them. */
function keep(name: string, screen: string): void {
  if (process.env.SVC_SHOW_SCREENS) console.log(`--- ${name}\n${screen}\n`);
}

describe('svc login at a terminal', () => {
  test('asks for the address, and goes on by itself when the browser hands the code over', async () => {
    await open();
    const before = await latest();
    await terminal.type('svc login\n');
    keep('address', await terminal.sees('E-mail address'));
    await terminal.type('annaa');
    await terminal.press('BSpace');
    await terminal.press('Left');
    await terminal.press('BSpace');
    await terminal.press('C-e');
    await terminal.type('@example.com\n');
    const { loopbackUrl } = await confirmed(before);
    const waiting = await terminal.sees(/The link works for 14:5\d more/);
    keep('waiting', waiting);
    expect(waiting).toContain(EMAIL);
    expect((await fetch(loopbackUrl!)).status).toBe(200);
    const done = await terminal.sees('Signed in as');
    keep('done', done);
    expect(done).not.toContain('Waiting.');
    // Typed while svc is still on its way out: it belongs to the shell.
    await terminal.type('clear; svc status\n');
    keep('status', await terminal.sees('Profile'));
  });

  test('the code is typed: wrong, then right, in small letters', async () => {
    await open();
    const before = await latest();
    await terminal.type(`svc login --email ${EMAIL}; echo "ended with $?"\n`);
    const { code } = await confirmed(before);
    await terminal.type('aaaa-aaaa\n');
    const wrong = await terminal.sees('4 tries left');
    keep('wrong code', wrong);
    await terminal.type(`${code.toLowerCase().replace('-', ' ')}\n`);
    expect(await terminal.sees(/ended with \d/)).toContain('ended with 0');
  });

  test('r sends another link, and its code works', async () => {
    await open();
    const before = await latest();
    await terminal.type(`svc login --email ${EMAIL}; echo "ended with $?"\n`);
    await confirmed(before);
    const first = await latest();
    await terminal.type('r\n');
    keep('resent', await terminal.sees('A new link is on its way'));
    await terminal.type(`${(await confirmLink(daemon, EMAIL, first)).code}\n`);
    expect(await terminal.sees(/ended with \d/)).toContain('ended with 0');
  });

  test('five wrong codes and then another link', async () => {
    await open();
    const before = await latest();
    await terminal.type(`svc login --email ${EMAIL}; echo "ended with $?"\n`);
    await confirmed(before);
    const first = await latest();
    for (const left of ['4 tries', '3 tries', '2 tries', 'One try', 'This sign-in is over']) {
      await terminal.type('aaaa-aaaa\n');
      await terminal.sees(left);
    }
    keep('over', await terminal.screen());
    await terminal.type('r\n');
    await terminal.sees('A new link is on its way');
    await terminal.type(`${(await confirmLink(daemon, EMAIL, first)).code}\n`);
    expect(await terminal.sees(/ended with \d/)).toContain('ended with 0');
  });

  test.each([
    ['while the address is asked for', 'svc login', 'E-mail address'],
    ['while it waits', `svc login --email ${EMAIL}`, 'The link works for'],
  ])('Ctrl-C %s leaves the terminal as it was and nothing behind', async (_, command, seen) => {
    await open();
    const settings = () => terminal.type('stty -a | cksum\n');
    await settings();
    const [clean] = /\d{5,} \d+/.exec(await terminal.sees(/\d{5,} \d+/))!;
    await terminal.type(`clear; ${command}; echo "ended with $?"\n`);
    await terminal.sees(seen);
    await terminal.press('C-c');
    const ended = await terminal.sees(/ended with \d/);
    keep('Ctrl-C', ended);
    expect(ended).toContain('ended with 130');
    expect(ended).not.toContain(seen);
    await settings();
    expect(await terminal.sees(/\d{5,} \d+/)).toContain(clean);
    await terminal.type('echo "it echoes"\n');
    await terminal.sees(/\nit echoes/);
    expect(await readdir(folder)).toEqual([]);
  });

  test('a question in plain words after the drawn ones is heard: the old key in an assistant is renewed', async () => {
    await open();
    const entry = { url: `${daemon.baseUrl}/v1/mcp`, headers: { Authorization: `Bearer svc_live_${'0'.repeat(32)}` } };
    const file = join(folder, '.cursor', 'mcp.json');
    await mkdir(dirname(file));
    await writeFile(file, JSON.stringify({ mcpServers: { svc: entry } }));
    const before = await latest();
    await terminal.type(`svc login --email ${EMAIL}; echo "ended with $?"\n`);
    const { code } = await confirmed(before);
    await terminal.type(`${code}\n`);
    await terminal.sees('Replace it with the new key?');
    await terminal.type('y\n');
    expect(await terminal.sees(/ended with \d/)).toContain('ended with 0');
    expect(await readFile(file, 'utf8')).not.toContain('0'.repeat(32));
  });

  test('is whole in 40 columns', async () => {
    await open({}, 40);
    const before = await latest();
    await terminal.type(`svc login --email ${EMAIL}; echo "ended with $?"\n`);
    const { code } = await confirmed(before);
    keep('40 columns', await terminal.sees('The link works for'));
    await terminal.type(`${code}\n`);
    await terminal.sees(/ended with 0/);
    await terminal.type('clear; svc status\n');
    const status = await terminal.sees('Profile');
    keep('40 columns, status', status);
    expect(status).toContain('Memories');
  });

  test.each([
    ['NO_COLOR', { NO_COLOR: '1' }],
    ['a simple terminal', { TERM: 'dumb' }],
  ])('has no color with %s', async (_, env) => {
    await open(env);
    const before = await latest();
    await terminal.type(`svc login --email ${EMAIL}; echo "ended with $?"\n`);
    await terminal.sees('A sign-in link');
    expect(await terminal.colors()).not.toMatch(COLOR);
    await terminal.type(`${(await confirmLink(daemon, EMAIL, before)).code}\n`);
    await terminal.sees(/ended with 0/);
    expect(await terminal.colors()).not.toMatch(COLOR);
  });

  test('speaks in plain lines to a screen reader, and draws nothing over', async () => {
    await open({ INK_SCREEN_READER: 'true' });
    const before = await latest();
    await terminal.type('svc login; echo "ended with $?"\n');
    await terminal.sees('E-mail address:');
    await terminal.type(`${EMAIL}\n`);
    await terminal.sees(/A sign-in link for .* is on its\s+way/);
    await terminal.type('aaaa-aaaa\n');
    await terminal.sees('4 tries left');
    await terminal.type(`${(await confirmLink(daemon, EMAIL, before)).code}\n`);
    keep('screen reader', await terminal.sees(/ended with 0/));
  });

  test('a daemon that is not there is named, with what to do, and the code is 4', async () => {
    await open({ SVC_URL: 'http://127.0.0.1:9' });
    await terminal.type(`svc login --email ${EMAIL}; echo "ended with $?"\n`);
    const ended = await terminal.sees(/ended with \d/);
    keep('unreachable', ended);
    expect(ended).toContain('ended with 4');
    expect(ended).toContain('svc serve');
  });
});
