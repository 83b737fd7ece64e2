import { readFileSync, statfsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import type { TestProject } from 'vitest/node';

const MEMORY = '/dev/shm';
const LEAST_FREE_BYTES = 4 * 2 ** 30;

/**
 * Where tests put their folders: in memory if Linux has room there and starts programs from there, which takes a sixth less
 * time in the default suite and a twelfth in the slow one. Tests of what a disk does mount their own.
 */
export function folderInMemory(): { TMPDIR?: string } {
  if (!startsPrograms()) return {};
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize >= LEAST_FREE_BYTES ? { TMPDIR: `${MEMORY}/svc-${process.pid}` } : {};
}

/** Makes the folder of `folderInMemory` for the tests, and removes it after them. */
export default async function setup({ config }: TestProject): Promise<() => Promise<void>> {
  const folder = config.env.TMPDIR;
  if (folder === undefined) return async () => {};
  await mkdir(folder, { recursive: true });
  return () => rm(folder, { recursive: true, force: true });
}

/** Whether it is mounted, and not by `noexec`, as containers do. */
function startsPrograms(): boolean {
  if (process.platform !== 'linux') return false;
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
  const options = mounts.map((line) => line.split(' ')).findLast(([, folder]) => folder === MEMORY)?.[3];
  return options !== undefined && !options.split(',').includes('noexec');
}
