import { AppError } from '../../contract/errors.ts';

/** Limits how many searches of one tenant run at once, however many it sends, so that the others find readers free. */
export interface SearchLimiter {
  /** Runs `work` once the tenant has a slot; its own searches wait in order. Throws `unavailable` if too many wait. */
  run<T>(tenantId: string, work: () => Promise<T>): Promise<T>;
  waiting(): number;
}

/** Per tenant. */
const MAX_WAITING = 2000;

interface Line {
  active: number;
  waiting: (() => void)[];
}

/** Lets each tenant run searches on half of `readerCount` readers, at least on one. */
export function createSearchLimiter(readerCount: number): SearchLimiter {
  const maxActive = Math.max(1, Math.floor(readerCount / 2));
  const lines = new Map<string, Line>();

  async function acquire(tenantId: string): Promise<Line> {
    const line = lines.get(tenantId) ?? { active: 0, waiting: [] };
    lines.set(tenantId, line);
    if (line.active < maxActive) line.active += 1;
    else if (line.waiting.length < MAX_WAITING) await new Promise<void>((resolve) => line.waiting.push(resolve));
    else {
      const message = 'Too many searches of this account are waiting. Try again in a moment.';
      throw new AppError('unavailable', message, { retryAfterSeconds: 1 });
    }
    return line;
  }

  return {
    async run(tenantId, work) {
      const line = await acquire(tenantId);
      try {
        return await work();
      } finally {
        // The slot passes to the next search without becoming free, so that no later one overtakes it.
        const next = line.waiting.shift();
        if (next) next();
        else line.active -= 1;
        if (line.active === 0) lines.delete(tenantId);
      }
    },
    waiting: () => [...lines.values()].reduce((sum, { waiting }) => sum + waiting.length, 0),
  };
}
