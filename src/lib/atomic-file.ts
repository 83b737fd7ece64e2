import { createHash } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import * as nodeFileSystem from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { systemRandom } from './random.ts';

/** The functions of `node:fs/promises` that writing a file takes. Tests let them fail. */
export type WritingFileSystem = Pick<typeof nodeFileSystem, 'lstat' | 'open' | 'readdir' | 'rename' | 'rm'>;

export interface FileAttributes {
  /** The permissions of the file, whatever the umask. */
  mode: number;
  uid?: number;
  gid?: number;
}

type FileContent = string | Uint8Array | AsyncIterable<string>;

/** Names the process that writes it and its machine, so that others know whether it is left from a crash. */
const DRAFT = /^\.svc-draft-([0-9a-f]{8})-(\d+)-[0-9a-f]{12}$/;
const MACHINE = createHash('sha256').update(`${hostname()} ${processNamespace()}`).digest('hex').slice(0, 8);
/** A draft of another machine that was not written to for so long is left from a crash. */
const LEFTOVER_MS = 24 * 3_600_000;
const ownDrafts = new Set<string>();
const DISK_FAILURES = new Set(['EDQUOT', 'EIO', 'ENOSPC']);

/**
 * Creates or replaces a file in one step that survives a power failure: readers see all of the old content or all of the
 * new, and the new one from when this resolves. On failure the old content stays and nothing else is left behind; what a
 * crash leaves behind, the next call in the same folder removes. A symbolic link at `path` is replaced; resolve it first
 * to write to its target. Of concurrent calls the last one wins.
 */
export async function replaceFile(
  path: string,
  content: FileContent,
  attributes: FileAttributes,
  fs: WritingFileSystem = nodeFileSystem,
): Promise<void> {
  const folder = dirname(path);
  const name = `.svc-draft-${MACHINE}-${process.pid}-${systemRandom.bytes(6).toString('hex')}`;
  const draft = join(folder, name);
  ownDrafts.add(name);
  try {
    await writeNewFile(draft, content, { ...(await inheritedOwner(path)), ...attributes }, fs);
    await fs.rename(draft, path);
  } catch (error) {
    await fs.rm(draft, { force: true }).catch(() => undefined);
    // Nobody knows the draft.
    if (error instanceof Error) error.message = error.message.replaceAll(draft, path);
    throw error;
  } finally {
    ownDrafts.delete(name);
  }
  await removeLeftovers(path, fs).catch(() => undefined);
  await syncFolder(folder, fs);
}

/**
 * The owner that a file of root gets: that of the file it replaces, or else of its folder, whose user is to open it.
 * Nothing for other users.
 */
export async function inheritedOwner(path: string): Promise<{ uid?: number; gid?: number }> {
  if (process.getuid?.() !== 0) return {};
  const { uid, gid } = await nodeFileSystem.lstat(path).catch(() => nodeFileSystem.stat(dirname(path)));
  return { uid, gid };
}

/** Creates a file and flushes it to disk, but not its name. Throws EEXIST if there is anything at `path`, also a link. */
export async function writeNewFile(
  path: string,
  content: FileContent,
  { mode, uid, gid }: FileAttributes,
  fs: Pick<WritingFileSystem, 'open'> = nodeFileSystem,
): Promise<void> {
  const file = await fs.open(path, 'wx', mode);
  try {
    // The types leave out iterables.
    await file.writeFile(content as string);
    const created = await file.stat();
    // Not otherwise: some disks have no permissions to change.
    if ((created.mode & mode) !== mode) await file.chmod(mode);
    if (uid !== undefined && gid !== undefined && (created.uid !== uid || created.gid !== gid))
      await file.chown(uid, gid);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Flushes a file to disk. */
export async function syncFile(path: string): Promise<void> {
  const file = await nodeFileSystem.open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Flushes the names in a folder to disk, where the platform and the disk can. */
export async function syncFolder(folder: string, fs: Pick<WritingFileSystem, 'open'> = nodeFileSystem): Promise<void> {
  try {
    const handle = await fs.open(folder, 'r');
    await handle.sync().finally(() => handle.close());
  } catch (error) {
    if (DISK_FAILURES.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

/** Flushes a folder and all that is in it to disk. Links are not followed. */
export async function syncTree(folder: string): Promise<void> {
  for (const entry of await nodeFileSystem.readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await syncTree(path);
    else if (entry.isFile()) await syncFile(path);
  }
  await syncFolder(folder);
}

/** Removes what crashes left in the folder of a file that was just written. */
async function removeLeftovers(path: string, fs: WritingFileSystem): Promise<void> {
  const { mtimeMs: nowMs } = await fs.lstat(path);
  for (const name of await fs.readdir(dirname(path))) {
    const [, machine, pid] = DRAFT.exec(name) ?? [];
    if (machine === undefined || ownDrafts.has(name)) continue;
    const draft = join(dirname(path), name);
    const isLeft =
      (machine === MACHINE && !isOtherProcess(Number(pid))) || nowMs - (await fs.lstat(draft)).mtimeMs > LEFTOVER_MS;
    if (isLeft) await fs.rm(draft, { force: true });
  }
}

/** Containers with the same host name, which can share a folder, do not see each other's processes. */
function processNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    // Linux alone has them.
    return '';
  }
}

/** Whether another process runs with this id. */
export function isOtherProcess(pid: number): boolean {
  try {
    return pid !== process.pid && process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
