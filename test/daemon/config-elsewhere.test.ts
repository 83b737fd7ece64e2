import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readProcessConfig } from '../../src/daemon/config.ts';

const started = process.cwd();
const isRoot = process.getuid?.() === 0;
let folder: string;

/** As another user, whom modes of files bind. */
async function unprivileged<T>(work: () => Promise<T>): Promise<T> {
  if (isRoot) process.seteuid!(65_534);
  try {
    return await work();
  } finally {
    if (isRoot) process.seteuid!(0);
  }
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-elsewhere-'));
  await writeFile(join(folder, '.env'), 'SVC_PORT=9999\n');
  process.chdir(folder);
});

afterEach(async () => {
  process.chdir(started);
  await chmod(folder, 0o700);
  await rm(folder, { recursive: true, force: true });
});

test('in a folder that the user cannot enter, such as with sudo -u svc in the home of root, there is no .env', async () => {
  await chmod(folder, 0o000);
  expect(await unprivileged(() => readProcessConfig({}))).toMatchObject({ port: 8787 });
});

test('a .env that the user can see and not read is an error', async () => {
  await chmod(folder, 0o755);
  await chmod(join(folder, '.env'), 0o000);
  await expect(unprivileged(() => readProcessConfig({}))).rejects.toThrow('.env cannot be read (EACCES)');
});
