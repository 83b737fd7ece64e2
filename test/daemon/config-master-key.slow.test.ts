import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/daemon/config.ts';
import { openMasterKeys, readMasterKeys } from '../../src/daemon/master-key.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { startTestDaemon } from '../helpers/daemon.ts';

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-key-'));
  file = join(folder, 'master.key');
});

afterEach(() => rm(folder, { recursive: true, force: true }));

/** Loads the key as a daemon does at every start. */
async function load(): Promise<Buffer> {
  await (await openMasterKeys(readConfig({ dataDir: folder }, {}, ''), systemRandom)).ensure();
  return (await readMasterKeys(folder))![0]!;
}

describe('the master key of a data folder', () => {
  test('is created once, readable by its owner only, and stays the same', async () => {
    const key = await load();
    expect(key).toHaveLength(32);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await load()).toEqual(key);
    expect(await readdir(folder)).toEqual(['master.key']);
  });

  test('a key file that others can read is made private', async () => {
    const key = await load();
    await chmod(file, 0o644);
    expect(await load()).toEqual(key);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  test.each(['', 'too short', 'x'.repeat(44), Buffer.alloc(33).toString('base64'), Buffer.alloc(32).toString('hex')])(
    'a key file with the content %j is refused and not changed',
    async (content) => {
      await writeFile(file, content);
      await expect(load()).rejects.toMatchObject({
        name: 'ConfigError',
        message: expect.stringContaining('Restore it'),
      });
      expect(await readFile(file, 'utf8')).toBe(content);
    },
  );

  test('a key from the environment creates no file, and a refused key file leaves nothing open', async () => {
    const daemon = await startTestDaemon({ dataDir: folder, config: { masterKeys: [Buffer.alloc(32, 7)] } });
    await daemon.stop();
    expect(await readdir(folder)).not.toContain('master.key');
    await writeFile(file, 'garbage');
    await expect(startTestDaemon({ dataDir: folder })).rejects.toMatchObject({ name: 'ConfigError' });
    expect(await readdir(folder)).not.toContain('svc.db-wal');
  });
});
