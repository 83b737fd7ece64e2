import type { Environment } from '../settings.ts';
import type { ServiceLayout } from './layout.ts';
import type { RunProgram } from './run-program.ts';
import { renderScheduledTask } from './scheduled-task.ts';
import { requireSuccess, type Supervisor } from './supervisor.ts';

const TASK = 'svc';

/** The service as a task of Windows' Task Scheduler. */
export function createTaskScheduler(
  layout: ServiceLayout,
  run: RunProgram,
  { env }: Pick<Environment, 'env'>,
): Supervisor {
  const schtasks = (...words: string[]) => run('schtasks.exe', words);
  return {
    title: `scheduled task ${TASK}`,
    layout,
    log: { file: layout.logFile ?? '' },
    async render({ program, dataDir }) {
      const user = [env.USERDOMAIN, env.USERNAME].filter(Boolean).join('\\');
      const command = [...program, 'serve', '--env-file', layout.environmentFile];
      const task = renderScheduledTask({ user, command, workingFolder: dataDir });
      return Buffer.from(`\ufeff${task}`, 'utf16le');
    },
    async assertAvailable() {},
    // The status that schtasks prints is in the language of the system.
    state: async () => ({ isInstalled: (await schtasks('/Query', '/TN', TASK)).code === 0 }),
    async start() {
      const create = await schtasks('/Create', '/TN', TASK, '/XML', layout.unitFile, '/F');
      requireSuccess('schtasks /Create', create);
      await schtasks('/End', '/TN', TASK);
      requireSuccess('schtasks /Run', await schtasks('/Run', '/TN', TASK));
    },
    async remove() {
      await schtasks('/End', '/TN', TASK);
      requireSuccess('schtasks /Delete', await schtasks('/Delete', '/TN', TASK, '/F'));
    },
    forget: async () => {},
    bootAdvice: async () => 'It runs while you are logged in.',
  };
}
