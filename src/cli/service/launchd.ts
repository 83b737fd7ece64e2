import { setTimeout as sleep } from 'node:timers/promises';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import { renderLaunchdPlist } from './launchd-plist.ts';
import { launchdLabel, type ServiceLayout } from './layout.ts';
import type { RunProgram } from './run-program.ts';
import { requireSuccess, type Supervisor } from './supervisor.ts';

/** The daemon stops within 25 seconds. */
const STOP_LIMIT_MS = 40_000;
const POLL_MS = 200;

/** The service as an agent of macOS' launchd. */
export function createLaunchd(layout: ServiceLayout, run: RunProgram, uid: number): Supervisor {
  const domain = `gui/${uid}`;
  const label = launchdLabel(layout.name);
  const target = `${domain}/${label}`;
  const logFile = layout.logFile ?? '';
  const isLoaded = async () => (await run('launchctl', ['print', target])).code === 0;

  /** launchd refuses to load an agent while its former instance still stops. */
  async function unload(): Promise<void> {
    if (!(await isLoaded())) return;
    await run('launchctl', ['bootout', target]);
    for (let waitedMs = 0; await isLoaded(); waitedMs += POLL_MS) {
      if (waitedMs > STOP_LIMIT_MS) throw new CommandFailure(EXIT.failed, `launchd does not stop ${label}.`);
      await sleep(POLL_MS);
    }
  }

  return {
    title: `launchd agent ${label}`,
    layout,
    log: { file: logFile },
    async render({ program, dataDir, words = ['serve', '--env-file', layout.environmentFile], environment = {} }) {
      return renderLaunchdPlist({
        label,
        command: [...program, ...words],
        workingFolder: dataDir,
        environment,
        errorFile: logFile.replace(/\.log$/, '.err'),
      });
    },
    async assertAvailable() {
      requireSuccess('launchctl', await run('launchctl', ['print', domain]));
    },
    async state() {
      const { code, out } = await run('launchctl', ['print', target]);
      if (code !== 0) return { isInstalled: false };
      const isRunning = /^\s*state = running$/m.test(out);
      const pid = /^\s*pid = (\d+)$/m.exec(out)?.[1];
      return {
        isInstalled: true,
        activity: isRunning ? 'running' : 'stopped',
        ...(pid !== undefined && { pid: Number(pid) }),
      };
    },
    async start() {
      await unload();
      await run('launchctl', ['enable', target]);
      requireSuccess('launchctl bootstrap', await run('launchctl', ['bootstrap', domain, layout.unitFile]));
    },
    stop: unload,
    remove: unload,
    forget: async () => {},
    bootAdvice: async () => 'It runs while you are logged in.',
  };
}
