import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-packed-'));
  // Scripts are skipped because they would rebuild dist while other tests use it.
  await execa('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: ROOT });
  const tarball = (await readdir(folder)).find((name) => name.endsWith('.tgz'))!;
  await execa('tar', ['-xzf', join(folder, tarball), '-C', folder]);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test('the packed program contains only what it runs on and its documents', async () => {
  const packed = join(folder, 'package');
  expect((await readdir(packed)).sort()).toEqual(['LICENSE', 'README.md', 'bin', 'dist', 'package.json', 'plugins']);
  const { version, exports } = JSON.parse(await readFile(join(packed, 'package.json'), 'utf8'));
  expect(version).toMatch(/^\d/);
  expect(exports).toEqual({ './package.json': './package.json' });
  const shipped = await readdir(join(packed, 'dist'), { recursive: true });
  expect(shipped.filter((name) => /\.map$|\.d\.ts$|^client\.js$/.test(name))).toEqual([]);
});
