const MAX_WAIT_MS = 3_600_000;
const UNIT_MS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses a `retry-after` header, seconds or an HTTP date; one hour at most. */
export function readRetryAfter(text: string | null, nowMs: number): number | undefined {
  if (text === null || text.trim() === '') return undefined;
  return clampWait(/^[\d.]+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs);
}

/**
 * How long a provider asks to wait: `retry-after-ms`, `retry-after`, or the latest reset of an exhausted rate limit, or
 * of any if none is exhausted.
 */
export function retryAfterOf(headers: Headers, nowMs: number): number | undefined {
  const exactMs = headers.get('retry-after-ms')?.trim();
  const waitMs = exactMs ? clampWait(Number(exactMs)) : undefined;
  return waitMs ?? readRetryAfter(headers.get('retry-after'), nowMs) ?? longestReset(headers, nowMs);
}

function longestReset(headers: Headers, nowMs: number): number | undefined {
  const resets = [...headers].filter(([name]) => /ratelimit.*-reset/.test(name));
  const usedUp = resets.filter(([name]) => headers.get(name.replace('-reset', '-remaining')) === '0');
  const waits = (usedUp.length > 0 ? usedUp : resets).map(([, text]) => clampWait(resetMs(text, nowMs)));
  const known = waits.filter((wait) => wait !== undefined);
  return known.length > 0 ? Math.max(...known) : undefined;
}

/** Parses OpenAI's `6m0s` and `20ms`, Anthropic's timestamps and OpenRouter's epoch milliseconds. */
function resetMs(text: string, nowMs: number): number {
  if (/^[\d.]+$/.test(text)) {
    const number = Number(text);
    if (number > 1e12) return number - nowMs;
    return number > 1e9 ? number * 1000 - nowMs : number * 1000;
  }
  return readDuration(text) ?? Date.parse(text) - nowMs;
}

/** Parses a duration such as `1h2m3.5s` to milliseconds. */
export function readDuration(text: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?(?:ms|[smhd]))+$/.test(text)) return undefined;
  let totalMs = 0;
  for (const [, number, unit] of text.matchAll(/([\d.]+)(ms|[smhd])/g)) totalMs += Number(number) * UNIT_MS[unit!]!;
  return totalMs;
}

/** Clamps a wait to between zero and one hour; `undefined` for NaN. */
export function clampWait(waitMs: number): number | undefined {
  return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(Math.ceil(waitMs), 0), MAX_WAIT_MS);
}
