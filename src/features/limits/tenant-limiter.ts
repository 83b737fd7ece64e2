import { AppError } from '../../contract/errors.ts';

/** Limits how much work of one tenant runs at once, however much it asks for, so that the others find readers free. */
export interface TenantLimiter {
  /** Runs `work` once the tenant has a slot; its own work waits in order. Throws `unavailable` if too much waits. */
  run<T>(tenantId: string, work: () => Promise<T>): Promise<T>;
  waiting(): number;
}

interface Line {
  active: number;
  waiting: (() => void)[];
}

/** `maxActive` and `maxWaiting` are per tenant; `of` names the work in messages, in the plural. */
export function createTenantLimiter({
  maxActive,
  maxWaiting,
  of,
}: {
  maxActive: number;
  maxWaiting: number;
  of: string;
}): TenantLimiter {
  const lines = new Map<string, Line>();

  async function acquire(tenantId: string): Promise<Line> {
    const line = lines.get(tenantId) ?? { active: 0, waiting: [] };
    lines.set(tenantId, line);
    if (line.active < maxActive) line.active += 1;
    else if (line.waiting.length < maxWaiting) await new Promise<void>((resolve) => line.waiting.push(resolve));
    else {
      const message = `Too many ${of} of this account are waiting. Try again in a moment.`;
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
        // The slot passes to the next in line without becoming free, so that nothing later overtakes it.
        const next = line.waiting.shift();
        if (next) next();
        else line.active -= 1;
        if (line.active === 0) lines.delete(tenantId);
      }
    },
    waiting: () => [...lines.values()].reduce((sum, { waiting }) => sum + waiting.length, 0),
  };
}
