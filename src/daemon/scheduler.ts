import type { Leases } from '../features/leases/leases.ts';
import type { Log } from '../lib/log.ts';

/** A periodic background task. */
export interface BackgroundTask {
  name: string;
  everyMs: number;
  /**
   * `one`: only one daemon at a time runs the task, under a lease. Two must still be harmless, because a lease can expire
   * while the task runs.
   */
  by: 'one' | 'each';
  run(): Promise<void>;
}

interface Parts {
  leases: Leases;
  log: Log;
  /** No task runs on a wrong clock: it would erase memories that have not expired, and hold leases for too long. */
  hasRightClock: () => Promise<boolean>;
}

/** Runs each task on its own timer until `stop`, never twice at once. A failure is logged; the task runs again next time. */
export function startScheduler(
  tasks: readonly BackgroundTask[],
  { leases, log, hasRightClock }: Parts,
): { stop(): Promise<void> } {
  const running = new Set<Promise<void>>();
  async function runOnce({ name, by, run }: BackgroundTask): Promise<void> {
    if (!(await hasRightClock())) return;
    // The names of leases and of the log field are public: both still say `chore`.
    if (by === 'one') await leases.hold(`chore: ${name}`, run);
    else await run();
  }
  const timers = tasks.map((task) => {
    let busy = false;
    const timer = setInterval(() => {
      if (busy) return;
      busy = true;
      const run = runOnce(task)
        .catch((error) => log.warn({ error, chore: task.name }, 'background task failed'))
        .finally(() => {
          busy = false;
          running.delete(run);
        });
      running.add(run);
    }, task.everyMs);
    return timer.unref();
  });
  return {
    async stop() {
      for (const timer of timers) clearInterval(timer);
      await Promise.all(running);
    },
  };
}
