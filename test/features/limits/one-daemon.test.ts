import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { lockFolder } from '../../../src/db/folder-lock.ts';

const LOCK = fileURLToPath(new URL('../../../src/db/folder-lock.ts', import.meta.url));

/** Tries to lock the folder from another process. Returns `served` or the error code. */
async function tryFromAnotherProcess(folder: string): Promise<string> {
  const program = `
    import { lockFolder } from ${JSON.stringify(LOCK)};
    await lockFolder(${JSON.stringify(folder)}, process.pid).then(
      async (lock) => { console.log('served'); await lock.release(); },
      (error) => console.log(error.code));`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--import',
    'tsx',
    '--input-type=module',
    '--eval',
    program,
  ]);
  return stdout.trim();
}

test('a second daemon refuses to serve the same data folder, so that rate limits stay in one process', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-test-'));
  const lock = await lockFolder(folder, process.pid);
  expect(await tryFromAnotherProcess(folder)).toBe('conflict');
  await lock.release();
  expect(await tryFromAnotherProcess(folder)).toBe('served');
  await rm(folder, { recursive: true });
});
