import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import { lockFolder } from '../../db/folder-lock.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure, EXIT_INTERRUPTED } from '../failure.ts';
import { createProgressLine } from '../memory/progress-line.ts';
import { createOutput, type Output } from '../output.ts';
import type { ServiceContext } from '../service/context.ts';
import { findInstallation, type Installation, versionOf } from '../upgrade/installation.ts';
import {
  isUpgrade,
  needsBackup,
  reversibleUpgrade,
  type Unfinished,
  type UpgradeFacts,
  type UpgradeRecord,
  unfinishedUpgrade,
} from '../upgrade/plan.ts';
import { chooseArchive, LATEST_RELEASE, parseChecksums, type ReleasedArchive } from '../upgrade/release.ts';
import { openUpgradedDaemon, type UpgradedDaemon } from './upgrade-daemon.ts';
import { readRecord } from './upgrade-record.ts';
import { openRelease, type ReleaseSource } from './upgrade-release.ts';
import { applyUpgrade, finishUpgrade, goBack, requireStopped, schemaIn, type UpgradeWork } from './upgrade-steps.ts';

/** Options of `svc upgrade`. */
export interface UpgradeOptions {
  rollback?: true;
  yes?: true;
  dryRun?: true;
  json?: true;
  system?: true;
  dataDir?: string;
  backup: boolean;
  /** Seconds. */
  timeout: number;
}

/** Output of `svc upgrade --json`. */
interface Report {
  outcome: 'upgraded' | 'unchanged' | 'rolled-back' | 'planned';
  /** The version that is installed afterwards or, with `planned`, would be. */
  version: string;
  former: string | null;
  folder: string;
  service: string | null;
  dataDir: string;
  /** The backup from before the upgrade. */
  backup: string | null;
}

/** `svc upgrade`. Throws `CommandFailure` if the version from before is still, or again, the installed one. */
export async function upgrade(
  given: string | undefined,
  options: UpgradeOptions,
  context: ServiceContext,
): Promise<void> {
  const output = createOutput(context.terminal, options);
  const installation = findInstallation(context.program.script);
  const daemon = await openUpgradedDaemon(installation.folder, options, context);
  if (options.dryRun) return dryRun(given, options, { context, output, installation, daemon });
  await requireWritable(installation.folder);
  const lock = await lockFolder(installation.folder, process.pid, 'upgrade');
  try {
    // Another upgrade may have switched since.
    const run: Run = { context, output, installation: findInstallation(context.program.script), daemon };
    await (options.rollback ? rollBack(options, run) : upgradeNow(given, options, run));
  } finally {
    await lock.release();
  }
}

interface Run {
  context: ServiceContext;
  output: Output;
  installation: Installation;
  daemon: UpgradedDaemon;
}

async function upgradeNow(given: string | undefined, options: UpgradeOptions, run: Run): Promise<void> {
  const { output, installation, daemon } = run;
  const work = openWork(options, run);
  const unfinished = await readUnfinished(run);
  if (unfinished !== undefined) {
    const { kind, record } = unfinished;
    output.note(`The upgrade to svc ${versionOf(record.to)} was interrupted.`);
    await daemon.stop();
    await requireStopped(daemon.config.dataDir);
    if (kind === 'finish') await finishUpgrade(work, record);
    else await goBackAndStart(work, record);
    return report(run, kind === 'finish' ? 'upgraded' : 'rolled-back', record);
  }
  const source = openRelease(addressOf(given, run), run.context.environment.cwd);
  const archive = await findArchive(source, run, work.signal);
  if (!isUpgrade(archive, installation.current)) return reportUnchanged(archive, run);
  requireBackup(options, run);
  report(run, 'upgraded', await applyUpgrade(work, { source, archive, from: installation.current }));
}

async function rollBack(options: UpgradeOptions, run: Run): Promise<void> {
  const record = await requireReversible(options, run);
  const { daemon } = run;
  await daemon.stop();
  await requireStopped(daemon.config.dataDir);
  await goBackAndStart(openWork(options, run), record);
  report(run, 'rolled-back', record);
}

async function goBackAndStart(work: UpgradeWork, record: UpgradeRecord): Promise<void> {
  await goBack(work, record);
  await work.daemon.resume(work.limitMs);
}

