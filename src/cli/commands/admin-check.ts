import { stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { formatSize } from '../../contract/byte-size.ts';
import { AppError } from '../../contract/errors.ts';
import { ConfigError } from '../../daemon/config.ts';
import type { Config } from '../../daemon/config-settings.ts';
import type { CheckedPart, CheckOptions, PartReport } from '../../daemon/integrity-check.ts';
import { lastBackupMs } from '../../daemon/last-backup.ts';
import { lastCheck } from '../../daemon/last-check.ts';
import { QUICK_CHECK_BYTES } from '../../db/quick-check.ts';
import type { CommandContext, SetExitCode } from '../command-context.ts';
import { type Finding, FREE_SPACE } from '../doctor/finding.ts';
import { EXIT } from '../exit.ts';
import { pluralize } from '../memory/import-report.ts';
import { createProgressLine } from '../memory/progress-line.ts';
import { formatRelativeTime } from '../memory/relative-time.ts';
import { readOperatorConfig } from './admin-config.ts';
import type { AdminContext } from './admin-context.ts';

/** `svc admin check`. */
export function addCheckCommand(admin: Command, shared: AdminContext, setExitCode: SetExitCode): void {
  admin
    .command('check')
    .description('list what is wrong with the database; svc doctor --deep says how to fix it')
    .action(async () => {
      const { checkIntegrity } = await import('../../daemon/integrity-check.ts');
      const config = await shared.config();
      const problems = await withProgress(await shared.context(), shared.json(), (options) =>
        checkIntegrity(config, options),
      );
      shared.print(problems.length === 0 ? 'The database is sound.' : problems.join('\n'), {
        sound: problems.length === 0,
        problems,
      });
      if (problems.length > 0) setExitCode(EXIT.failed);
    });
}

/** What is shown of each part: its name, and its message if it has no problems. */
const PARTS: Record<CheckedPart, [check: string, sound: string]> = {
  file: ['Database', 'every page can be read, and every index fits its rows'],
  references: ['References', 'no row refers to a missing one'],
  index: ['Search index', 'complete, and has nothing that was erased'],
  vectors: ['Vectors', 'each has its row and its model'],
  totals: ['Stored bytes', 'what accounts are counted with is what they store'],
};

const MAX_SHOWN = 3;

/** Checks the whole database on this machine for `svc doctor --deep`. Takes seconds per gigabyte. */
export async function checkDeeply(
  { dataDir, json }: { dataDir?: string; json?: true },
  context: Pick<CommandContext, 'terminal' | 'clock' | 'environment'>,
): Promise<Finding[]> {
  const { checkParts } = await import('../../daemon/integrity-check.ts');
  let config: Config;
  try {
    config = await readOperatorConfig(dataDir, context);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const fix = 'correct it: docs/operations.md lists the settings of svc serve';
    return [{ check: "Daemon's settings", state: 'problem', message: error.message.replaceAll('\n', '; '), fix }];
  }
  try {
    const reports = await withProgress(context, json, (options) => checkParts(config, options));
    const file = await stat(join(config.dataDir, 'svc.db')).catch(() => undefined);
    return reports.map((report) => findingOf(report, config, file ? `${formatSize(file.size)}; ` : ''));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const isFull = error.code === 'storage_full' || (await isDiskFull(config.dataDir));
    return [{ check: PARTS.file[0], state: 'problem', message: error.message, ...(isFull && { fix: FREE_SPACE }) }];
  }
}

/** SQLite needs room even to read, and does not say that it is missing. */
async function isDiskFull(folder: string): Promise<boolean> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize < LEAST_BYTES;
}

/** The smallest index of a write-ahead log. */
const LEAST_BYTES = 32 * 1024;

function findingOf({ part, problems }: PartReport, { databaseUrl }: Config, size: string): Finding {
  const [check, sound] = PARTS[part];
  if (problems.length === 0) return { check, state: 'ok', message: part === 'file' ? `${size}${sound}` : sound };
  const rest = problems.length - MAX_SHOWN;
  const others = rest > 0 ? `; ${pluralize(rest, 'more problem')}, which svc admin check lists` : '';
  const onFile = `stop the daemon, then svc admin ${part === 'index' ? 'reindex' : 'restore BACKUP'}`;
  const fix = databaseUrl === undefined ? onFile : "restore a backup with the server's own tools";
  return { check, state: 'problem', message: problems.slice(0, MAX_SHOWN).join('; ') + others, fix };
}

const CHECK_INTERVAL_MS = 30 * 24 * 60 * 60 * 1000;

/**
 * Says when the database of a data folder was last checked as a whole. A backup checks what it copies; a small file is
 * checked at each start.
 */
export async function checkLastCheck(dataDir: string, nowMs: number): Promise<Finding[]> {
  const [check] = PARTS.file;
  const fix = 'svc doctor --deep';
  const [file, last] = await Promise.all([stat(join(dataDir, 'svc.db')).catch(() => undefined), lastCheck(dataDir)]);
  if (last && last.problems > 0) {
    const when = formatRelativeTime(last.atMs, nowMs);
    const message = `the last whole check, ${when}, found ${pluralize(last.problems, 'problem')}`;
    return [{ check, state: 'problem', message, fix }];
  }
  if (file === undefined || file.size <= QUICK_CHECK_BYTES) return [];
  const checkedMs = Math.max(last?.atMs ?? 0, (await lastBackupMs(dataDir)) ?? 0);
  const when = checkedMs === 0 ? 'not known' : formatRelativeTime(checkedMs, nowMs);
  const message = `${formatSize(file.size)}; last checked as a whole: ${when}`;
  return [{ check, state: 'ok', message, ...(nowMs - checkedMs > CHECK_INTERVAL_MS && { fix }) }];
}

async function withProgress<T>(
  context: Pick<CommandContext, 'terminal' | 'clock'>,
  json: true | undefined,
  check: (options: CheckOptions) => Promise<T>,
): Promise<T> {
  const progress = createProgressLine(context, json ? { json } : {});
  return check({ onStep: (what, share) => progress.show(`checking ${what}`, share) }).finally(() => progress.clear());
}
