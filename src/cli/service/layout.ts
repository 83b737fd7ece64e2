import { join } from 'node:path';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import type { Environment } from '../settings.ts';
import { SYSTEM_DATA_DIR } from './systemd-unit.ts';

export type Scope = 'user' | 'system';

/** Where the files of the service are. */
export interface ServiceLayout {
  scope: Scope;
  /** The name of the unit or task; `svc` for the daemon. */
  name: string;
  unitFile: string;
  environmentFile: string;
  /** The data folder, if no setting names another. */
  dataDir: string;
  /** The daemon's log; `undefined` where systemd's journal has it. */
  logFile: string | undefined;
}

/** The daemon's service. */
const DAEMON_SERVICE = 'svc';

/** Returns the name of a service in launchd. */
export function launchdLabel(name: string): string {
  return `io.github.svc-memory.${name}`;
}

/** Returns the layout on a platform; `folders` are the user's own. Throws `CommandFailure` for an unknown platform. */
export function serviceLayout(
  scope: Scope,
  { platform, home, env }: Pick<Environment, 'platform' | 'home' | 'env'>,
  folders: { config: string; data: string },
  name = DAEMON_SERVICE,
): ServiceLayout {
  const own = { scope, name, environmentFile: join(folders.config, 'service.env'), dataDir: folders.data };
  if (platform === 'linux' && scope === 'system') {
    const unitFile = '/etc/systemd/system/svc.service';
    return { scope, name, unitFile, environmentFile: '/etc/svc/svc.env', dataDir: SYSTEM_DATA_DIR, logFile: undefined };
  }
  if (scope === 'system') throw new CommandFailure(EXIT.usage, '--system needs systemd, which only Linux has.');
  if (platform === 'linux') {
    const units = join(env.XDG_CONFIG_HOME || join(home, '.config'), 'systemd', 'user');
    return { ...own, unitFile: join(units, `${name}.service`), logFile: undefined };
  }
  if (platform === 'darwin') {
    const library = join(home, 'Library');
    const unitFile = join(library, 'LaunchAgents', `${launchdLabel(name)}.plist`);
    return { ...own, unitFile, logFile: join(library, 'Logs', 'svc', `${name}.log`) };
  }
  if (platform === 'win32') {
    const local = env.LOCALAPPDATA || join(home, 'AppData', 'Local');
    const unitFile = join(folders.config, name === DAEMON_SERVICE ? 'service.xml' : `${name}.xml`);
    return { ...own, unitFile, logFile: join(local, 'svc', 'Log', `${name}.log`) };
  }
  const advice = 'Run svc serve under its service supervisor instead.';
  throw new CommandFailure(EXIT.failed, `svc service does not know ${platform}. ${advice}`);
}
