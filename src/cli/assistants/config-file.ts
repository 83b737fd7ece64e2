import { constants } from 'node:fs';
import { access, lstat, readdir, readFile, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { ConfigFileError } from './editing/document.ts';

/** A configuration file as it is now. */
export interface ConfigFile {
  /** Where the bytes are, behind every symbolic link. */
  target: string;
  /** `undefined` where there is no file. */
  text: string | undefined;
}

/** Reads a file as UTF-8 text; throws `ConfigFileError` where it is none, is no file, or may not be read. */
export async function readConfigFile(path: string): Promise<ConfigFile> {
  try {
    const target = await resolveTarget(path);
    const entry = await stat(target).catch(undefinedIfMissing);
    if (entry === undefined) return { target, text: undefined };
    if (entry.isDirectory()) throw new ConfigFileError('is a folder, not a file');
    if (!entry.isFile()) throw new ConfigFileError('is not a plain file');
    return { target, text: decode(await readFile(target)) };
  } catch (error) {
    throw toConfigFileError(error);
  }
}

/** Follows links by hand where the last one leads to a file that is yet to be made. */
async function resolveTarget(path: string, links = 0): Promise<string> {
  const real = await realpath(path).catch(undefinedIfMissing);
  if (real !== undefined) return real;
  const entry = await lstat(path).catch(undefinedIfMissing);
  if (!entry?.isSymbolicLink()) return path;
  if (links > 20) throw new ConfigFileError('is a symbolic link that leads in a circle');
  return resolveTarget(resolve(dirname(path), await readlink(path)), links + 1);
}

function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new ConfigFileError('is not UTF-8 text');
  }
}

const REASONS: Record<string, string> = {
  EACCES: 'may not be read or written by you',
  EPERM: 'may not be read or written by you',
  ENOTDIR: 'stands under something that is not a folder',
  ELOOP: 'is a symbolic link that leads in a circle',
  EROFS: 'stands on a read-only disk',
  EEXIST: 'is being changed by another svc; try again',
  ENOSPC: 'cannot be written: the disk is full',
};

/** A failure of the file system as one clear line; anything unknown stays what it is. */
export function toConfigFileError(error: unknown): unknown {
  const reason = REASONS[(error as NodeJS.ErrnoException).code ?? ''];
  return reason === undefined ? error : new ConfigFileError(reason);
}

/** Refuses a read-only file or folder. Its mode says so even where the user (root) could write all the same. */
export async function assertWritable(target: string): Promise<void> {
  await assertPathWritable(target, 'is read-only');
  await assertPathWritable(dirname(target), `stands in ${dirname(target)}, which is read-only`);
}

async function assertPathWritable(path: string, reason: string): Promise<void> {
  const entry = await stat(path).catch(undefinedIfMissing);
  if (entry === undefined) return;
  const writable = await access(path, constants.W_OK).then(
    () => true,
    () => false,
  );
  if (!writable || (entry.mode & 0o222) === 0) throw new ConfigFileError(reason);
}

const BACKUP = '.svc-backup-';

/** The copies that svc laid beside a file, oldest first, and the number that the next one gets. */
export async function listBackups(target: string): Promise<{ paths: string[]; next: number }> {
  const folder = dirname(target);
  const prefix = basename(target) + BACKUP;
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.startsWith(prefix));
  const numbers = names
    .map((name) => name.slice(prefix.length))
    .filter((number) => /^\d+$/.test(number))
    .map(Number)
    .sort((a, b) => a - b);
  return { paths: numbers.map((number) => join(folder, prefix + number)), next: (numbers.at(-1) ?? 0) + 1 };
}

/** The path of one backup. */
export function backupPath(target: string, number: number): string {
  return target + BACKUP + number;
}
