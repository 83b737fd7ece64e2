import type { MetricObjectWithValues, MetricValueWithName } from 'prom-client';

/** How long requests of a route took since the daemon started. */
export interface RouteLatency {
  method: string;
  route: string;
  count: number;
  p50Ms: number;
  p95Ms: number;
}

/** Estimates the latencies of routes from the buckets of a histogram, in seconds, the most frequent first. */
export function latenciesIn({ values }: MetricObjectWithValues<MetricValueWithName<string>>): RouteLatency[] {
  const routes = new Map<string, { method: string; route: string; counts: Map<number, number> }>();
  for (const { labels, value, metricName } of values) {
    if (!metricName?.endsWith('_bucket')) continue;
    const { method, route } = labels as { method: string; route: string };
    const found = routes.get(`${method} ${route}`) ?? { method, route, counts: new Map<number, number>() };
    routes.set(`${method} ${route}`, found);
    const bound = labels.le === '+Inf' ? Number.POSITIVE_INFINITY : Number(labels.le);
    found.counts.set(bound, (found.counts.get(bound) ?? 0) + value);
  }
  return [...routes.values()]
    .map(({ method, route, counts }) => {
      const buckets = [...counts].sort(([a], [b]) => a - b);
      const count = buckets.at(-1)?.[1] ?? 0;
      return { method, route, count, p50Ms: quantileMs(buckets, count, 0.5), p95Ms: quantileMs(buckets, count, 0.95) };
    })
    .sort((a, b) => b.count - a.count);
}

/** Interpolates inside the bucket that holds the quantile; the last bucket has no upper bound and counts as its lower one. */
function quantileMs(buckets: readonly [bound: number, upTo: number][], count: number, quantile: number): number {
  const rank = count * quantile;
  const index = buckets.findIndex(([, upTo]) => upTo >= rank);
  const [lower, before] = buckets[index - 1] ?? [0, 0];
  const [upper, upTo] = buckets[index] ?? [0, 0];
  const seconds =
    upper === Number.POSITIVE_INFINITY ? lower : lower + ((rank - before) / (upTo - before)) * (upper - lower);
  return Math.round(seconds * 10_000) / 10;
}
