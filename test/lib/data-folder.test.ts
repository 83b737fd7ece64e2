import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/daemon/config.ts';
import { rotateMasterKey } from '../../src/daemon/key-rotation.ts';
import { readMasterKeys } from '../../src/daemon/master-key.ts';
import { type Exclusive, lockFolder } from '../../src/db/folder-lock.ts';
import { dataFolderWarnings } from '../../src/lib/data-folder.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';

const FOREIGN = 'the content of somebody else\n';

let folder: string;
let foreign: string;
let elsewhere: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-data-'));
  elsewhere = await mkdtemp(join(tmpdir(), 'svc-foreign-'));
  foreign = join(elsewhere, 'foreign');
  await writeFile(foreign, FOREIGN, { mode: 0o644 });
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
  await rm(elsewhere, { recursive: true, force: true });
});

/** Locks the folder and runs a daemon on it, as `svc serve` does. */
async function withDaemon<T>(work: (daemon: TestDaemon) => Promise<T>): Promise<T> {
  const lock = await lockFolder(folder, process.pid);
  try {
    const daemon = await startTestDaemon({ dataDir: folder });
    try {
      return await work(daemon);
    } finally {
      await daemon.stop();
    }
  } finally {
    await lock.release();
  }
}

const modeOf = async (path: string) => (await stat(path)).mode & 0o777;
const rotate = () =>
  rotateMasterKey(readConfig({ dataDir: folder }, {}, ''), { lost: false, onProgress: () => undefined });

async function expectForeignUntouched(): Promise<void> {
  expect(await readFile(foreign, 'utf8')).toBe(FOREIGN);
  expect(await modeOf(foreign)).toBe(0o644);
  expect(await readdir(elsewhere)).toEqual(['foreign']);
}

describe.skipIf(process.platform === 'win32')('a symbolic link in the data folder (row 73)', () => {
  test.each(['daemon.pid', 'svc.db.new'])('%s is replaced, never written through', async (name) => {
    await symlink(foreign, join(folder, name));
    await withDaemon(async (daemon) => {
      const { apiKey } = await daemon.signIn('ada@example.com');
      expect((await daemon.call(apiKey, '/v1/memories', { body: { content: 'tea' } })).status).toBe(201);
    });
    await expectForeignUntouched();
    expect(await readMasterKeys(folder)).toHaveLength(1);
    expect((await lstat(join(folder, 'master.key'))).isFile()).toBe(true);
  });

  test('rotation.pid is replaced during a key rotation', async () => {
    await withDaemon(async () => undefined);
    const [before] = (await readMasterKeys(folder))!;
    await symlink(foreign, join(folder, 'rotation.pid'));
    await rotate();
    await expectForeignUntouched();
    expect((await readMasterKeys(folder))![0]).not.toEqual(before);
  });

  test.each<[Exclusive]>([['daemon'], ['rotation']])(
    '%s.lock is refused with what to do, and the folder can be locked once it is removed',
    async (what) => {
      const lockFile = join(folder, `${what}.lock`);
      for (const target of [foreign, join(elsewhere, 'missing')]) {
        await symlink(target, lockFile);
        await expect(lockFolder(folder, 4711, what)).rejects.toMatchObject({
          code: 'unprocessable',
          message: expect.stringMatching(/\.lock is a symbolic link\. Remove it/),
        });
        await rm(lockFile);
      }
      await expectForeignUntouched();
      await (await lockFolder(folder, 4711, what)).release();
    },
  );

  test('a master.key that is one can be read, and the mode of its target stays', async () => {
    await writeFile(foreign, `${Buffer.alloc(32, 7).toString('base64')}\n`);
    await symlink(foreign, join(folder, 'master.key'));
    expect(await readMasterKeys(folder)).toEqual([Buffer.alloc(32, 7)]);
    expect(await modeOf(foreign)).toBe(0o644);
  });

  test('the error of a second daemon names a process, never the content of another file', async () => {
    const lock = await lockFolder(folder, 4711);
    await expect(lockFolder(folder, 4712)).rejects.toThrow(/\(process 4711\)/);
    await rm(join(folder, 'daemon.pid'));
    await symlink(foreign, join(folder, 'daemon.pid'));
    await expect(lockFolder(folder, 4712)).rejects.toThrow(/\(process unknown\)/);
    await rm(join(folder, 'daemon.pid'));
    await writeFile(join(folder, 'daemon.pid'), FOREIGN);
    await expect(lockFolder(folder, 4712)).rejects.toThrow(/\(process unknown\)/);
    await lock.release();
  });
});

describe.skipIf(process.platform === 'win32')('a data folder that others may enter (row 73)', () => {
  let umask: number;

  beforeEach(async () => {
    umask = process.umask(0);
    await chmod(folder, 0o755);
  });

  afterEach(() => {
    process.umask(umask);
  });

  test('has only files that their owner alone can open, whatever the umask, and needs no warning', async () => {
    await withDaemon(async (daemon) => {
      await daemon.signIn('ada@example.com');
      const files = (await readdir(folder)).filter((name) => name !== 'mail');
      expect(files).toEqual(
        expect.arrayContaining(['daemon.lock', 'daemon.pid', 'master.key', 'svc.db', 'svc.db-shm', 'svc.db-wal']),
      );
      for (const name of files) expect([name, await modeOf(join(folder, name))]).toEqual([name, 0o600]);
      expect(await dataFolderWarnings(folder)).toEqual([]);
    });
  });

  test('a lock file that others can open, and therefore lock, is made private', async () => {
    await writeFile(join(folder, 'daemon.lock'), '', { mode: 0o644 });
    const lock = await lockFolder(folder, 4711);
    expect(await modeOf(join(folder, 'daemon.lock'))).toBe(0o600);
    await expect(lockFolder(folder, 4712)).rejects.toThrow(/process 4711/);
    await lock.release();
  });

  test('is warned of where others can open or replace a file, and not once it is closed', async () => {
    for (const name of ['svc.db', 'svc.db-wal', 'notes.txt']) await writeFile(join(folder, name), '', { mode: 0o644 });
    await writeFile(join(folder, 'master.key'), '', { mode: 0o600 });
    await mkdir(join(folder, 'mail'), { mode: 0o755 });
    const readable = `Other users can open svc.db, svc.db-wal in ${folder}. Run chmod 700 ${folder}.`;
    expect(await dataFolderWarnings(folder)).toEqual([readable]);
    await chmod(folder, 0o777);
    const writable = `Other users can replace files in ${folder}. Run chmod 700 ${folder}.`;
    expect(await dataFolderWarnings(folder)).toEqual([writable, readable]);
    await chmod(folder, 0o700);
    expect(await dataFolderWarnings(folder)).toEqual([]);
  });
});