/** Throws `CommandFailure` if there is no upgrade to take back, or it would cost memories and nobody agreed. */
async function requireReversible(
  { yes, dryRun: isDry }: UpgradeOptions,
  { installation, daemon }: Run,
): Promise<UpgradeRecord> {
  const record = reversibleUpgrade(await readFacts(installation));
  const { folder, current } = installation;
  if (record === undefined) {
    throw new CommandFailure(
      EXIT.failed,
      `svc ${versionOf(current)} was not installed by svc upgrade: there is no way back.`,
    );
  }
  await access(join(folder, record.from)).catch(() => {
    const advice = 'Install that version with install.sh.';
    throw new CommandFailure(EXIT.failed, `${join(folder, record.from)} is gone. ${advice}`);
  });
  requireSameData(record, daemon);
  const isLoss = needsBackup(record, await schemaIn(daemon.config));
  if (isLoss) await requireFile(record.backup!.file);
  if (isLoss && !yes && !isDry && record.state === 'finished') {
    const what = `svc ${versionOf(record.from)} cannot read the database of ${versionOf(current)}. Going back restores the backup of ${record.startedAt}; what was stored since is kept aside.`;
    throw new CommandFailure(EXIT.usage, `${what} Pass --yes to do that.`);
  }
  return record;
}

async function requireFile(backup: string): Promise<void> {
  await access(backup).catch(() => {
    const advice = 'Put it back, or restore another backup with the former version.';
    throw new CommandFailure(EXIT.failed, `The backup ${backup} is gone, and going back needs it. ${advice}`);
  });
}

async function dryRun(given: string | undefined, options: UpgradeOptions, run: Run): Promise<void> {
  const { output, installation, daemon, context } = run;
  const unfinished = await readUnfinished(run);
  const { service, config } = daemon;
  if (options.rollback || unfinished !== undefined) {
    const record = unfinished?.record ?? (await requireReversible(options, run));
    const isForward = unfinished?.kind === 'finish' && !options.rollback;
    const goal = versionOf(isForward ? record.to : record.from);
    output.data(reportOf(run, 'planned', { version: goal, backup: record.backup?.file ?? null, former: null }));
    output.line(isForward ? `Would finish the upgrade to svc ${goal}.` : `Would go back to svc ${goal}.`);
    return;
  }
  const source = openRelease(addressOf(given, run), context.environment.cwd);
  const archive = await findArchive(source, run, stopSignalOf(context));
  if (!isUpgrade(archive, installation.current)) return reportUnchanged(archive, run);
  requireBackup(options, run);
  const former = versionOf(installation.current);
  output.data(reportOf(run, 'planned', { version: archive.version, backup: null, former }));
  const steps = [
    `download ${archive.name} from ${source.address} and check its SHA-256, ${archive.sha256}`,
    `unpack it beside svc ${former} in ${installation.folder}`,
    ...(service === undefined ? [] : [`stop the ${service}`]),
    config.databaseUrl === undefined ? `back up the database in ${config.dataDir}` : 'make no backup',
    `switch from ${former} to ${archive.version}`,
    service === undefined
      ? 'start the daemon once, which migrates the database'
      : `start the ${service}, which migrates the database`,
    `go back to ${former} if it does not become ready within ${options.timeout} seconds`,
  ];
  output.line(`Would upgrade svc ${former} to ${archive.version}:`);
  for (const [index, step] of steps.entries()) output.line(`  ${index + 1}. ${step}`);
}

/** Returns the upgrade that was interrupted. Throws `CommandFailure` if it was that of another data folder. */
async function readUnfinished({ installation, daemon }: Run): Promise<Unfinished | undefined> {
  const unfinished = unfinishedUpgrade(await readFacts(installation));
  if (unfinished !== undefined) requireSameData(unfinished.record, daemon);
  return unfinished;
}

/** The backup of an upgrade replaces the database in the folder that it was made from, so no other may decide about it. */
function requireSameData(record: UpgradeRecord, { service, config: { dataDir } }: UpgradedDaemon): void {
  if (record.dataDir === dataDir) return;
  const what = `The upgrade to svc ${versionOf(record.to)} was that of the data in ${record.dataDir}, not in ${dataDir}.`;
  const option = `--data-dir ${record.dataDir}`;
  const advice = service === undefined ? `Pass ${option}.` : `Run svc service install ${option} first.`;
  throw new CommandFailure(EXIT.usage, `${what} ${advice}`);
}

