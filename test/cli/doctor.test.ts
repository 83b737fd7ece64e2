import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { AccountContext } from '../../src/cli/account-context.ts';
import { doctorCommand } from '../../src/cli/commands/doctor.ts';
import { type Finding, runCheck } from '../../src/cli/doctor/finding.ts';
import type { Profile } from '../../src/cli/settings.ts';
import { systemClock } from '../../src/lib/clock.ts';
import {
  type CommandLineOptions,
  createCommandLine,
  keepProfile,
  type TestCommandLine,
} from '../helpers/command-line.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';

/** The version that the test daemon reports. */
const VERSION = '0.0.0-test';
const EMAIL = 'a@example.com';
let daemon: TestDaemon;
let line: TestCommandLine;
let apiKey: string;
let profile: Profile;
const lines: TestCommandLine[] = [];

async function commandLine({ env, ...options }: CommandLineOptions = {}): Promise<TestCommandLine> {
  const made = await createCommandLine({ ...options, env: { SVC_DATA_DIR: '/nonexistent', ...env } });
  lines.push(made);
  await keepProfile(made, 'default', profile, apiKey);
  return made;
}

const run = (at: TestCommandLine, version = VERSION, ...words: string[]) =>
  at.run((context: AccountContext) => doctorCommand(context, { version, script: import.meta.filename }), ...words);

const servers: Server[] = [];

/** Starts another server on loopback and returns its URL. */
async function serve(answer: (path: string) => string, status = 200): Promise<string> {
  const server = createServer(({ url = '' }, response) => response.writeHead(status).end(answer(url)));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function findings(at: TestCommandLine, version?: string): Promise<Record<string, Omit<Finding, 'check'>>> {
  const { data } = JSON.parse((await run(at, version, '--json')).out) as { data: Finding[] };
  return Object.fromEntries(data.map(({ check, ...rest }) => [check, rest]));
}

beforeAll(async () => {
  daemon = await startTestDaemon();
  const signedIn = await daemon.signIn(EMAIL);
  apiKey = signedIn.apiKey;
  profile = { url: daemon.baseUrl, email: EMAIL, tenantId: signedIn.account.tenantId, keyStore: 'keychain' };
});
afterAll(() => daemon.close());
beforeEach(async () => {
  line = await commandLine();
});
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
  await Promise.all(lines.splice(0).map((one) => one.close()));
});

