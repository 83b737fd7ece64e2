import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { applyChanges, ROOT, readChanges } from '../changes/changes.ts';

/** What the program is made from. */
const SOURCES = ['src', 'migrations', 'package.json', 'tsconfig.json'];

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-changed-'));
  for (const name of SOURCES) await cp(join(ROOT, name), join(folder, name), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function typeErrors(project: '.' | 'src/dashboard'): Promise<string> {
  const command = join(ROOT, 'node_modules/.bin/tsc');
  return (await execa(command, ['-p', project, '--noEmit'], { cwd: folder, reject: false })).stdout;
}

test('the program with all example changes is free of type errors', async () => {
  const changes = await readChanges();
  await applyChanges(changes, folder);
  expect(await typeErrors('.')).toBe('');
  expect(await typeErrors('src/dashboard')).toBe('');
  // Control: without the contract's part, the other files of the field do not compile.
  await cp(join(ROOT, 'src/contract/memories.ts'), join(folder, 'src/contract/memories.ts'));
  expect(await typeErrors('src/dashboard')).toContain("'place'");
});
