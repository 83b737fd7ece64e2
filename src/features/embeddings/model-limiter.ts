/** Concurrency limiter for work on many models, which take turns. */
export interface ModelLimiter {
  /** Queues a model, unless it is queued or running already. */
  add(model: number): void;
  /** Resolves when nothing is queued or running. */
  settled(): Promise<void>;
  /** Starts nothing more; running steps finish. */
  close(): void;
}

interface Parts {
  /** Runs one step; never rejects. `more`: the model goes to the back of the queue. */
  work(model: number): Promise<'more' | 'done'>;
  isFailing(model: number): boolean;
}

const MAX_RUNNING = 12;
/** Models whose last request failed run in a pool of their own, because some hang until they time out. */
const MAX_FAILING_RUNNING = 4;

/** Runs up to twelve healthy models at once, plus four failing ones. */
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
