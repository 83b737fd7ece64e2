import { readFile, rm, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type FileAttributes, replaceFile, syncFolder, writeNewFile } from '../../lib/atomic-file.ts';
import { makeFolder } from '../../lib/make-folder.ts';
import { assertWritable, backupPath, listBackups, readConfigFile, toConfigFileError } from './config-file.ts';
import { ConfigFileError } from './editing/document.ts';
import { containsApiKey } from './mask-secrets.ts';
import type { ChangePlan } from './plan-change.ts';

/** Newest backups that are kept in addition to the first, which is the file as it was before svc. */
const RETAINED_BACKUPS = 9;

/**
 * Applies a plan: writes a backup beside the file, then replaces the file, following symbolic links. Preserves mode and
 * owner, except that new files and files with a key are readable by their owner only. Throws `ConfigFileError` if the
 * file has changed since it was planned.
 */
export async function applyChange(plan: ChangePlan): Promise<{ backup?: string }> {
  if (!plan.changed) return {};
  try {
    const current = await readConfigFile(plan.path);
    if (current.text !== plan.before || current.target !== plan.target) {
      throw new ConfigFileError('was changed by another program in the meantime; nothing was written, try again');
    }
    await makeFolder(dirname(plan.target));
    await assertWritable(plan.target);
    const backup = plan.before === undefined ? undefined : await createBackup(plan.target);
    if (plan.after === undefined) {
      await unlink(plan.target);
      await syncFolder(dirname(plan.target));
    } else await replaceFile(plan.target, plan.after, await attributesFor(plan.target, plan.after));
    await deleteOldBackups(plan.target);
    return backup === undefined ? {} : { backup };
  } catch (error) {
    const cause = toConfigFileError(error);
    throw cause instanceof ConfigFileError ? new ConfigFileError(`${plan.path}: ${cause.message}`) : cause;
  }
}

async function createBackup(target: string): Promise<string> {
  const bytes = await readFile(target);
  const { mode, uid, gid } = await stat(target);
  const path = backupPath(target, (await listBackups(target)).next);
  await writeNewFile(path, bytes, { mode: containsApiKey(bytes.toString()) ? mode & 0o600 : mode & 0o777, uid, gid });
  return path;
}

async function attributesFor(target: string, text: string): Promise<FileAttributes> {
  const old = await stat(target).catch(() => undefined);
  if (old === undefined) return { mode: 0o600 };
  return { mode: old.mode & (containsApiKey(text) ? 0o600 : 0o777), uid: old.uid, gid: old.gid };
}

async function deleteOldBackups(target: string): Promise<void> {
  const { paths } = await listBackups(target);
  for (const path of paths.slice(1, -RETAINED_BACKUPS)) await rm(path, { force: true });
}
