import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { logoutCommand } from '../../src/cli/commands/logout.ts';
import type { Profile } from '../../src/cli/settings.ts';
import { createCommandLine, keepProfile, type TestCommandLine } from '../helpers/command-line.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';

const EMAIL = 'a@example.com';
let daemon: TestDaemon;
let line: TestCommandLine;
let apiKey: string;
let profile: Profile;

beforeEach(async () => {
  daemon = await startTestDaemon();
  line = await createCommandLine();
  const signedIn = await daemon.signIn(EMAIL);
  apiKey = signedIn.apiKey;
  profile = { url: daemon.baseUrl, email: EMAIL, tenantId: signedIn.account.tenantId, keyStore: 'keychain' };
  await keepProfile(line, 'default', profile, apiKey);
});
afterEach(async () => {
  await Promise.all([daemon.close(), line.close()]);
});

const statusOf = async (key: string) => (await daemon.call(key, '/v1/account')).status;

describe('svc logout', () => {
  test('revokes the key and removes it from this machine', async () => {
    const { exitCode, out, error } = await line.run(logoutCommand);
    expect({ exitCode, error }).toEqual({ exitCode: 0, error: '' });
    expect(out).toContain(`Signed out of ${daemon.baseUrl} as ${EMAIL}`);
    expect(await statusOf(apiKey)).toBe(401);
    expect(line.keychain.entries.size).toBe(0);
    expect(line.settings.profiles()).toEqual({});
    expect(out + error + (await line.files())).not.toContain(apiKey);
  });

  test('--keep-key removes the key from this machine without revoking it', async () => {
    expect((await line.run(logoutCommand, '--keep-key')).out).toContain('still valid');
    expect(await statusOf(apiKey)).toBe(200);
    expect(line.keychain.entries.size).toBe(0);
  });

  test('removes the key, warns that it is still valid, and exits with 4 if the daemon is unreachable', async () => {
    await daemon.stop();
    const { exitCode, error } = await line.run(logoutCommand);
    expect(exitCode).toBe(4);
    expect(error).toMatch(/still\s+valid/);
    expect(line.keychain.entries.size).toBe(0);
    expect(line.settings.profiles()).toEqual({});
  });

  test('succeeds if the key is already invalid', async () => {
    await daemon.call(apiKey, '/v1/auth/key', { method: 'DELETE' });
    expect((await line.run(logoutCommand)).exitCode).toBe(0);
    expect(line.settings.profiles()).toEqual({});
  });

  test('says that the key may still be valid, and exits with 1, if it is stored here no more', async () => {
    line.keychain.entries.clear();
    const { exitCode, out, error } = await line.run(logoutCommand);
    expect(exitCode).toBe(1);
    expect(out + error).toMatch(/may\s+still\s+be\s+valid/);
    expect(out).not.toContain('revoked');
    expect(line.settings.profiles()).toEqual({});
    expect(await statusOf(apiKey)).toBe(200);
  });

  test('--profile signs out of one profile, --all of every profile', async () => {
    const other = await daemon.signIn('b@example.com');
    await keepProfile(line, 'work', { ...profile, email: 'b@example.com' }, other.apiKey);
    await keepProfile(line, 'third', profile, apiKey);
    expect((await line.run(logoutCommand, '--profile', 'work')).exitCode).toBe(0);
    expect(await statusOf(other.apiKey)).toBe(401);
    expect(await statusOf(apiKey)).toBe(200);
    const { exitCode, out } = await line.run(logoutCommand, '--all', '--json');
    expect(exitCode).toBe(0);
    expect(JSON.parse(out)).toEqual([
      { profile: 'default', url: daemon.baseUrl, email: EMAIL, key: 'invalidated' },
      { profile: 'third', url: daemon.baseUrl, email: EMAIL, key: 'invalidated' },
    ]);
    expect(line.settings.profiles()).toEqual({});
  });

  test('leaves the profile if the keychain is locked; --keep-key removes it anyway', async () => {
    line.keychain.fault = 'locked';
    const locked = await line.run(logoutCommand);
    expect(locked).toMatchObject({ exitCode: 1, out: '' });
    expect(locked.error).toContain('--keep-key');
    expect(line.settings.profile('default')).toEqual(profile);
    expect((await line.run(logoutCommand, '--keep-key')).exitCode).toBe(0);
    expect(line.settings.profiles()).toEqual({});
  });

  test('exits with 3 if nobody is signed in', async () => {
    await line.run(logoutCommand);
    expect(await line.run(logoutCommand)).toMatchObject({ exitCode: 3, error: expect.stringContaining('svc login') });
    expect((await line.run(logoutCommand, '--all')).exitCode).toBe(3);
    expect((await line.run(logoutCommand, '--profile', 'x')).exitCode).toBe(3);
  });
});
