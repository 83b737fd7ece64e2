import { access, constants, readdir, statfs } from 'node:fs/promises';
import envPaths from 'env-paths';
import { formatSize } from '../../contract/byte-size.ts';
import { dataFolderWarnings } from '../../lib/data-folder.ts';
import { isLoopbackUrl } from '../daemon-url.ts';
import { type Finding, FREE_SPACE } from './finding.ts';
import type { Subject } from './subject.ts';

const LITTLE_BYTES = 1024 ** 3;

/** Checks permissions and free space of the data folder, if the daemon is on this machine and its folder readable here. */
export async function checkDataFolder({
  url,
  clock,
  dataDir,
  deep,
  environment: { env },
}: Subject): Promise<Finding[]> {
  const folder = dataDir ?? (env.SVC_DATA_DIR || envPaths('svc', { suffix: '' }).data);
  if (!isLoopbackUrl(url) || !(await isReadable(folder))) return [];
  const check = 'Data folder';
  if (await isOnReadOnlyDisk(folder)) {
    const message = `${folder} is on a read-only file system: the daemon can store nothing`;
    return [{ check, state: 'problem', message, fix: 'check that disk, and mount it writable' }];
  }
  const warnings = await dataFolderWarnings(folder);
  const { bavail, bsize } = await statfs(folder);
  const free = `${formatSize(bavail * bsize)} free`;
  if (bavail * bsize < LITTLE_BYTES) {
    warnings.push(`only ${free} in ${folder}; the daemon stops being ready when the disk is full`);
  }
  const found = warnings.map((message) => toFinding(check, message));
  if (found.length === 0) found.push({ check, state: 'ok', message: `${folder}, ${free}` });
  if (deep) return found;
  const { checkLastCheck } = await import('../commands/admin-check.ts');
  return [...found, ...(await checkLastCheck(folder, clock.nowMs()))];
}

/** A warning of the data folder ends with the command that fixes it. */
function toFinding(check: string, warning: string): Finding {
  const [, message = warning, fix = FREE_SPACE] = /^(.*)\. Run (chmod .*)\.$/s.exec(warning) ?? [];
  return { check, state: 'warning', message, fix };
}

/** Whether the file system is mounted read-only, as Linux does once a disk fails. No mode can be changed there either. */
async function isOnReadOnlyDisk(folder: string): Promise<boolean> {
  return access(folder, constants.W_OK).then(
    () => false,
    ({ code }: NodeJS.ErrnoException) => code === 'EROFS',
  );
}

async function isReadable(folder: string): Promise<boolean> {
  return readdir(folder).then(
    () => true,
    () => false,
  );
}
