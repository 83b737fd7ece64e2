import { parseTimestamp, toDate } from '../../lib/clock.ts';

/** The count between two instants; `toMs` is exclusive. */
export interface Bucket {
  fromMs: number;
  toMs: number;
  count: number;
}

type Unit = 'day' | 'month' | 'year';

const DAY_MS = 86_400_000;

/**
 * Returns the buckets of a histogram from the first day with a count to the last, with those between that have none.
 * Neighbors are merged until at most `most` are left. Days are UTC, `YYYY-MM-DD`, oldest first.
 */
export function bucketsOf(counts: readonly { day: string; count: number }[], unit: Unit, most: number): Bucket[] {
  const starts = counts.map(({ day, count }) => ({ fromMs: parseTimestamp(`${day}T00:00:00Z`) ?? 0, count }));
  const first = starts[0];
  const last = starts.at(-1);
  if (!first || !last) return [];
  const counted = new Map(starts.map(({ fromMs, count }) => [fromMs, count]));
  const buckets: Bucket[] = [];
  for (let fromMs = first.fromMs; fromMs <= last.fromMs; ) {
    const toMs = nextStart(fromMs, unit);
    buckets.push({ fromMs, toMs, count: counted.get(fromMs) ?? 0 });
    fromMs = toMs;
  }
  return merged(buckets, Math.ceil(buckets.length / most));
}

function nextStart(fromMs: number, unit: Unit): number {
  if (unit === 'day') return fromMs + DAY_MS;
  const day = toDate(fromMs);
  return unit === 'month' ? day.setUTCMonth(day.getUTCMonth() + 1) : day.setUTCFullYear(day.getUTCFullYear() + 1);
}

function merged(buckets: readonly Bucket[], size: number): Bucket[] {
  if (size <= 1) return [...buckets];
  const result: Bucket[] = [];
  for (let start = 0; start < buckets.length; start += size) {
    const group = buckets.slice(start, start + size);
    const count = group.reduce((sum, bucket) => sum + bucket.count, 0);
    result.push({ fromMs: group[0]!.fromMs, toMs: group.at(-1)!.toMs, count });
  }
  return result;
}

/** The first and the last bucket that a time range touches; undefined if it touches none. An absent bound is open. */
export function bucketRange(
  buckets: readonly Bucket[],
  { fromMs = Number.NEGATIVE_INFINITY, toMs = Number.POSITIVE_INFINITY }: { fromMs?: number; toMs?: number },
): readonly [first: number, last: number] | undefined {
  const first = buckets.findIndex((bucket) => bucket.toMs > fromMs);
  const last = buckets.findLastIndex((bucket) => bucket.fromMs < toMs);
  return first === -1 || last < first ? undefined : [first, last];
}
