import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { placeBuild } from '../../scripts/place-build.mjs';

let parent: string;
let folder: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'svc-build-'));
  folder = join(parent, 'dist');
  await mkdir(folder);
});
afterEach(() => rm(parent, { recursive: true }));

/** Writes a build whose program loads one part, among many others. */
async function draftOf(hash: string): Promise<string> {
  const draft = join(parent, `draft-${hash}`);
  await mkdir(join(draft, 'assets'), { recursive: true });
  await writeFile(join(draft, 'main.js'), `part-${hash}.js`);
  const parts = ['part', ...Array.from({ length: 100 }, (_, index) => `assets/part${index}`)];
  await Promise.all(parts.map((part) => writeFile(join(draft, `${part}-${hash}.js`), hash)));
  return draft;
}

test('a program can start while a build takes the place of another, and load its parts until the next', async () => {
  const first = await placeBuild(await draftOf('AAAAAAAA'), folder, () => false);
  let isPlacing = true;
  const placing = placeBuild(await draftOf('BBBBBBBB'), folder, (name) => first.includes(name)).finally(() => {
    isPlacing = false;
  });
  const started = new Set<string>();
  while (isPlacing) {
    const part = await readFile(join(folder, 'main.js'), 'utf8');
    started.add(await readFile(join(folder, part), 'utf8'));
  }
  const second = await placing;
  expect([...started].every((hash) => ['AAAAAAAA', 'BBBBBBBB'].includes(hash))).toBe(true);
  expect(await readFile(join(folder, 'main.js'), 'utf8')).toBe('part-BBBBBBBB.js');
  expect(await readFile(join(folder, 'part-AAAAAAAA.js'), 'utf8')).toBe('AAAAAAAA');
  await placeBuild(await draftOf('CCCCCCCC'), folder, (name) => second.includes(name));
  expect((await readdir(folder)).sort()).toEqual(['assets', 'main.js', 'part-BBBBBBBB.js', 'part-CCCCCCCC.js']);
});

test('a build that is packed has no file of another', async () => {
  await placeBuild(await draftOf('AAAAAAAA'), folder, () => false);
  const names = await placeBuild(await draftOf('BBBBBBBB'), folder, () => false);
  expect(names).toHaveLength(102);
  expect((await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.js')).sort()).toEqual(
    names.sort(),
  );
});
