import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { statusCommand } from '../../src/cli/commands/status.ts';
import { createHttpFetch } from '../../src/cli/http-fetch.ts';
import { formatCountdown, formatPercent } from '../../src/cli/number-format.ts';
import { bar, createStyle } from '../../src/cli/output.ts';
import type { Profile } from '../../src/cli/settings.ts';
import type { Fetch } from '../../src/client/client.ts';
import {
  type CommandLineOptions,
  createCommandLine,
  keepProfile,
  type TestCommandLine,
} from '../helpers/command-line.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { onPostgres } from '../helpers/postgres/folder-databases.ts';

const EMAIL = 'a@example.com';
let daemon: TestDaemon;
let line: TestCommandLine;
let apiKey: string;
let profile: Profile;
const lines: TestCommandLine[] = [];

async function commandLine(options: CommandLineOptions = {}): Promise<TestCommandLine> {
  const made = await createCommandLine(options);
  lines.push(made);
  await keepProfile(made, 'default', profile, apiKey);
  return made;
}

beforeAll(async () => {
  daemon = await startTestDaemon();
  const signedIn = await daemon.signIn(EMAIL);
  apiKey = signedIn.apiKey;
  profile = { url: daemon.baseUrl, email: EMAIL, tenantId: signedIn.account.tenantId, keyStore: 'keychain' };
  await daemon.call(apiKey, '/v1/memories', { body: { content: 'Ana drinks tea.' } });
});
afterAll(() => daemon.close());
beforeEach(async () => {
  line = await commandLine();
});
afterEach(() => Promise.all(lines.splice(0).map((one) => one.close())));

describe('svc status', () => {
  test('shows the account, daemon, quotas and where the key is stored', async () => {
    const { exitCode, out, error } = await line.run(statusCommand);
    expect({ exitCode, error }).toEqual({ exitCode: 0, error: '' });
    expect(out).toContain(`✓ Signed in as ${EMAIL}`);
    expect(out).toMatch(/at http:\/\/127\.0\.0\.1:\d+ \(responded in \d+ ms\)/);
    expect(out).toContain('Free, 120 requests a minute');
    expect(out).toMatch(/Memories\s+█░+ under 1 %\n\s+1 of 5,000 today; resets/);
    expect(out).toMatch(/Searches\s+░+ 0 %\n\s+0 of 50,000 this month; resets/);
    expect(out).toMatch(/Text\s+█?░+ (0|under 1) %\n\s+\d+ B of 1 GiB stored; deleting frees room/);
    expect(out).toContain(`…${apiKey.slice(-4)}, created just now`);
    expect(out).toContain('the system keychain');
    expect(out).toMatch(/Profile\s+default\n/);
    expect(out).not.toContain(apiKey);
    expect(out).not.toContain('\u001b');
  });

  test.skipIf(onPostgres)('shows the last backup, and a newer version if the daemon knows one', async () => {
    expect((await line.run(statusCommand)).out).toMatch(/Backup\s+none yet \(svc backup\)\n/);
    const fetch: Fetch = async (url, request) => {
      const response = await createHttpFetch()(url, request);
      const { status, ok, headers, body } = response;
      const notices = { status: 'ready', backup: 'failing', update: '9.9.9' };
      const answer = url.endsWith('/readyz') ? async () => JSON.stringify(notices) : () => response.text();
      return { status, ok, headers, body, text: answer };
    };
    const { out } = await (await commandLine({ context: { fetch } })).run(statusCommand);
    expect(out).toMatch(/Backup\s+none yet \(svc backup\); the scheduled backup fails \(svc doctor\)\n/);
    expect(out).toMatch(/Update\s+svc 9\.9\.9 is available\n/);
  });

  test('--json prints the same as data', async () => {
    const { out } = await line.run(statusCommand, '--json');
    const status = JSON.parse(out);
    expect(status).toMatchObject({
      profile: 'default',
      url: daemon.baseUrl,
      email: EMAIL,
      keyStore: 'keychain',
      signedIn: true,
      reachable: true,
      latencyMs: expect.any(Number),
      tier: 'Free',
      quotas: { dailyMemories: { used: 1, limit: 5000 }, storedBytes: { limit: 1024 ** 3, resetsAt: null } },
      key: { last4: apiKey.slice(-4) },
    });
    expect(out).not.toContain(apiKey);
  });

  test('exits with 3 if the key is invalid', async () => {
    line.keychain.entries.set(`svc|default ${profile.url}`, `svc_live_${'0'.repeat(32)}`);
    const { exitCode, out } = await line.run(statusCommand);
    expect(exitCode).toBe(3);
    expect(out).toContain('✗ Not signed in');
    expect(out).toContain('svc login');
  });

  test('exits with 4 if the daemon is unreachable, and shows what is known', async () => {
    await keepProfile(line, 'away', { ...profile, url: 'http://127.0.0.1:9' }, apiKey);
    const { exitCode, out } = await line.run(statusCommand);
    expect(exitCode).toBe(4);
    expect(out).toContain('http://127.0.0.1:9 (not responding)');
    expect(out).toContain('svc serve');
    expect(out).toContain('1 more: svc status --all');
    const json = JSON.parse((await line.run(statusCommand, '--json')).out);
    expect(json).toMatchObject({ reachable: false, email: EMAIL, keyStore: 'keychain' });
  });

  test('--all shows every profile and exits with the first failure', async () => {
    await keepProfile(line, 'away', { ...profile, url: 'http://127.0.0.1:9' }, apiKey);
    const { exitCode, out } = await line.run(statusCommand, '--all', '--json');
    expect(exitCode).toBe(4);
    expect((JSON.parse(out) as { profile: string }[]).map(({ profile: name }) => name)).toEqual(['default', 'away']);
  });

  test('exits with 3 if nobody is signed in, and says whether a daemon answers, and where', async () => {
    await line.settings.remove('default');
    const at = async (url: string) => {
      const other = await createCommandLine({ env: { SVC_URL: url } });
      lines.push(other);
      return other.run(statusCommand);
    };
    const answering = await at(daemon.baseUrl);
    expect(answering).toMatchObject({ exitCode: 3, out: '', error: expect.stringContaining('svc login') });
    expect(answering.error).toContain(`A daemon answers at ${daemon.baseUrl}.`);
    const silent = await at('http://127.0.0.1:9');
    expect(silent.exitCode).toBe(3);
    expect(silent.error).toContain('No daemon answers at http://127.0.0.1:9. Start it with svc serve');
  });

  test('speaks of the daemon of SVC_URL alone, not of the one that the current profile is of', async () => {
    const other = await commandLine({ env: { SVC_URL: 'http://127.0.0.1:9' } });
    const { exitCode, out, error } = await other.run(statusCommand);
    expect(exitCode).toBe(3);
    expect(error).toContain('Not signed in at http://127.0.0.1:9 (SVC_URL). Run svc login.');
    expect(error).toContain('No daemon answers at http://127.0.0.1:9.');
    expect(out + error).not.toContain(daemon.baseUrl);
  });

  test('says whether the daemon answers where the key is missing', async () => {
    line.keychain.entries.clear();
    const { exitCode, out } = await line.run(statusCommand);
    expect(exitCode).toBe(3);
    expect(out).toContain(`${daemon.baseUrl} (responded)`);
  });

  test('names where the key is: a file, a locked keychain or the environment', async () => {
    await line.settings.save('default', { ...profile, keyStore: 'file' });
    const none = await line.run(statusCommand);
    expect(none.out).toContain('mode 0600, not encrypted');
    expect(none.exitCode).toBe(3);
    await line.settings.save('default', profile);
    line.keychain.fault = 'locked';
    const locked = await line.run(statusCommand);
    expect(locked).toMatchObject({ exitCode: 1, out: expect.stringContaining('locked') });
    const given = await commandLine({ env: { SVC_API_KEY: apiKey, SVC_URL: daemon.baseUrl } });
    const { out, exitCode } = await given.run(statusCommand);
    expect(exitCode).toBe(0);
    expect(out).toContain('the environment variable SVC_API_KEY');
  });

  test.each([40, 60, 120])('fits in %i columns', async (columns) => {
    const narrow = await commandLine({ columns });
    for (const text of (await narrow.run(statusCommand)).out.split('\n')) {
      // URLs are not wrapped.
      if (!text.includes('http://')) expect(text.length, text).toBeLessThanOrEqual(columns);
    }
  });
});

