import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** The daemon's own files: database with its logs and copies, master key, lock. */
const OWN = /^(svc\.db|master\.key|daemon\.|rotation\.|move\.)/;

/** Returns warnings about other users' access to the data folder. None on Windows, where file modes mean nothing. */
export async function dataFolderWarnings(folder: string): Promise<string[]> {
  if (process.platform === 'win32') return [];
  const modeOf = async (path: string) => (await lstat(path).catch(() => undefined))?.mode ?? 0;
  const folderMode = await modeOf(folder);
  if ((folderMode & 0o011) === 0) return [];
  const warnings: string[] = [];
  if ((folderMode & 0o022) !== 0) {
    warnings.push(`Other users can replace files in ${folder}. Run chmod 700 ${folder}.`);
  }
  const open: string[] = [];
  for (const name of (await readdir(folder)).filter((own) => OWN.test(own)).sort()) {
    if (((await modeOf(join(folder, name))) & 0o077) !== 0) open.push(name);
  }
  if (open.length > 0) {
    warnings.push(`Other users can open ${open.join(', ')} in ${folder}. Run chmod 700 ${folder}.`);
  }
  return warnings;
}
