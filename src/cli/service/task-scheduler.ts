import type { Environment } from '../settings.ts';
import type { ServiceLayout } from './layout.ts';
import type { RunProgram } from './run-program.ts';
import { renderScheduledTask } from './scheduled-task.ts';
import { requireSuccess, type Supervisor } from './supervisor.ts';

/** The service as a task of Windows' Task Scheduler. */
export function createTaskScheduler(
  layout: ServiceLayout,
  run: RunProgram,
  { env }: Pick<Environment, 'env'>,
): Supervisor {
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
