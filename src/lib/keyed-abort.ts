/** Work under a name, which can be broken off from elsewhere by that name. */
export interface KeyedAborts {
  /** Does work; where it is broken off, it fails with the reason. */
  run<T>(name: string, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Breaks off all that goes on under this name now. */
  abort(name: string, reason: Error): void;
}

/** Any number of things may go on under one name. */
export function createKeyedAborts(): KeyedAborts {
  const goingOn = new Map<string, Set<AbortController>>();
  return {
    async run(name, work) {
      const controller = new AbortController();
      const all = goingOn.get(name) ?? new Set();
      goingOn.set(name, all.add(controller));
      try {
        return await work(controller.signal);
      } catch (error) {
        throw controller.signal.aborted ? controller.signal.reason : error;
      } finally {
        all.delete(controller);
        if (all.size === 0) goingOn.delete(name);
      }
    },
    abort(name, reason) {
      for (const controller of goingOn.get(name) ?? []) controller.abort(reason);
    },
  };
}
