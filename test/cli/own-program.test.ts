import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stableProgram } from '../../src/cli/own-program.ts';
import { scratchHome } from './assistants/scratch-home.ts';

const scratch = scratchHome();

test('names an installed download by the link that an upgrade changes', async () => {
  const installed = join(scratch.folder, 'lib/svc');
  const program = (version: string) => ({
    node: join(installed, version, 'runtime/node'),
    script: join(installed, version, 'bin/svc'),
  });
  const running = program('1.0.0');
  expect(stableProgram(running.node, running.script)).toEqual(running);
  await mkdir(join(installed, '1.0.0/bin'), { recursive: true });
  await symlink('1.0.0', join(installed, 'current'));
  expect(stableProgram(running.node, running.script)).toEqual(program('current'));
  expect(stableProgram('/usr/bin/node', running.script).node).toBe('/usr/bin/node');
  const older = program('0.9.0');
  expect(stableProgram(older.node, older.script)).toEqual(older);
});
