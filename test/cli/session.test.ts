import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openSession } from '../../src/cli/session.ts';
import type { Profile } from '../../src/cli/settings.ts';
import { createCommandLine, createTestKeychain, keepProfile, type TestCommandLine } from '../helpers/command-line.ts';

const KEY = `svc_live_${'12'.repeat(16)}`;
const OTHER_KEY = `svc_live_${'34'.repeat(16)}`;
const HOME: Profile = { url: 'http://127.0.0.1:8787', email: 'a@example.com', tenantId: 'ten_1', keyStore: 'keychain' };
const AWAY: Profile = { ...HOME, url: 'https://svc.example.com', tenantId: 'ten_2' };
const lines: TestCommandLine[] = [];
let line: TestCommandLine;

async function commandLine(env: Record<string, string> = {}) {
  const created = await createCommandLine({ env });
  lines.push(created);
  await keepProfile(created, 'away', AWAY, OTHER_KEY);
  await keepProfile(created, 'home', HOME, KEY);
  return created;
}

beforeEach(async () => {
  line = await commandLine();
});
afterEach(() => Promise.all(lines.splice(0).map((one) => one.close())));

describe('a session', () => {
  test('uses the current profile, or the requested one', async () => {
    expect(await openSession(line)).toEqual({
      profileName: 'home',
      url: HOME.url,
      profile: HOME,
      apiKey: KEY,
      keyStore: 'keychain',
    });
    expect((await openSession({ ...line, profile: 'away' })).apiKey).toBe(OTHER_KEY);
  });

  test('takes SVC_API_KEY over any profile and names it as the source', async () => {
    const given = await commandLine({ SVC_API_KEY: OTHER_KEY, SVC_URL: 'svc.example.org/' });
    expect(await openSession(given)).toEqual({
      profileName: 'SVC_API_KEY',
      url: 'https://svc.example.org',
      profile: undefined,
      apiKey: OTHER_KEY,
      keyStore: 'environment',
    });
    const elsewhere = await commandLine({ SVC_API_KEY: OTHER_KEY });
    expect((await openSession(elsewhere)).url).toBe(HOME.url);
  });

  test('rejects a malformed key without repeating it', async () => {
    const given = await commandLine({ SVC_API_KEY: 'sk-proj-secret' });
    const failure = await openSession(given).catch((error) => error);
    expect(failure).toMatchObject({ exitCode: 2 });
    expect(failure.message).not.toContain('sk-proj-secret');
  });

  test('uses the profile of the daemon at SVC_URL, and sends no key to any other daemon', async () => {
    expect((await openSession(await commandLine({ SVC_URL: 'https://svc.example.com' }))).profileName).toBe('away');
    const failure = await openSession(await commandLine({ SVC_URL: 'https://evil.example' })).catch((error) => error);
    expect(failure).toMatchObject({ name: 'NotSignedInError', exitCode: 3 });
    expect(failure.message).toContain('https://evil.example');
  });

  test('says which command to run if nobody is signed in', async () => {
    expect(await openSession({ ...line, profile: 'work' }).catch((error) => error)).toMatchObject({
      exitCode: 3,
      message: expect.stringContaining('svc login --profile work'),
    });
    line.keychain.entries.clear();
    expect(await openSession(line).catch((error) => error)).toMatchObject({
      name: 'NotSignedInError',
      message: expect.stringMatching(/no longer in the keychain.*svc login/),
    });
  });

  test.each(['absent', 'locked', 'refused', 'silent', 'broken'] as const)(
    'fails with advice if the keychain is %s',
    async (fault) => {
      const failure = await openSession({ ...line, keychain: createTestKeychain(fault) }).catch((error) => error);
      expect(failure).toMatchObject({ exitCode: 1, message: expect.stringContaining('--key-store file') });
    },
  );
});
