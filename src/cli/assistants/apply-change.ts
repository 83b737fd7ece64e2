import { chown, mkdir, open, readFile, rename, rm, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { asFault, backupPath, backupsOf, readConfigFile, refuseReadOnly } from './config-file.ts';
import { ConfigFault } from './editing/document.ts';
import { holdsKey } from './key-text.ts';
import type { ChangePlan } from './plan-change.ts';

/** The oldest backup (the file before svc) and this many of the newest are kept. */
const NEWEST_KEPT = 9;

interface Written {
  mode: number;
  uid?: number;
  gid?: number;
}

/**
 * Writes what was planned: a backup beside the file, then the whole new text at once (a temporary file, flushed and
 * renamed), behind symbolic links. Modes and owners stay, but a file with a key in it is for its owner only, and so is
 * a new one. Throws `ConfigFault` where the file is no longer what the plan saw.
 */
export async function applyChange(plan: ChangePlan): Promise<{ backup?: string }> {
  if (!plan.changed) return {};
  try {
    const now = await readConfigFile(plan.path);
    if (now.text !== plan.before || now.target !== plan.target) {
      throw new ConfigFault('was changed by something else meanwhile; nothing was written, try again');
    }
    await mkdir(dirname(plan.target), { recursive: true, mode: 0o700 });
    await refuseReadOnly(plan.target);
    const backup = plan.before === undefined ? undefined : await layBackup(plan.target);
    if (plan.after === undefined) await unlink(plan.target);
    else await replaceFile(plan.target, plan.after);
    await flushFolder(dirname(plan.target));
    await dropOldBackups(plan.target);
    return backup === undefined ? {} : { backup };
  } catch (error) {
    const fault = asFault(error);
    throw fault instanceof ConfigFault ? new ConfigFault(`${plan.path}: ${fault.message}`) : fault;
  }
}

async function layBackup(target: string): Promise<string> {
  const bytes = await readFile(target);
  const { mode, uid, gid } = await stat(target);
  const path = backupPath(target, (await backupsOf(target)).next);
  await writeFlushed(path, bytes, { mode: holdsKey(bytes.toString()) ? mode & 0o600 : mode & 0o777, uid, gid });
  return path;
}

async function replaceFile(target: string, text: string): Promise<void> {
  const old = await stat(target).catch(() => undefined);
  const temporary = `${target}.svc-${process.pid}.tmp`;
  const mode = old === undefined ? 0o600 : old.mode & (holdsKey(text) ? 0o600 : 0o777);
  try {
    await rm(temporary, { force: true });
    await writeFlushed(temporary, text, { mode, ...(old && { uid: old.uid, gid: old.gid }) });
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function writeFlushed(path: string, content: string | Uint8Array, { mode, uid, gid }: Written): Promise<void> {
  const file = await open(path, 'wx', mode);
  try {
    await file.writeFile(content);
    await file.chmod(mode);
    const own = await file.stat();
    if (uid !== undefined && gid !== undefined && (own.uid !== uid || own.gid !== gid)) await chown(path, uid, gid);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Makes the new name last; some systems cannot flush a folder, and then the name lasts by itself. */
async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

async function dropOldBackups(target: string): Promise<void> {
  const { paths } = await backupsOf(target);
  for (const path of paths.slice(1, -NEWEST_KEPT)) await rm(path, { force: true });
}
