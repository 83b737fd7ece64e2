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
import { letNewSpaceGrow } from './new-space.ts';
import { loadReferenceFiles } from './reference.ts';

/** Announced once the daemon has started. */
interface Started {
  version: string;
  url: string;
  data: string;
  mail: string;
  warnings: readonly string[];
  isEmpty: boolean;
}

/** Where the daemon writes. */
interface ServeOutput {
  /** Start and stop are announced to people, so the log does not repeat them. */
  announces: boolean;
  started(facts: Started): void;
  mail(text: string): void;
  log(line: string): void;
  stopping(): void;
  stopped(): void;
}

/** Compiles all schemas in half a minute, with 2 % of the processor time. */
const COMPILE_PAUSE_MS = 100;
/** Time allowed for a graceful stop. */
const STOP_LIMIT_MS = 25_000;

/**
 * Runs the daemon until `stopSignal` and resolves with the exit code. Throws `ConfigError` or `AppError` if it cannot
 * start, without changing anything.
 */
export async function serve(
  config: Config,
  { version, warnings }: { version: string; warnings: readonly string[] },
  output: ServeOutput,
  stopSignal: Promise<string>,
): Promise<number> {
  const log = createLog(config.logLevel, output.log);
  refuseFewOpenFiles();
  const dashboardFiles = await loadDashboardFiles(builtFolder('dashboard'));
  const referenceFiles = await loadReferenceFiles(builtFolder('reference'));
  await makeFolder(config.dataDir).catch((error: NodeJS.ErrnoException) => {
    const isFile = error.code === 'EEXIST' || error.code === 'ENOTDIR';
    const why = isFile ? 'it, or a folder above it, is a file' : error.code;
    throw new ConfigError(`SVC_DATA_DIR ${config.dataDir} cannot be created (${why})`);
  });
  const lock = await lockFolder(config.dataDir, process.pid);
  try {
    const daemon = await compose(config, {
      clock: systemClock,
      random: systemRandom,
      log,
      show: output.mail,
      version,
      dashboardFiles,
      referenceFiles,
    });
    const url = await listen(daemon, config);
    letNewSpaceGrow();
    daemon.app
      .compileSchemas(COMPILE_PAUSE_MS)
      .catch((error: unknown) => log.error({ error }, 'a schema is not valid'));
    const allWarnings = [...warnings, ...(await dataFolderWarnings(config.dataDir))];
    const isEmpty = await daemon.accounts.areNone();
    output.started({ version, url, ...destinations(config), warnings: allWarnings, isEmpty });
    if (!output.announces) {
      for (const warning of allWarnings) log.warn({}, warning);
      log.info({ version, url }, 'svc is running');
    }
    const signal = await stopSignal;
    output.stopping();
    if (!output.announces) log.info({ signal }, 'svc is stopping');
    const exitCode = await stopInTime(daemon, (message) => log.error({}, message));
    output.stopped();
    return exitCode;
  } finally {
    await lock.release();
  }
}

/** Error codes of listening that mean an unusable host or port. */
const UNUSABLE = new Set(['EACCES', 'EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EAI_AGAIN', 'EINVAL', 'ENOTFOUND']);

/** Fewer are not enough for the database and a few connections. Node raises the soft limit to the hard one. */
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

function destinations({ databaseUrl, dataDir, mailDir, smtpUrl }: Config): Pick<Started, 'data' | 'mail'> {
  const mail = mailDir
    ? `written to ${mailDir}`
    : smtpUrl
      ? `sent through ${new URL(smtpUrl).host}`
      : 'shown here (no SVC_SMTP_URL is set)';
  return { data: databaseUrl ? shownUrl(databaseUrl) : dataDir, mail };
}

/** Pages are built into folders beside the program. */
function builtFolder(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}
