/** The middle value, or the mean of the two middle values. */
export function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? Number.NaN;
  return Number.isInteger(middle) ? (sorted[middle - 1]! + upper) / 2 : upper;
}

/** Nearest-rank quantile; `share` is between 0 and 1. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** Latency percentiles in milliseconds. */
export interface Latencies {
  p50: number;
  p95: number;
  p99: number;
}

export function latenciesOf(values: readonly number[]): Latencies {
  return { p50: quantile(values, 0.5), p95: quantile(values, 0.95), p99: quantile(values, 0.99) };
}

/** The median of each property over several rounds. */
export function medianOf<T extends object>(rounds: readonly T[]): T {
  const names = Object.keys(rounds[0] ?? {}) as (keyof T)[];
  return Object.fromEntries(names.map((name) => [name, median(rounds.map((round) => Number(round[name])))])) as T;
}
