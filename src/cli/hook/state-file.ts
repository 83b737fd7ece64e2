import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { replaceFile } from '../../lib/atomic-file.ts';
import { makeFolder } from '../../lib/make-folder.ts';

/** Reads a JSON file; `empty` if it is missing or damaged. Throws if it cannot be read: it is not empty then. */
export async function readState<T>(path: string, empty: T): Promise<T> {
  try {
    return { ...empty, ...(JSON.parse(await readFile(path, 'utf8')) as T) };
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return empty;
    throw error;
  }
}

/** Replaces a JSON file, which only its owner can read, at once. */
export async function writeState(path: string, state: unknown): Promise<void> {
  await replaceFile(path, JSON.stringify(state), { mode: 0o600 });
}

/** A hook lives for less than a second: an older lock was left by one that was killed. */
const ABANDONED_MS = 5000;
const RETRY_MS = 5;

/**
 * Runs `work` while no other process does under the same path. Returns `undefined` without running it if the lock is not
 * free before `signal` aborts, or at once with `wait: false`. A process that exits meanwhile leaves no lock.
 */
export async function withLock<T>(
  path: string,
  { nowMs, signal, wait = true }: { nowMs: () => number; signal: AbortSignal; wait?: boolean },
  work: () => Promise<T>,
): Promise<T | undefined> {
  while (!(await takeLock(path, nowMs))) {
    if (!wait || signal.aborted) return undefined;
    await sleep(RETRY_MS);
  }
  const releaseAtExit = () => rmSync(path, { force: true });
  process.once('exit', releaseAtExit);
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
    process.off('exit', releaseAtExit);
  }
}

async function takeLock(path: string, nowMs: () => number): Promise<boolean> {
  try {
    await (await open(path, 'wx', 0o600)).close();
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return makeFolder(dirname(path)).then(() => false);
    if (code !== 'EEXIST' && code !== 'EPERM') throw error;
    const found = await stat(path).catch(() => undefined);
    // Renamed before it is removed: of two that find it, one succeeds. The clock may have been set back since it was made.
    if (found && Math.abs(nowMs() - found.mtimeMs) > ABANDONED_MS) {
      const aside = `${path}.${randomUUID()}`;
      await rename(path, aside).then(
        () => rm(aside, { force: true }),
        () => {},
      );
    }
    return false;
  }
}
