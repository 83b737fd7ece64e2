import { lastBackupMs } from '../../daemon/last-backup.ts';
import { toTimestamp, toTimestampOrNull } from '../../lib/clock.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import { formatRelativeTime, formatTimeWithDate } from '../memory/relative-time.ts';
import { createOutput, type Field, formatFields, type Output } from '../output.ts';
import { chosenScope, openSupervisor, type ServiceContext } from '../service/context.ts';
import { type DaemonFacts, probeDaemon } from '../service/daemon-probe.ts';
import type { ServiceState, Supervisor } from '../service/supervisor.ts';
import { commandLine } from './service-install.ts';
import { addressIn, readServiceSettings } from './service-settings.ts';

/** `0.1.0 (0.2.0 is available)`. */
function versionText(version: string, update: string | null): string {
  return update === null ? version : `${version} (${update} is available)`;
}

/** Output of `svc service status --json`. */
interface Status {
  state: 'running' | 'not-ready' | 'starting' | 'stopped' | 'failed' | 'not-installed';
  unitFile: string;
  environmentFile: string;
  dataDir: string;
  /** Where people reach it. */
  url: string;
  pid: number | null;
  since: string | null;
  version: string | null;
  lastBackupAt: string | null;
  /** Scheduled backups fail. */
  backupFails: boolean;
  /** A newer version, if the daemon looks for one (SVC_UPDATE_CHECK). */
  update: string | null;
  /** Why it is not ready. */
  problem: string | null;
}

/** `svc service status`. Throws `CommandFailure` unless the daemon is ready. */
export async function showServiceStatus(
  options: { system?: true; json?: true },
  context: ServiceContext,
): Promise<void> {
  const output = createOutput(context.terminal, options);
  const scope = chosenScope(options, context);
  const supervisor = openSupervisor(scope, context);
  await supervisor.assertAvailable();
  const service = await supervisor.state();
  const settings = await readServiceSettings(supervisor.layout);
  const dataDir = settings.SVC_DATA_DIR || supervisor.layout.dataDir;
  const address = addressIn(settings);
  const daemon = service.isInstalled ? await probeDaemon(context.fetch, address) : { responds: false, isReady: false };
  const status: Status = {
    state: stateOf(service, daemon),
    unitFile: service.foreignUnit ?? supervisor.layout.unitFile,
    environmentFile: supervisor.layout.environmentFile,
    dataDir,
    url: settings.SVC_PUBLIC_URL || address,
    pid: service.pid ?? null,
    since: daemon.startedAtMs === undefined ? null : toTimestamp(daemon.startedAtMs),
    version: daemon.version ?? null,
    lastBackupAt: toTimestampOrNull((await lastBackupMs(dataDir)) ?? null),
    backupFails: daemon.notices?.backupFails === true,
    update: daemon.notices?.update ?? null,
    problem: daemon.detail ?? null,
  };
  output.data(status);
  printStatus(status, { output, supervisor, daemon, nowMs: context.clock.nowMs() });
  if (status.state === 'not-installed') throw new CommandFailure(EXIT.failed);
  if (status.state !== 'running') throw new CommandFailure(EXIT.unreachable);
}

function stateOf({ isInstalled, activity }: ServiceState, { responds, isReady }: DaemonFacts): Status['state'] {
  if (!isInstalled) return 'not-installed';
  if (activity === 'failed' || activity === 'stopped') return activity;
  if (isReady) return 'running';
  if (responds) return 'not-ready';
  return activity === undefined ? 'stopped' : 'starting';
}

const TITLES: Record<Status['state'], string> = {
  running: 'svc is running',
  'not-ready': 'svc is running, but not ready',
  starting: 'svc is starting',
  stopped: 'svc is stopped',
  failed: 'svc has failed and is not restarted',
  'not-installed': 'svc is not installed as a service',
};

interface PrintOptions {
  output: Output;
  supervisor: Supervisor;
  daemon: DaemonFacts;
  nowMs: number;
}

function printStatus(status: Status, { output, supervisor, daemon, nowMs }: PrintOptions): void {
  const { style, columns } = output;
  const { scope } = supervisor.layout;
  const tones = { running: style.good('✓'), starting: style.caution('!') } as Partial<Record<Status['state'], string>>;
  const reason = status.problem === null ? '' : `: ${status.problem}`;
  output.line(`${tones[status.state] ?? style.bad('✗')} ${TITLES[status.state]}${reason}`);
  if (status.state === 'not-installed') {
    output.line(`  ${commandLine('install', scope)} installs it`);
    return;
  }
  const backup =
    status.lastBackupAt === null ? 'none known' : formatTimeWithDate(Date.parse(status.lastBackupAt), nowMs);
  const since =
    daemon.startedAtMs === undefined ? [] : [['Since', formatRelativeTime(daemon.startedAtMs, nowMs)] as Field];
  const rows: Field[] = [
    ['Address', status.url],
    ...since,
    ...(status.pid === null ? [] : [['Process', String(status.pid)] as Field]),
    ...(status.version === null ? [] : [['Version', versionText(status.version, status.update)] as Field]),
    ['Backup', status.backupFails ? `${backup}; ${style.bad('the scheduled backup fails')}` : backup],
    ['Data', status.dataDir],
    ['Settings', status.environmentFile],
    ['Unit', status.unitFile],
  ];
  for (const line of formatFields(rows, columns, style)) output.line(line);
  if (status.state !== 'running') output.line(`  ${commandLine('logs', scope)} shows why`);
}
