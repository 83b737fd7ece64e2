import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openKeyFile } from '../../src/cli/key-file.ts';
import { openSettings, type Profile } from '../../src/cli/settings.ts';

const PROFILE: Profile = {
  url: 'http://127.0.0.1:8787',
  email: 'a@example.com',
  tenantId: 'ten_1',
  keyStore: 'keychain',
};
const KEY = `svc_live_${'ab'.repeat(16)}`;
let folder: string;

beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'svc-settings-')), 'svc');
});
afterEach(() => rm(join(folder, '..'), { recursive: true, force: true }));

const open = (env: Record<string, string> = {}) =>
  openSettings({ home: folder, platform: 'linux', cwd: folder, env: { SVC_CONFIG_DIR: folder, ...env } });
const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

describe('settings', () => {
  test('reading creates nothing, not even a folder', async () => {
    const settings = open();
    expect(settings.profiles()).toEqual({});
    expect(settings.profile('default')).toBeUndefined();
    expect(settings.profile('constructor')).toBeUndefined();
    expect(settings.profileName(undefined)).toBe('default');
    await expect(readdir(folder)).rejects.toThrow('ENOENT');
  });

  test.runIf(process.platform === 'linux')(
    'a folder that cannot be created fails the write instead of hanging it',
    async () => {
      await expect(open({ SVC_CONFIG_DIR: '/proc/svc' }).save('work', PROFILE)).rejects.toMatchObject({
        code: 'ENOENT',
      });
      await expect(openKeyFile('/proc/svc').set('a', KEY)).rejects.toThrow(/Cannot write the key file: ENOENT/);
    },
  );

  test('a saved profile is readable by its owner only and becomes current', async () => {
    const settings = open();
    await settings.save('work', PROFILE);
    expect(open().profile('work')).toEqual(PROFILE);
    expect(open().profileName(undefined)).toBe('work');
    expect(open().profileName('other')).toBe('other');
    expect(open({ SVC_PROFILE: 'third' }).profileName(undefined)).toBe('third');
    expect(await modeOf(join(folder, 'settings.json'))).toBe('600');
    expect(await modeOf(folder)).toBe('700');
  });

  test('an account keeps the space that it uses when it signs in again, and another account does not', async () => {
    const settings = open();
    const space = { id: 'ten_2', name: 'team' };
    await settings.save('work', PROFILE);
    await settings.chooseSpace('work', space);
    await settings.save('work', { ...PROFILE, keyStore: 'file' });
    expect(open().profile('work')).toEqual({ ...PROFILE, keyStore: 'file', space });
    await settings.save('work', { ...PROFILE, tenantId: 'ten_3' });
    expect(open().profile('work')).toEqual({ ...PROFILE, tenantId: 'ten_3' });
    await settings.chooseSpace('work', space);
    await settings.chooseSpace('work', undefined);
    expect(open().profile('work')?.space).toBeUndefined();
  });

  test('ties outlive sign-ins and the removal of profiles', async () => {
    const settings = open();
    await settings.tie('/home/ada/tea', { id: 'ten_2', name: 'team' });
    await settings.save('work', PROFILE);
    await settings.remove('work');
    expect(open().ties()).toEqual({ '/home/ada/tea': { id: 'ten_2', name: 'team' } });
  });

  test('removing the current profile selects another and keeps the last address', async () => {
    const settings = open();
    await settings.save('one', PROFILE);
    await settings.save('two', { ...PROFILE, email: 'b@example.com' });
    await settings.remove('two');
    expect(settings.profileName(undefined)).toBe('one');
    await settings.remove('one');
    expect(settings.profiles()).toEqual({});
    expect(settings.profileName(undefined)).toBe('default');
    expect(settings.lastEmail()).toBe('b@example.com');
  });

  test('a damaged file is rejected and left unchanged', async () => {
    await open().save('one', PROFILE);
    const path = join(folder, 'settings.json');
    await writeFile(path, '{"profiles": {');
    expect(() => open().profiles()).toThrow(`repair or remove ${path}`);
    await expect(open().save('one', PROFILE)).rejects.toThrow('damaged');
    expect(await readFile(path, 'utf8')).toBe('{"profiles": {');
  });
});

describe('the key file', () => {
  test('is readable by its owner only and replaced atomically', async () => {
    const file = openKeyFile(folder);
    expect(await file.get('a')).toBeUndefined();
    await file.set('a', KEY);
    await file.set('b', 'other');
    expect(await file.get('a')).toBe(KEY);
    expect(await modeOf(file.path)).toBe('600');
    expect(await readdir(folder)).toEqual(['keys.json']);
  });

  test('is removed with its last key', async () => {
    const file = openKeyFile(folder);
    await file.set('a', KEY);
    expect(await file.delete('b')).toBe(false);
    expect(await file.delete('a')).toBe(true);
    expect(await readdir(folder)).toEqual([]);
  });

  test.each([0o644, 0o640, 0o660])('is rejected with advice if others can read it (mode %o)', async (mode) => {
    const file = openKeyFile(folder);
    await file.set('a', KEY);
    await chmod(file.path, mode);
    const refusal = await file.get('a').catch((error: Error) => error.message);
    expect(refusal).toContain('chmod 600');
    expect(refusal).not.toContain(KEY);
    await expect(file.set('b', KEY)).rejects.toThrow('chmod 600');
    await chmod(file.path, 0o600);
    expect(await file.get('a')).toBe(KEY);
  });

  test('is rejected if damaged, without leaking its content', async () => {
    const file = openKeyFile(folder);
    await file.set('a', KEY);
    await writeFile(file.path, `{"a": "${KEY}`);
    const refusal = await file.set('b', KEY).catch((error: Error) => error.message);
    expect(refusal).toContain(`repair or remove ${file.path}`);
    expect(refusal).not.toContain(KEY);
  });
});
