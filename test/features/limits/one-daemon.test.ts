import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { root } from '../../../scripts/build-options.mjs';
import { lockFolder } from '../../../src/db/folder-lock.ts';
import { bundledProgram } from '../../helpers/bundled-program.ts';

/** Locks the folder that the next argument names, and prints `served` or the error code. */
const PROGRAM = `
  import { lockFolder } from './src/db/folder-lock.ts';
  await lockFolder(process.argv[1], process.pid).then(
    async (lock) => { console.log('served'); await lock.release(); },
    (error) => console.log(error.code));`;

test('a second daemon refuses to serve the same data folder, so that rate limits stay in one process', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-test-'));
  const program = await bundledProgram(PROGRAM);
  const tryFromAnotherProcess = () =>
    execa(process.execPath, ['--input-type=module', '--eval', program, folder], { cwd: root });
  const lock = await lockFolder(folder, process.pid);
  expect((await tryFromAnotherProcess()).stdout).toBe('conflict');
  await lock.release();
  expect((await tryFromAnotherProcess()).stdout).toBe('served');
  await rm(folder, { recursive: true });
});
