import type { Log } from '../lib/log.ts';

/** A periodic background task. */
export interface Chore {
  name: string;
  everyMs: number;
  run(): Promise<void>;
}

/** Runs each chore on its own timer until `stop`, never twice at once. A failed chore is logged and runs again next time. */
export function startHousekeeping(chores: readonly Chore[], log: Log): { stop(): Promise<void> } {
  const running = new Set<Promise<void>>();
  const timers = chores.map((chore) => {
    let busy = false;
    const timer = setInterval(() => {
      if (busy) return;
      busy = true;
      const run = chore
        .run()
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
