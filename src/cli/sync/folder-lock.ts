import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import { type FileSystem, STATE_FOLDER } from './folder.ts';

const BEAT_MS = 5000;
/** Longer than a busy machine delays a beat. Also ends the lock of a process whose id another one has now. */
const ABANDONED_MS = 30_000;

interface Holder {
  token: string;
  pid: number;
  host: string;
}

/**
 * Locks a folder for one process, also against other machines that share it. The lock of a process that was killed ends
 * with it. `onLost` is called if another process took over, as after a sleep. Returns the function that unlocks.
 */
export async function lockFolder(root: string, fs: FileSystem, nowMs: () => number, onLost: () => void) {
  const path = join(root, STATE_FOLDER, 'lock');
  const own: Holder = { token: randomUUID(), pid: process.pid, host: hostname() };
  for (let attempt = 0; !(await take(path, own, fs)); attempt += 1) {
    const holder = await holderOf(path, fs);
    if (attempt > 3 || (await isHeld(holder, path, fs, nowMs))) {
      const where = holder === undefined || holder.host === own.host ? '' : ` on ${holder.host}`;
      const process = holder === undefined ? '' : ` (process ${holder.pid}${where})`;
      throw new CommandFailure(EXIT.failed, `Another svc sync${process} is at work in ${root}.`);
    }
    // Renamed before it is removed: of two that find it, one succeeds. What the other has locked since is put back.
    const aside = join(root, STATE_FOLDER, `draft-${own.token}`);
    const isMoved = await fs.rename(path, aside).then(
      () => true,
      () => false,
    );
    if (!isMoved) continue;
    if ((await holderOf(aside, fs))?.token === holder?.token) await fs.rm(aside, { force: true });
    else await fs.rename(aside, path);
  }
  const beat = async () => {
    const holder = await holderOf(path, fs);
    if (holder?.token !== own.token) return onLost();
    // The time of the file is the beat.
    const handle = await fs.open(path, 'r+');
    await handle.writeFile(JSON.stringify(own)).finally(() => handle.close());
  };
  const timer = setInterval(() => void beat().catch(() => {}), BEAT_MS);
  timer.unref();
  return async () => {
    clearInterval(timer);
    if ((await holderOf(path, fs))?.token === own.token) await fs.rm(path, { force: true });
  };
}

async function take(path: string, own: Holder, fs: FileSystem): Promise<boolean> {
  try {
    const handle = await fs.open(path, 'wx', 0o600);
    await handle.writeFile(JSON.stringify(own)).finally(() => handle.close());
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Returns `undefined` if there is none, or if it is being written. */
async function holderOf(path: string, fs: FileSystem): Promise<Holder | undefined> {
  try {
    return JSON.parse(await fs.readFile(path, 'utf8')) as Holder;
  } catch {
    return undefined;
  }
}

async function isHeld(holder: Holder | undefined, path: string, fs: FileSystem, nowMs: () => number): Promise<boolean> {
  const stats = await fs.lstat(path).catch(() => undefined);
  if (!stats || nowMs() - stats.mtimeMs > ABANDONED_MS) return false;
  return holder === undefined || holder.host !== hostname() || isRunning(holder.pid);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