describe('svc doctor', () => {
  test('reports each check on a line, exits with 0 and prints no key if nothing is wrong', async () => {
    const { exitCode, out, error } = await run(line);
    expect({ exitCode, error }).toEqual({ exitCode: 0, error: '' });
    expect(out).toMatch(/✓ Daemon {7}http:\/\/127\.0\.0\.1:\d+ responded in \d+ ms\n/);
    expect(out).toContain(`✓ Key          …${apiKey.slice(-4)} of ${EMAIL} is valid\n`);
    expect(out.trimEnd().split('\n').at(-1)).toBe('No problems found.');
    expect(out).not.toContain(apiKey);
    expect(out).not.toContain('\u001b');
  });

  test('says how things are found, and what would find more', async () => {
    const { Search, Extraction } = await findings(line);
    expect(Search).toMatchObject({ state: 'ok', message: expect.stringMatching(/^by words alone/) });
    expect(Search!.fix).toMatch(/^svc model add all-MiniLM-L6-v2 /);
    expect(Extraction).toMatchObject({
      state: 'ok',
      fix: expect.stringMatching(/^svc extract --with claude .*\. svc provider use extraction /),
    });
    const model = { provider: 'openai', model: 'small' };
    const settings = { embedding: null, extraction: { model, onAppend: true } };
    const url = await serve((path) =>
      JSON.stringify(
        path === '/readyz' ? { status: 'ready', embedder: 'ok' } : path.endsWith('settings') ? settings : {},
      ),
    );
    await keepProfile(line, 'default', { ...profile, url }, apiKey);
    const found = await findings(line);
    expect(found.Search).toEqual({ state: 'ok', message: 'by words and by meaning' });
    expect(found.Extraction).toEqual({ state: 'ok', message: 'memories are extracted with small' });
  });

  test('advises a model for the languages that are stored, with and without one for English', async () => {
    const languages = { languages: [{ language: 'de', texts: 7 }], needsMultilingualModel: true };
    const settings = { embedding: null, extraction: { model: null, onAppend: false } };
    const searchWith = async (embedder: object) => {
      const url = await serve((path) => {
        if (path === '/readyz') return JSON.stringify({ status: 'ready', ...embedder });
        return JSON.stringify(path.endsWith('settings') ? settings : path.endsWith('languages') ? languages : {});
      });
      await keepProfile(line, 'default', { ...profile, url }, apiKey);
      return (await findings(line)).Search;
    };
    const fix = expect.stringMatching(/^svc model add multilingual-e5-small /);
    const [without, english] = [await searchWith({}), await searchWith({ embedder: 'ok' })];
    expect(without).toEqual({
      state: 'ok',
      message: expect.stringMatching(/^by words alone.*; texts are in German$/),
      fix,
    });
    expect(english).toEqual({ state: 'ok', message: expect.stringMatching(/for English; texts are in German$/), fix });
  });

  test('names the command that signs in again if the key was revoked', async () => {
    line.keychain.entries.set(`svc|default ${profile.url}`, `svc_live_${'0'.repeat(32)}`);
    const { exitCode, out } = await run(line);
    expect(exitCode).toBe(1);
    expect(out).toMatch(/✗ Key +problem: …0000 was revoked or replaced\n +→ svc login\n/);
    expect(out).toContain('1 problem, 0 warnings.');
  });

  test('reports that nobody is signed in', async () => {
    await line.settings.remove('default');
    const found = await findings(line);
    expect(found.Key).toEqual({ state: 'problem', message: 'Not signed in. Run svc login.', fix: 'svc login' });
  });

  test('reports that nothing responds, and does not blame the key', async () => {
    await keepProfile(line, 'default', { ...profile, url: 'http://127.0.0.1:9' }, apiKey);
    const found = await findings(line);
    const message = 'nothing responds at http://127.0.0.1:9';
    expect(found.Daemon).toEqual({ state: 'problem', message, fix: 'svc serve' });
    expect(found.Key).toMatchObject({ state: 'warning' });
    expect(found).not.toHaveProperty('Clock');
    expect((await run(line)).exitCode).toBe(1);
  });

  test('recognizes a server that is not an svc daemon', async () => {
    const url = await serve(() => 'hello');
    await keepProfile(line, 'default', { ...profile, url }, apiKey);
    expect((await findings(line)).Daemon).toMatchObject({ state: 'problem', message: `${url} is not an svc daemon` });
  });

  test('advises space for a daemon whose disk is full', async () => {
    const checks = { accepting: 'ok', database: 'not writable', disk: '0 MiB free' };
    const url = await serve(() => JSON.stringify({ detail: 'Not ready: disk: 0 MiB free.', checks }), 503);
    await keepProfile(line, 'default', { ...profile, url }, apiKey);
    expect((await findings(line)).Daemon).toEqual({
      state: 'problem',
      message: `${url} is not ready (503): Not ready: disk: 0 MiB free.`,
      fix: 'free some space on that disk',
    });
  });

  test('warns if the daemon is older than this program', async () => {
    expect((await findings(line, '99.0.0')).Version).toEqual({
      state: 'warning',
      message: `the daemon runs svc ${VERSION}, this program is 99.0.0`,
      fix: "npm install -g svc-memory@99.0.0 on the daemon's machine, then restart it",
    });
  });

  test('warns if the daemon is newer than this program', async () => {
    const url = await serve((path) =>
      JSON.stringify(path === '/readyz' ? { status: 'ready' } : { info: { version: '99.1.0' } }),
    );
    await keepProfile(line, 'default', { ...profile, url }, apiKey);
    expect((await findings(line)).Version).toMatchObject({ state: 'warning', fix: 'npm install -g svc-memory@99.1.0' });
  });

  test('warns if the clocks differ by more than a minute', async () => {
    const ahead = { ...systemClock, nowMs: () => systemClock.nowMs() + 600_000 };
    const found = await findings(await commandLine({ context: { clock: ahead } }));
    expect(found.Clock).toMatchObject({ state: 'warning', message: expect.stringMatching(/^(599|60\d) s ahead of/) });
  });

  test('a locked keychain is a problem only for a profile that stores its key there', async () => {
    line.keychain.fault = 'locked';
    expect(await findings(line)).toMatchObject({ 'Key storage': { state: 'problem' }, Key: { state: 'problem' } });
    await line.settings.remove('default');
    expect(await findings(line)).toMatchObject({ 'Key storage': { state: 'warning' } });
  });

  test('a key file that others can read is a problem', async () => {
    await line.settings.save('default', { ...profile, keyStore: 'file' });
    await writeFile(join(line.folder, 'keys.json'), JSON.stringify({ [`default ${profile.url}`]: apiKey }));
    await chmod(join(line.folder, 'keys.json'), 0o644);
    const open = await findings(line);
    expect(open['Key storage']).toMatchObject({ state: 'problem', fix: expect.stringContaining('chmod 600') });
    await chmod(join(line.folder, 'keys.json'), 0o600);
    expect(await findings(line)).toMatchObject({ 'Key storage': { state: 'ok' }, Key: { state: 'ok' } });
  });

  test('damaged settings are reported, left unchanged, and end the checks', async () => {
    const path = join(line.folder, 'settings.json');
    await writeFile(path, '{"profiles":');
    const found = await findings(line);
    expect(Object.keys(found)).toEqual(['Program', 'Settings']);
    expect(found.Settings).toMatchObject({ state: 'problem', message: expect.stringContaining(path) });
    expect(await readFile(path, 'utf8')).toBe('{"profiles":');
  });

  test('warns if other users can open the data folder', async () => {
    const data = join(line.folder, 'data');
    await mkdir(data);
    await writeFile(join(data, 'svc.db'), '', { mode: 0o644 });
    await chmod(data, 0o777);
    const { out } = await run(await commandLine({ env: { SVC_DATA_DIR: data }, columns: 300 }), VERSION);
    expect(out).toContain(`! Data folder  warning: Other users can replace files in ${data}\n`);
    expect(out).toContain(`→ chmod 700 ${data}\n`);
  });

  test.each([40, 60, 120])('fits in %i columns', async (columns) => {
    const narrow = await commandLine({ columns });
    await rm(join(narrow.folder, 'keys.json'), { force: true });
    narrow.keychain.fault = 'absent';
    for (const text of (await run(narrow)).out.split('\n')) expect(text.length, text).toBeLessThanOrEqual(columns);
  });
});

