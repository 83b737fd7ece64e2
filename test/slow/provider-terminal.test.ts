import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { makeTenant } from '../features/limits/tenants.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { type ProviderServer, startProviderServer } from '../helpers/providers/server.ts';
import { openTerminal, type TestTerminal } from '../helpers/terminal.ts';

/** The built `svc provider add` in a real pseudo-terminal. */

const SVC = fileURLToPath(new URL('../../bin/svc', import.meta.url));
const KEY = 'sk-test-0123456789abcdefghij';
let openai: ProviderServer;
let daemon: TestDaemon;
let apiKey: string;
let folder: string;
let terminal: TestTerminal;

beforeAll(async () => {
  openai = await startProviderServer('openai', { key: KEY });
  daemon = await startTestDaemon({ config: { providerHosts: [openai.allowed] } });
  ({ apiKey } = await makeTenant(daemon, 'ana@example.com'));
});
afterAll(async () => {
  await Promise.all([daemon.close(), openai.close()]);
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-terminal-'));
  const env = { HOME: folder, SVC_CONFIG_DIR: folder, SVC_URL: daemon.baseUrl, SVC_API_KEY: apiKey };
  terminal = await openTerminal({ env, columns: 100 });
  await terminal.type(`alias svc='${process.execPath} ${SVC}'; clear\n`);
});
afterEach(async () => {
  await terminal.close();
  await rm(folder, { recursive: true, force: true });
});

/** The command lines of all visible processes. */
async function commandLines(): Promise<string> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')));
  return lines.join('\n').replaceAll('\0', ' ');
}

test('the key is not shown while it is typed, corrected and sent', async () => {
  await terminal.type(`svc provider add openai --base-url ${openai.baseUrl}\n`);
  await terminal.sees('Key for openai (not shown):');
  expect(await commandLines()).toContain('svc provider add openai');
  // Typed text appears in tmux's own command line, so the key is typed in two halves with a correction between.
  await terminal.type(`${KEY.slice(0, 14)}x`);
  await terminal.press('BSpace');
  await terminal.type(KEY.slice(14));
  expect(await terminal.screen()).not.toContain('sk-');
  expect(await commandLines()).not.toContain(KEY);
  await terminal.type('\n');
  const screen = await terminal.sees(`✓ openai accepts the key …${KEY.slice(-4)}`);
  expect(screen).not.toContain(KEY.slice(0, 14));
  await terminal.type('svc provider list\n');
  await terminal.sees('valid');
});

test('Ctrl-C at the prompt exits, stores nothing and restores the terminal', async () => {
  await terminal.type('svc provider add mistral\n');
  await terminal.sees('Key for mistral (not shown):');
  await terminal.type('sk-half');
  await terminal.press('C-c');
  await terminal.sees('Canceled. Nothing was sent or stored.');
  await terminal.type('echo "code $?, and seen"\n');
  expect(await terminal.sees('code 130, and seen')).not.toContain('sk-half');
});
