import { fileURLToPath } from 'node:url';
import { AppError } from '../contract/errors.ts';
import { lockFolder } from '../db/folder-lock.ts';
import { systemClock } from '../lib/clock.ts';
import { dataFolderWarnings } from '../lib/data-folder.ts';
import { makeFolder } from '../lib/make-folder.ts';
import { systemRandom } from '../lib/random.ts';
import { compose, type Daemon } from './compose.ts';
import { ConfigError } from './config.ts';
import type { Config } from './config-settings.ts';
import { shownUrl } from './config-values.ts';
import { loadDashboardFiles } from './dashboard.ts';
import { createLog } from './log.ts';
import { loadReferenceFiles } from './reference.ts';

/** The output streams of the process. */
export interface Terminal {
  out(text: string): void;
  error(text: string): void;
}

/** Time allowed for a graceful stop. */
const STOP_LIMIT_MS = 25_000;

/**
 * Runs the daemon until `stopSignal` and resolves with the exit code. Text for people goes to `out`, the log to `error`;
 * `warnings` go to both. Throws `ConfigError` or `AppError` if it cannot start, without changing anything.
 */
export async function serve(
  config: Config,
  { version, warnings }: { version: string; warnings: readonly string[] },
  terminal: Terminal,
  stopSignal: Promise<string>,
): Promise<number> {
  const log = createLog(config.logLevel, (line) => terminal.error(line));
  refuseFewOpenFiles();
  const dashboardFiles = await loadDashboardFiles(builtFolder('dashboard'));
  const referenceFiles = await loadReferenceFiles(builtFolder('reference'));
  await makeFolder(config.dataDir).catch((error: NodeJS.ErrnoException) => {
    throw new ConfigError(`SVC_DATA_DIR ${config.dataDir} cannot be created (${error.code})`);
  });
  const lock = await lockFolder(config.dataDir, process.pid);
  try {
    const show = (text: string) => terminal.out(`${text}\n`);
    const daemon = await compose(config, {
      clock: systemClock,
      random: systemRandom,
      log,
      show,
      version,
      dashboardFiles,
      referenceFiles,
    });
    const url = await listen(daemon, config);
    const allWarnings = [...warnings, ...(await dataFolderWarnings(config.dataDir))];
    terminal.out(banner(url, config, allWarnings));
    for (const warning of allWarnings) log.warn({}, warning);
    log.info({ version, url }, 'svc is running');
    const signal = await stopSignal;
    log.info({ signal }, 'svc is stopping');
    return await stopInTime(daemon, (message) => log.error({}, message));
  } finally {
    await lock.release();
  }
}

/** Error codes of listening that mean an unusable host or port. */
const UNUSABLE = new Set(['EACCES', 'EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EAI_AGAIN', 'EINVAL', 'ENOTFOUND']);

/** Fewer do not suffice for the database and a few connections. Node raises the soft limit to the hard one. */
const MIN_OPEN_FILES = 256;

function refuseFewOpenFiles(): void {
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } };
  const limit = userLimits?.open_files?.soft;
  if (typeof limit !== 'number' || limit >= MIN_OPEN_FILES) return;
  const advice = 'Raise the limit (ulimit -n 1024, LimitNOFILE= of a systemd unit).';
  throw new AppError(
    'unprocessable',
    `svc may open only ${limit} files and needs at least ${MIN_OPEN_FILES}. ${advice}`,
  );
}

async function listen(daemon: Daemon, config: Config): Promise<string> {
  try {
    return await daemon.start();
  } catch (error) {
    await daemon.stop();
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'EADDRINUSE') {
      throw new AppError(
        'conflict',
        `Port ${config.port} on ${config.host} is already in use. Choose another with --port.`,
      );
    }
    if (UNUSABLE.has(code ?? '')) {
      throw new ConfigError(`svc cannot listen on ${config.host} port ${config.port} (${code})`);
    }
    throw error;
  }
}

async function stopInTime(daemon: Daemon, logError: (message: string) => void): Promise<number> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<'timeout'>((resolve) => {
    timer = setTimeout(() => resolve('timeout'), STOP_LIMIT_MS);
  });
  const outcome = await Promise.race([daemon.stop(), limit]);
  clearTimeout(timer);
  if (outcome !== 'timeout') return 0;
  logError('some requests did not finish in time and were cut off');
  return 1;
}

function banner(url: string, config: Config, warnings: readonly string[]): string {
  const mail = config.mailDir
    ? `written to ${config.mailDir}`
    : config.smtpUrl
      ? `sent through ${new URL(config.smtpUrl).host}`
      : 'shown here (no SVC_SMTP_URL is set)';
  return [
    `svc is running at ${url}`,
    '',
    `  dashboard  ${url}/dashboard`,
    `  MCP        ${url}/v1/mcp`,
    `  API        ${url}/docs`,
    `  data       ${config.databaseUrl ? shownUrl(config.databaseUrl) : config.dataDir}`,
    `  mail       ${mail}`,
    ...warnings.map((warning) => `  warning    ${warning}`),
    '',
    'Sign in at the dashboard. Press Ctrl-C to stop.',
    '',
  ].join('\n');
}

/** Pages are built into folders beside the program. */
function builtFolder(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}