async function readFacts({ folder, current }: Installation): Promise<UpgradeFacts> {
  return { current, record: await readRecord(folder) };
}

function addressOf(given: string | undefined, { context }: Run): string {
  return given ?? (context.environment.env.SVC_DOWNLOAD_URL || LATEST_RELEASE);
}

async function findArchive(source: ReleaseSource, { context }: Run, signal: AbortSignal): Promise<ReleasedArchive> {
  const { platform } = context.environment;
  const checksums = parseChecksums(await source.readChecksums(signal));
  // tar runs xz; that of macOS needs no program. scripts/install.sh decides in the same way.
  const unpacksXz = platform === 'darwin' || (await context.run('xz', ['--version'])).code !== 127;
  return chooseArchive(checksums, { platform: `${platform}-${process.arch}`, unpacksXz }, source.address);
}

/** Throws `CommandFailure` if svc cannot back up the database and nobody says that it is backed up. */
function requireBackup({ backup }: UpgradeOptions, { daemon: { config } }: Run): void {
  if (config.databaseUrl === undefined && !backup) {
    throw new CommandFailure(
      EXIT.usage,
      '--no-backup is for PostgreSQL. The database here is a file, which svc backs up.',
    );
  }
  if (config.databaseUrl === undefined || !backup) return;
  const advice = 'Back it up with pg_dump, stop its other daemons, and run svc upgrade --no-backup.';
  throw new CommandFailure(EXIT.failed, `The database is PostgreSQL's, which svc does not back up. ${advice}`);
}

async function requireWritable(folder: string): Promise<void> {
  await access(folder, constants.W_OK).catch(() => {
    throw new CommandFailure(
      EXIT.failed,
      `You cannot write to ${folder}. Run it as its owner, such as sudo svc upgrade.`,
    );
  });
}

function openWork({ timeout, json }: UpgradeOptions, { context, output, installation, daemon }: Run): UpgradeWork {
  return {
    folder: installation.folder,
    daemon,
    run: context.run,
    clock: context.clock,
    note: output.note,
    progress: createProgressLine(context, json ? { json } : {}),
    signal: stopSignalOf(context),
    limitMs: timeout * 1000,
  };
}

function stopSignalOf(context: ServiceContext): AbortSignal {
  const stop = new AbortController();
  const canceled = new CommandFailure(EXIT_INTERRUPTED, 'Canceled. The installed version was not changed.');
  void context.stopSignal().then(() => stop.abort(canceled));
  return stop.signal;
}

function reportOf(
  { installation, daemon }: Run,
  outcome: Report['outcome'],
  more: Pick<Report, 'version' | 'former' | 'backup'>,
): Report {
  const { service = null, config } = daemon;
  return { outcome, ...more, folder: installation.folder, service, dataDir: config.dataDir };
}

function report(run: Run, outcome: 'upgraded' | 'rolled-back', record: UpgradeRecord): void {
  const { output, daemon } = run;
  const [from, to] = [versionOf(record.from), versionOf(record.to)];
  const [version, former] = outcome === 'upgraded' ? [to, from] : [from, to];
  output.data(reportOf(run, outcome, { version, former, backup: record.backup?.file ?? null }));
  const runs = daemon.service === undefined ? 'is installed. Start it with svc serve' : 'is running';
  output.line(`${output.style.good('✓')} svc ${version} ${runs}; before it was ${former}.`);
  if (outcome === 'rolled-back') return;
  if (record.backup !== null) output.note(`The database from before is ${record.backup.file}.`);
  output.note('To go back: svc upgrade --rollback');
}

function reportUnchanged({ version }: ReleasedArchive, run: Run): void {
  const current = versionOf(run.installation.current);
  run.output.data(reportOf(run, 'unchanged', { version: current, former: null, backup: null }));
  run.output.line(`svc ${current} is installed, and the release is ${version}: there is nothing to upgrade.`);
}
