import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import type { Environment } from '../../../src/cli/settings.ts';

/** A separate home and project folder for each test, on Linux with an empty `PATH`. */
export interface ScratchHome {
  folder: string;
  environment: Environment;
  /** Writes a file in the folder, creating missing parent folders. */
  put(path: string, content: string | Uint8Array, mode?: number): Promise<string>;
}

export function scratchHome(): ScratchHome {
  const scratch = {} as ScratchHome;
  beforeEach(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-assistants-'));
    const home = join(folder, 'home');
    const cwd = join(folder, 'project');
    await mkdir(home);
    await mkdir(cwd);
    Object.assign(scratch, {
      folder,
      environment: { home, cwd, platform: 'linux', env: { PATH: join(folder, 'bin') } },
      async put(path: string, content: string | Uint8Array, mode = 0o644) {
        const file = join(folder, path);
        await mkdir(dirname(file), { recursive: true });
        await writeFile(file, content, { mode });
        return file;
      },
    } satisfies ScratchHome);
  });
  afterEach(() => rm(scratch.folder, { recursive: true, force: true }));
  return scratch;
}
