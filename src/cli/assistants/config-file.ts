import { constants } from 'node:fs';
import { access, lstat, readdir, readFile, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { ConfigFileError } from './editing/document.ts';

/** The current state of a configuration file. */
export interface ConfigFile {
  /** The path with every symbolic link resolved. */
  target: string;
  /** `undefined` if the file does not exist. */
  text: string | undefined;
}

/** Reads a UTF-8 text file. Throws `ConfigFileError` if it is not a file, not UTF-8, or not readable. */
export async function readConfigFile(path: string): Promise<ConfigFile> {
  try {
    const target = await resolveTarget(path);
    const entry = await stat(target).catch(undefinedIfMissing);
    if (entry === undefined) return { target, text: undefined };
    if (entry.isDirectory()) throw new ConfigFileError('is a folder, not a file');
    if (!entry.isFile()) throw new ConfigFileError('is not a regular file');
    return { target, text: decode(await readFile(target)) };
  } catch (error) {
    throw toConfigFileError(error);
  }
}

/** Resolves symbolic links even if the last one points to a file that does not exist yet. */
async function resolveTarget(path: string, links = 0): Promise<string> {
  const real = await realpath(path).catch(undefinedIfMissing);
  if (real !== undefined) return real;
  const entry = await lstat(path).catch(undefinedIfMissing);
  if (!entry?.isSymbolicLink()) return path;
  if (links > 20) throw new ConfigFileError('is a circular symbolic link');
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

const ERROR_MESSAGES: Record<string, string> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOTDIR: 'has a parent that is not a folder',
  ELOOP: 'is a circular symbolic link',
  EROFS: 'is on a read-only file system',
  EEXIST: 'is being changed by another svc process; try again',
  ENOSPC: 'cannot be written because the disk is full',
};

/** Converts a known file system error to a `ConfigFileError`; returns any other error unchanged. */
export function toConfigFileError(error: unknown): unknown {
  const message = ERROR_MESSAGES[(error as NodeJS.ErrnoException).code ?? ''];
  return message === undefined ? error : new ConfigFileError(message);
}

/** Throws if the file or its folder is read-only by its mode, even for root, who could write anyway. */
export async function assertWritable(target: string): Promise<void> {
  await assertPathWritable(target, 'is read-only');
  await assertPathWritable(dirname(target), `is in ${dirname(target)}, which is read-only`);
}

async function assertPathWritable(path: string, message: string): Promise<void> {
  const entry = await stat(path).catch(undefinedIfMissing);
  if (entry === undefined) return;
  const writable = await access(path, constants.W_OK).then(
    () => true,
    () => false,
  );
  if (!writable || (entry.mode & 0o222) === 0) throw new ConfigFileError(message);
}

const BACKUP_SUFFIX = '.svc-backup-';

/** Lists the backups beside a file, oldest first, and the number of the next one. */
export async function listBackups(target: string): Promise<{ paths: string[]; next: number }> {
  const folder = dirname(target);
  const prefix = basename(target) + BACKUP_SUFFIX;
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.startsWith(prefix));
  const numbers = names
    .map((name) => name.slice(prefix.length))
    .filter((number) => /^\d+$/.test(number))
    .map(Number)
    .sort((a, b) => a - b);
  return { paths: numbers.map((number) => join(folder, prefix + number)), next: (numbers.at(-1) ?? 0) + 1 };
}

export function backupPath(target: string, number: number): string {
  return target + BACKUP_SUFFIX + number;
}