describe('the entries of assistants', () => {
  const put = (server: unknown) =>
    writeFile(join(line.folder, '.claude.json'), JSON.stringify({ mcpServers: { svc: server } }));
  const over = (url: string, key: string) => ({ type: 'http', url, headers: { Authorization: `Bearer ${key}` } });

  test.each([
    ['the current key', () => over(`${daemon.baseUrl}/v1/mcp`, apiKey), 'ok', /over HTTP/],
    [
      'another key',
      () => over(`${daemon.baseUrl}/v1/mcp`, `svc_live_${'1'.repeat(32)}`),
      'problem',
      /another key, …1111/,
    ],
    ['another daemon', () => over('https://svc.example.com/v1/mcp', apiKey), 'warning', /https:\/\/svc\.example\.com/],
    [
      'a bridge',
      () => ({ command: process.execPath, args: [import.meta.filename, 'mcp'] }),
      'ok',
      /through the bridge/,
    ],
    ['a removed bridge', () => ({ command: process.execPath, args: ['/gone/svc', 'mcp'] }), 'problem', /\/gone\/svc/],
    ['a removed Node', () => ({ command: '/gone/node', args: ['/gone/svc', 'mcp'] }), 'problem', /\/gone\/node/],
    ['a command not on PATH', () => ({ command: 'svc', args: ['mcp'] }), 'problem', /starts svc, which does not/],
    [
      'an unknown profile',
      () => ({ command: process.execPath, args: [import.meta.filename, 'mcp', '--profile', 'work'] }),
      'problem',
      /profile work/,
    ],
    ['neither', () => ({}), 'problem', /neither a command nor a URL/],
  ] as const)('%s', async (_, server, state, message) => {
    await put(server());
    const { 'Claude Code': found } = await findings(line);
    expect(found).toMatchObject({ state, message: expect.stringMatching(message) });
    if (state !== 'ok') expect(found?.fix).toContain('svc mcp-config claude-code');
  });

  test('an assistant without an entry is a warning, and a file that cannot be parsed a problem', async () => {
    await writeFile(join(line.folder, '.claude.json'), '{}');
    expect((await findings(line))['Claude Code']).toMatchObject({
      state: 'warning',
      fix: 'svc mcp-config claude-code',
    });
    await writeFile(join(line.folder, '.claude.json'), '{');
    expect((await findings(line))['Claude Code']).toMatchObject({ state: 'problem' });
  });
});

test('a check that never ends is reported after its limit', async () => {
  const [found] = await runCheck('Slow', () => new Promise(() => {}), 20);
  expect(found).toMatchObject({ check: 'Slow', state: 'warning', message: 'not finished within 0.02 s' });
});
