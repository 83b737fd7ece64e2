import type { Leases } from '../features/leases/leases.ts';
import type { Log } from '../lib/log.ts';

/** A periodic background task. */
export interface Chore {
  name: string;
  everyMs: number;
  /**
   * `one`: of several daemons, one at a time runs it. It must be harmless all the same if two do, because a lease can end
   * while it runs.
   */
  by: 'one' | 'each';
  run(): Promise<void>;
}

interface Parts {
  leases: Leases;
  log: Log;
  /** With a wrong clock no chore runs: it would erase what has not expired, and hold leases for longer than it lives. */
  hasRightClock: () => Promise<boolean>;
}

/** Runs each chore on its own timer until `stop`, never twice at once. A failed chore is logged and runs again next time. */
export function startHousekeeping(
  chores: readonly Chore[],
  { leases, log, hasRightClock }: Parts,
): { stop(): Promise<void> } {
  const running = new Set<Promise<void>>();
  async function runOnce({ name, by, run }: Chore): Promise<void> {
    if (!(await hasRightClock())) return;
    if (by === 'one') await leases.hold(`chore: ${name}`, run);
    else await run();
  }
  const timers = chores.map((chore) => {
    let busy = false;
    const timer = setInterval(() => {
      if (busy) return;
      busy = true;
      const run = runOnce(chore)
        .catch((error) => log.warn({ error, chore: chore.name }, 'chore failed'))
        .finally(() => {
          busy = false;
          running.delete(run);
        });
      running.add(run);
    }, chore.everyMs);
    return timer.unref();
  });
  return {
    async stop() {
      for (const timer of timers) clearInterval(timer);
      await Promise.all(running);
    },
  };
}
