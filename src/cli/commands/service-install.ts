import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { replaceFile } from '../../lib/atomic-file.ts';
import { makeFolder } from '../../lib/make-folder.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import { createOutput, formatFields, type Output } from '../output.ts';
import { openSupervisor, requireOwner, type ServiceContext } from '../service/context.ts';
import { probeDaemon } from '../service/daemon-probe.ts';
import { changeSettings, settingsIn } from '../service/environment-file.ts';
import type { Scope } from '../service/layout.ts';
import type { Supervisor } from '../service/supervisor.ts';
import { SERVICE_USER, SYSTEM_DATA_DIR } from '../service/systemd-unit.ts';
import { readConfigFlags } from './serve-flags.ts';
import { resolveSettings, type ServiceSettings } from './service-settings.ts';

export interface InstallOptions {
  system?: true;
  dryRun?: true;
  json?: true;
}

const START_LIMIT_MS = 60_000;
const POLL_MS = 200;
/** A daemon that ended this often and was started again does not become ready. */
const MAX_STARTS = 3;
/** Homes are hidden from the hardened unit. */
const HOMES = /^\/(home|root|run\/user)(\/|$)/;

/** The files of an installation. */
interface Plan {
  settings: ServiceSettings;
  program: string[];
  unit: string | Buffer;
  environment: string;
  isUpdate: boolean;
}

/** `svc service install`: writes the unit and its settings, and starts the service. A second run updates and restarts it. */
export async function installService(
  { system, dryRun, json, ...given }: InstallOptions & Record<string, string | undefined>,
  context: ServiceContext,
): Promise<void> {
  const output = createOutput(context.terminal, { json });
  const scope: Scope = system ? 'system' : 'user';
  const supervisor = openSupervisor(scope, context);
  const flags = await readConfigFlags(given);
  if (dryRun) return printPlan(await planInstallation(flags, supervisor, context), supervisor, output);
  requireOwner(scope, context, 'service install');
  await supervisor.assertAvailable();
  const state = await supervisor.state();
  if (state.foreignUnit !== undefined) {
    const advice = `Change ${supervisor.layout.environmentFile} and run systemctl restart svc.`;
    throw new CommandFailure(EXIT.failed, `A package has installed the service as ${state.foreignUnit}. ${advice}`);
  }
  const plan = await planInstallation(flags, supervisor, context);
  const { url, publicUrl, dataDir, logsMails } = plan.settings;
  if (system) await requireDataFolder(dataDir);
  // What answers there while it is stopped is another daemon, which would be taken for it.
  if (!plan.isUpdate || ['stopped', 'failed'].includes(state.activity ?? '')) await requireFreeAddress(url, context);
  if (!json) printPlan(plan, supervisor, output);
  await writeFiles(plan, supervisor);
  await supervisor.start();
  await untilReady(url, supervisor, context);
  const { unitFile, environmentFile } = supervisor.layout;
  output.data({ url: publicUrl, unitFile, environmentFile, dataDir, isUpdate: plan.isUpdate });
  output.line();
  output.line(`${output.style.good('✓')} svc is running at ${output.style.bold(publicUrl)}`);
  const advice = [
    await supervisor.bootAdvice(),
    logsMails ? `No mail server is set: sign-in links appear in ${commandLine('logs', scope)}.` : undefined,
    `Next: svc login. To see how it is: ${commandLine('status', scope)}.`,
  ];
  for (const text of advice) if (text !== undefined) output.note(text);
}

/** A command of `svc service`, as people type it. */
export function commandLine(name: string, scope: Scope): string {
  return `svc service ${name}${scope === 'system' ? ' --system' : ''}`;
}

async function planInstallation(
  flags: Parameters<typeof resolveSettings>[0],
  supervisor: Supervisor,
  context: ServiceContext,
): Promise<Plan> {
  const { layout } = supervisor;
  const settings = await resolveSettings(flags, layout, context);
  const program = [context.program.node, context.program.script];
  if (layout.scope === 'system') requireNoHome([...program, settings.dataDir]);
  const [unitBefore, environmentBefore] = await Promise.all(
    [layout.unitFile, layout.environmentFile].map((file) => readFile(file, 'utf8').catch(() => undefined)),
  );
  return {
    settings,
    program,
    unit: await supervisor.render({ program, dataDir: settings.dataDir, writable: settings.writable }),
    environment: changeSettings(environmentBefore, settings.changes),
    isUpdate: unitBefore !== undefined,
  };
}

