import { existsSync, statfsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import type { TestProject } from 'vitest/node';

const MEMORY = '/dev/shm';
const LEAST_FREE_BYTES = 4 * 2 ** 30;

/**
 * Where tests put their folders: in memory if Linux has room there, which takes a sixth less time. What a disk may lose is
 * tested in the slow suite.
 */
export function folderInMemory(): { TMPDIR?: string } {
  if (!existsSync(MEMORY)) return {};
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
