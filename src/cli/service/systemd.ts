import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import type { ServiceLayout } from './layout.ts';
import type { RunProgram } from './run-program.ts';
import { requireSuccess, type ServiceState, type Supervisor } from './supervisor.ts';
import { renderSystemdUnit, SERVICE_USER, SYSTEM_DATA_DIR } from './systemd-unit.ts';

/** The service as a unit of systemd. */
export function createSystemd(layout: ServiceLayout, run: RunProgram, uid: number): Supervisor {
  const { scope, name } = layout;
  const unit = `${name}.service`;
  const ofScope = scope === 'user' ? ['--user'] : [];
  const systemctl = async (...words: string[]) =>
    requireSuccess(`systemctl ${words.join(' ')}`, await run('systemctl', [...ofScope, ...words]));

  return {
    title: `systemd ${scope} unit ${unit}`,
    layout,
    log: {
      command: 'journalctl',
      args: (lines, follow) => [
        ...ofScope,
        `--unit=${unit}`,
        '--output=cat',
        '--no-pager',
        `--lines=${lines}`,
        ...(follow ? ['--follow'] : []),
      ],
    },
    async render({ program, dataDir, writable, words, environment = {} }) {
      const { out } = await run('systemctl', ['--version']);
      const systemdVersion = Number(/^systemd (\d+)/.exec(out)?.[1] ?? 0);
      const command = [...program, ...(words ?? ['serve'])];
      const files = words ? {} : { environmentFile: layout.environmentFile };
      return renderSystemdUnit({ scope, command, dataDir, ...files, environment, writable, systemdVersion });
    },
    async assertAvailable() {
      const { code, error } = await run('systemctl', [...ofScope, 'show', '--property=Version']);
      if (code === 0) return;
      const cause = code === 127 ? 'systemctl is not installed' : error.split('\n')[0]!.replace(/\.$/, '');
      const advice =
        scope === 'user'
          ? 'Sign in as this user rather than with su or sudo; in a container, run svc serve instead.'
          : 'In a container, run svc serve instead.';
      throw new CommandFailure(EXIT.failed, `systemd does not run here: ${cause}. ${advice}`);
    },
    async state() {
      const properties = '--property=LoadState,ActiveState,MainPID,FragmentPath';
      return parseState(await systemctl('show', unit, properties), layout.unitFile);
    },
    async start() {
      if (scope === 'system') await createUser(run);
      await systemctl('daemon-reload');
      await systemctl('enable', unit);
      await systemctl('restart', unit);
    },
    stop: async () => void (await systemctl('stop', unit)),
    async remove() {
      await systemctl('disable', '--now', unit);
      await run('systemctl', [...ofScope, 'reset-failed', unit]);
    },
    forget: async () => void (await systemctl('daemon-reload')),
    async bootAdvice() {
      if (scope === 'system') return undefined;
      const { out } = await run('loginctl', ['show-user', String(uid), '--property=Linger', '--value']);
      if (out.trim() === 'yes') return undefined;
      return 'It runs while you are logged in. To start it at boot and keep it running: loginctl enable-linger';
    },
  };
}

/** Parses `systemctl show`. */
function parseState(text: string, unitFile: string): ServiceState {
  const facts = new Map(text.split('\n').map((line) => [line.split('=', 1)[0], line.slice(line.indexOf('=') + 1)]));
  const foreignUnit = facts.get('FragmentPath') ?? '';
  const isForeign = foreignUnit !== '' && foreignUnit !== unitFile;
  const pid = Number(facts.get('MainPID') ?? 0);
  return {
    isInstalled: facts.get('LoadState') === 'loaded',
    activity: ACTIVITIES[facts.get('ActiveState') ?? ''] ?? 'stopped',
    ...(pid > 0 && { pid }),
    ...(isForeign && { foreignUnit }),
  };
}

const ACTIVITIES: Record<string, NonNullable<ServiceState['activity']>> = {
  active: 'running',
  reloading: 'running',
  activating: 'starting',
  failed: 'failed',
};

/** Creates the user of the system's service. */
async function createUser(run: RunProgram): Promise<void> {
  if ((await run('id', [SERVICE_USER])).code === 0) return;
  const words = ['--system', '--user-group', '--home-dir', SYSTEM_DATA_DIR, '--no-create-home'];
  const shell = ['--shell', '/usr/sbin/nologin'];
  requireSuccess('useradd', await run('useradd', [...words, ...shell, SERVICE_USER]));
}
