import envPaths from 'env-paths';
import type { Fetch } from '../../client/client.ts';
import type { Program } from '../assistants/bridge-command.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import { createHttpFetch } from '../http-fetch.ts';
import { createLaunchd } from './launchd.ts';
import { type Scope, serviceLayout } from './layout.ts';
import { createRunProgram, type RunProgram } from './run-program.ts';
import type { Supervisor } from './supervisor.ts';
import { createSystemd } from './systemd.ts';
import { createTaskScheduler } from './task-scheduler.ts';

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
export function chosenScope({ system }: { system?: true }, { uid, environment }: ServiceContext): Scope {
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
