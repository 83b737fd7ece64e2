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

const AT_ONCE = 12;
/** Those that failed last are asked beside the others, never before them: some hang until they are given up. */
const FAILING_AT_ONCE = 4;

/** Twelve at once, and four of those that failed last. */
export function createModelLimiter({ work, isFailing }: Parts): ModelLimiter {
  const sound = { atOnce: AT_ONCE, busy: 0, waiting: new Set<number>() };
  const failing = { atOnce: FAILING_AT_ONCE, busy: 0, waiting: new Set<number>() };
  const underWay = new Map<number, Promise<void>>();
  let closed = false;

  function add(model: number): void {
    if (closed || underWay.has(model) || sound.waiting.has(model) || failing.waiting.has(model)) return;
    const lane = isFailing(model) ? failing : sound;
    lane.waiting.add(model);
    start(lane);
  }

  function start(lane: typeof sound): void {
    while (!closed && lane.busy < lane.atOnce && lane.waiting.size > 0) {
      const model = lane.waiting.values().next().value!;
      lane.waiting.delete(model);
      lane.busy += 1;
      const step = work(model).then((outcome) => {
        lane.busy -= 1;
        underWay.delete(model);
        if (outcome === 'more') add(model);
        start(lane);
      });
      underWay.set(model, step);
    }
  }

  return {
    add,
    async settled() {
      while (underWay.size > 0) await Promise.all(underWay.values());
    },
    close() {
      closed = true;
    },
  };
}
