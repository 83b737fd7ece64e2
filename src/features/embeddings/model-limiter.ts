/** Work on many models at once, in turns. */
export interface ModelLimiter {
  /** Takes a model up as soon as there is room; one that waits or is under way already is not taken twice. */
  add(model: number): void;
  /** Once nothing waits and nothing is under way. */
  settled(): Promise<void>;
  /** Takes up nothing more; what is under way ends by itself. */
  close(): void;
}

interface Parts {
  /** One step; never rejects. `more`: it goes on behind the others. */
  work(model: number): Promise<'more' | 'done'>;
  isFailing(model: number): boolean;
}

const MAX_RUNNING = 12;
/** Those that failed last are asked beside the others, never before them: some hang until they are given up. */
const MAX_FAILING_RUNNING = 4;

/** Twelve at once, and four of those that failed last. */
export function createModelLimiter({ work, isFailing }: Parts): ModelLimiter {
  const healthy = { atOnce: MAX_RUNNING, busy: 0, waiting: new Set<number>() };
  const failing = { atOnce: MAX_FAILING_RUNNING, busy: 0, waiting: new Set<number>() };
  const running = new Map<number, Promise<void>>();
  let closed = false;

  function add(model: number): void {
    if (closed || running.has(model) || healthy.waiting.has(model) || failing.waiting.has(model)) return;
    const pool = isFailing(model) ? failing : healthy;
    pool.waiting.add(model);
    start(pool);
  }

  function start(pool: typeof healthy): void {
    while (!closed && pool.busy < pool.atOnce && pool.waiting.size > 0) {
      const model = pool.waiting.values().next().value!;
      pool.waiting.delete(model);
      pool.busy += 1;
      const step = work(model).then((outcome) => {
        pool.busy -= 1;
        running.delete(model);
        if (outcome === 'more') add(model);
        start(pool);
      });
      running.set(model, step);
    }
  }

  return {
    add,
    async settled() {
      while (running.size > 0) await Promise.all(running.values());
    },
    close() {
      closed = true;
    },
  };
}
