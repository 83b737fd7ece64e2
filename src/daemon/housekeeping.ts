import type { Log } from '../lib/log.ts';

/** Something that is done every now and then, beside the requests. */
export interface Chore {
  name: string;
  everyMs: number;
  run(): Promise<void>;
}

/** Runs chores on their own timers until `stop`, never one twice at once. A failure is logged and tried again. */
export function startHousekeeping(chores: readonly Chore[], log: Log): { stop(): Promise<void> } {
  const running = new Set<Promise<void>>();
  const timers = chores.map((chore) => {
    let busy = false;
    const timer = setInterval(() => {
      if (busy) return;
      busy = true;
      const run = chore
        .run()
        .catch((error) => log.warn({ error, chore: chore.name }, 'a chore failed'))
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