function requireNoHome(paths: readonly string[]): void {
  const hidden = paths.find((path) => HOMES.test(path));
  if (hidden === undefined) return;
  const advice = 'Install svc and its data outside of home folders, for example with sudo npm install -g svc-memory.';
  throw new CommandFailure(EXIT.failed, `The system's service cannot read ${hidden}. ${advice}`);
}

/** systemd creates only the usual data folder of the system's service. */
async function requireDataFolder(dataDir: string): Promise<void> {
  if (dataDir === SYSTEM_DATA_DIR || (await stat(dataDir).catch(() => undefined))?.isDirectory()) return;
  const advice = `Create it first, owned by the user ${SERVICE_USER}.`;
  throw new CommandFailure(EXIT.failed, `The data folder ${dataDir} does not exist. ${advice}`);
}

async function requireFreeAddress(url: string, { fetch }: ServiceContext): Promise<void> {
  const { responds } = await probeDaemon(fetch, url);
  if (!responds) return;
  const advice = 'Stop it, or choose another port with --port.';
  throw new CommandFailure(
    EXIT.failed,
    `Something already answers at ${url}, perhaps svc serve in a terminal. ${advice}`,
  );
}

/** Settings may be secret, so only their names are shown. */
function printPlan(
  { settings, program, unit, environment, isUpdate }: Plan,
  supervisor: Supervisor,
  output: Output,
): void {
  const { unitFile, environmentFile } = supervisor.layout;
  const names = Object.keys(settingsIn(environment)).join(', ');
  const fields = { unit: unitFile, settings: environmentFile, data: settings.dataDir, program: program.join(' ') };
  output.data({ ...fields, names: Object.keys(settingsIn(environment)), unitText: String(unit), isUpdate });
  output.line(`${isUpdate ? 'Updates' : 'Installs'} svc as ${supervisor.title}:`);
  const rows: [string, string][] = [
    ['Unit', unitFile],
    ['Settings', `${environmentFile} (${names})`],
    ['Data', settings.dataDir],
    ['Program', program.join(' ')],
  ];
  for (const line of formatFields(rows, output.columns, output.style)) output.line(line);
}

async function writeFiles({ settings, unit, environment }: Plan, { layout }: Supervisor): Promise<void> {
  // systemd creates the data folder of a system's service, owned by its user.
  if (layout.scope === 'user') await makeFolder(settings.dataDir);
  if (layout.logFile !== undefined) await makeFolder(dirname(layout.logFile));
  await writeWhole(layout.environmentFile, environment, 0o600);
  await writeWhole(layout.unitFile, unit, 0o644);
}

async function writeWhole(path: string, content: string | Buffer, mode: number): Promise<void> {
  await makeFolder(dirname(path));
  await replaceFile(path, content, { mode });
}

/**
 * Waits until the daemon is ready. Throws `CommandFailure` if it fails, starts again and again, or takes longer than the
 * limit.
 */
export async function untilReady(
  url: string,
  supervisor: Supervisor,
  { clock, fetch }: Pick<ServiceContext, 'clock' | 'fetch'>,
  limitMs = START_LIMIT_MS,
): Promise<void> {
  const logs = commandLine('logs', supervisor.layout.scope);
  const processes = new Set<number>();
  for (const deadlineMs = clock.monotonicMs() + limitMs; clock.monotonicMs() < deadlineMs; await sleep(POLL_MS)) {
    const { isReady } = await probeDaemon(fetch, url);
    const { activity, pid } = await supervisor.state();
    if (isReady && activity !== 'failed') return;
    if (pid !== undefined) processes.add(pid);
    if (activity === 'failed' || processes.size > MAX_STARTS)
      throw new CommandFailure(EXIT.failed, `svc did not start. See ${logs}.`);
  }
  throw new CommandFailure(EXIT.unreachable, `svc does not answer at ${url} yet. See ${logs}.`);
}