test('formats percentages, countdowns and bars', () => {
  expect([0, 0.0001, 0.5, 0.999, 1, 1.2].map(formatPercent)).toEqual([
    '0 %',
    'under 1 %',
    '50 %',
    '99 %',
    '100 %',
    '100 %',
  ]);
  expect([900_000, 59_001, 0, -5].map(formatCountdown)).toEqual(['15:00', '1:00', '0:00', '0:00']);
  const plain = createStyle(false);
  expect([0, 0.01, 0.5, 1, 3].map((share) => bar(share, 4, plain))).toEqual(['░░░░', '█░░░', '██░░', '████', '████']);
  expect(bar(0.9, 4, createStyle(true))).toContain('\u001b[33m');
});

describe('svc status, of spaces', () => {
  test('shows the space in use with the role, and projects that are tied', async () => {
    const { body: space } = await daemon.call<{ id: string }>(apiKey, '/v1/spaces', { body: { name: 'team' } });
    expect((await line.run(statusCommand)).out).not.toContain('Space');
    await line.settings.chooseSpace('default', { id: space.id, name: 'team' });
    await line.settings.tie('/home/ada/tea', { id: space.id, name: 'team' });
    await line.settings.read('*', [
      { id: 'default', name: 'default' },
      { id: space.id, name: 'team' },
    ]);
    await line.settings.tie('/home/ada/coffee', { id: `ten_${'0'.repeat(32)}`, name: 'crew' });
    const { exitCode, out } = await line.run(statusCommand);
    expect(exitCode).toBe(0);
    expect(out).toMatch(/Space\s+“team”, as owner, with 1 member; commands act there\n/);
    expect(out).toMatch(/Tied\s+\/home\/ada\/tea to “team”, as owner, with 1 member\n/);
    expect(out).toMatch(/Tied\s+\/home\/ada\/coffee to “crew”, of which you are not a member\n/);
    expect(JSON.parse((await line.run(statusCommand, '--json')).out)).toMatchObject({
      space: { id: space.id, name: 'team', role: 'owner', members: 1 },
      reads: [{ folder: null, spaces: [{ name: 'default' }, { id: space.id, role: 'owner' }] }],
      ties: [{ folder: '/home/ada/tea' }, { folder: '/home/ada/coffee', space: { name: 'crew' } }],
    });
    const other = await commandLine({ env: { SVC_SPACE: 'nowhere' } });
    expect((await other.run(statusCommand)).out).toMatch(/Space\s+“nowhere”, of which you are not a member; /);
  });
});
