import envPaths from 'env-paths';
import type { Fetch } from '../../client/client.ts';
import type { Program } from '../assistants/bridge-command.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import { createHttpFetch } from '../http-fetch.ts';
import type { Environment } from '../settings.ts';
import { createLaunchd } from './launchd.ts';
import { type Scope, type ServiceLayout, serviceLayout } from './layout.ts';
import { createRunProgram, type RunProgram } from './run-program.ts';
import { renderScheduledTask } from './scheduled-task.ts';
import { requireSuccess, type Supervisor } from './supervisor.ts';
import { createSystemd } from './systemd.ts';

/** Dependencies of `svc service`. */
export interface ServiceContext extends CommandContext {
  /** This svc. */
  program: Program;
  run: RunProgram;
  fetch: Fetch;
  /** `undefined` on Windows. */
  uid: number | undefined;
  /** The folder of the daemon's data, if no setting names another. */
  dataFolder: string;
}

/** Creates the context of this process. */
export function openServiceContext(context: CommandContext, program: Program): ServiceContext {
  return {
    ...context,
    program,
    run: createRunProgram(context.environment),
    fetch: createHttpFetch(),
    uid: process.getuid?.(),
    dataFolder: envPaths('svc', { suffix: '' }).data,
  };
}

/** Opens the service supervisor of this machine. Throws `CommandFailure` if svc knows none. */
export function openSupervisor(scope: Scope, context: ServiceContext, name?: string): Supervisor {
  const { environment, settingsFolder, dataFolder, run, uid = 0 } = context;
  const layout = serviceLayout(scope, environment, { config: settingsFolder, data: dataFolder }, name);
  if (environment.platform === 'darwin') return createLaunchd(layout, run, uid);
  if (environment.platform === 'win32') return createTaskScheduler(layout, run, environment);
  return createSystemd(layout, run, uid);
}

/** The service that is meant: root's is the system's. */
export function chosenScope(
  { system }: { system?: true },
  { uid, environment }: Pick<ServiceContext, 'uid' | 'environment'>,
): Scope {
  return system || (uid === 0 && environment.platform === 'linux') ? 'system' : 'user';
}

/** Throws `CommandFailure` unless this user may change the service: root the system's, anybody else their own. */
export function requireOwner(scope: Scope, { uid }: ServiceContext, command: string): void {
  if (scope === 'system' && uid !== 0) {
    throw new CommandFailure(
      EXIT.failed,
      `Only root can change the system's services. Run sudo svc ${command} --system`,
    );
  }
  if (scope === 'user' && uid === 0) {
    const advice = 'With --system it runs as the user svc.';
    throw new CommandFailure(EXIT.usage, `You are root, and so would be the service. ${advice}`);
  }
}

/** The service as a task of Windows' Task Scheduler. */
function createTaskScheduler(layout: ServiceLayout, run: RunProgram, { env }: Pick<Environment, 'env'>): Supervisor {
  const task = layout.name;
  const schtasks = (...words: string[]) => run('schtasks.exe', words);
  return {
    title: `scheduled task ${task}`,
    layout,
    log: { file: layout.logFile ?? '' },
    async render({ program, dataDir, words = ['serve', '--env-file', layout.environmentFile] }) {
      const user = [env.USERDOMAIN, env.USERNAME].filter(Boolean).join('\\');
      const text = renderScheduledTask({ user, command: [...program, ...words], workingFolder: dataDir });
      return Buffer.from(`\ufeff${text}`, 'utf16le');
    },
    async assertAvailable() {},
    // The status that schtasks prints is in the language of the system.
    state: async () => ({ isInstalled: (await schtasks('/Query', '/TN', task)).code === 0 }),
    async start() {
      const create = await schtasks('/Create', '/TN', task, '/XML', layout.unitFile, '/F');
      requireSuccess('schtasks /Create', create);
      await schtasks('/End', '/TN', task);
      requireSuccess('schtasks /Run', await schtasks('/Run', '/TN', task));
    },
    stop: async () => void (await schtasks('/End', '/TN', task)),
    async remove() {
      await schtasks('/End', '/TN', task);
      requireSuccess('schtasks /Delete', await schtasks('/Delete', '/TN', task, '/F'));
    },
    forget: async () => {},
    bootAdvice: async () => 'It runs while you are logged in.',
  };
}
