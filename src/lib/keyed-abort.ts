/** Runs work under a key, so that other code can abort it by that key. */
export interface KeyedAborts {
  /** Runs `work`; if its key is aborted meanwhile, rejects with the reason of the abort. */
  run<T>(key: string, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Aborts everything that is running under this key now. */
  abort(key: string, reason: Error): void;
}

/** Any amount of work may run under one key at the same time. */
export function createKeyedAborts(): KeyedAborts {
  const running = new Map<string, Set<AbortController>>();
  return {
    async run(key, work) {
      const controller = new AbortController();
      const controllers = running.get(key) ?? new Set();
      running.set(key, controllers.add(controller));
      try {
        return await work(controller.signal);
      } catch (error) {
        throw controller.signal.aborted ? controller.signal.reason : error;
      } finally {
        controllers.delete(controller);
        if (controllers.size === 0) running.delete(key);
      }
    },
    abort(key, reason) {
      for (const controller of running.get(key) ?? []) controller.abort(reason);
    },
  };
}
