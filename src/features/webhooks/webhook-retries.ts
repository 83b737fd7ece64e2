const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Between the tries of a delivery, 71.5 hours together. */
const DELAYS_MS = [...[5000, 5 * MINUTE_MS, 30 * MINUTE_MS], ...[2, 5, 10, 14, 20, 20].map((hours) => hours * HOUR_MS)];
const GIVE_UP_MS = 72 * HOUR_MS;
/** The share of a delay that chance may take off, so that receivers that failed together are not tried together. */
const JITTER = 0.2;

/**
 * When to try a delivery again after so many failed `attempts`; `undefined` to give up. What waited for three days behind
 * deliveries that failed is tried once. `chance` is from 0 to 1.
 */
export function nextTryAt(
  { attempts, createdAt }: { attempts: number; createdAt: number },
  nowMs: number,
  chance: number,
): number | undefined {
  const delayMs = DELAYS_MS[attempts - 1];
  if (delayMs === undefined) return undefined;
  const at = nowMs + Math.round(delayMs * (1 - JITTER * chance));
  return at - createdAt > GIVE_UP_MS ? undefined : at;
}
