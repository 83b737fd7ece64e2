import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeFolder } from '../../src/lib/make-folder.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-folder-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

describe('a folder', () => {
  test('is created with its missing parents, for its owner only, and may exist already', async () => {
    const deep = join(folder, 'a', 'b', 'c');
    expect(await makeFolder(deep)).toBe(true);
    expect(await makeFolder(deep)).toBe(false);
    for (const path of [deep, join(folder, 'a')]) expect((await stat(path)).mode & 0o777).toBe(0o700);
  });

  test('below a file is refused', async () => {
    await writeFile(join(folder, 'file'), '');
    await expect(makeFolder(join(folder, 'file', 'a'))).rejects.toMatchObject({ code: 'ENOTDIR' });
    await expect(makeFolder(join(folder, 'file'))).rejects.toMatchObject({ code: 'EEXIST' });
  });

  test.runIf(process.platform === 'linux').each(['/proc/svc', '/proc/svc/a/b'])(
    'at %s, where the file system creates none, is refused instead of tried forever',
    async (path) => {
      await expect(makeFolder(path)).rejects.toMatchObject({ code: 'ENOENT' });
    },
  );
});
