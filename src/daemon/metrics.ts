import type { FastifyInstance } from 'fastify';
import {
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricValueWithName,
  Registry,
} from 'prom-client';
import { onAnswer } from './answered.ts';

/** Prometheus metrics. Labels contain route patterns, never addresses or ids. */
export interface Metrics {
  contentType: string;
  text(): Promise<string>;
  /** Records one group commit. */
  batch(jobs: number, ms: number): void;
  /** Registers a gauge that is read at each scrape; NaN if reading fails, so that the other metrics are still served. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void;
  /** How long requests took, by route, since the daemon started; the most frequent first. */
  latencies(): Promise<RouteLatency[]>;
  /** Measures every request of a server. */
  watch(app: FastifyInstance): void;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'svc_http_request_duration_seconds',
    help: 'HTTP request duration in seconds',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers: [registry],
  });
  const batches = new Histogram({
    name: 'svc_group_commit_writes',
    help: 'Writes per group commit',
    buckets: [1, 2, 4, 8, 16, 32, 64],
    registers: [registry],
  });
  const commits = new Histogram({
    name: 'svc_group_commit_duration_seconds',
    help: 'Group commit duration in seconds',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers: [registry],
  });
  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    batch(jobs, ms) {
      batches.observe(jobs);
      commits.observe(ms / 1000);
    },
    gauge(name, help, read) {
      new Gauge({
        name,
        help,
        registers: [registry],
        async collect() {
          this.set(
            await Promise.resolve()
              .then(read)
              .catch(() => Number.NaN),
          );
        },
      });
    },
    latencies: async () => latenciesIn(await requests.get()),
    watch(app) {
      onAnswer(app, ({ request, status, milliseconds }) => {
        const route = request.routeOptions.url ?? 'none';
        requests.observe({ method: request.method, route, status }, milliseconds / 1000);
      });
    },
  };
}

/** How long requests of a route took since the daemon started. */
interface RouteLatency {
  method: string;
  route: string;
  count: number;
  p50Ms: number;
  p95Ms: number;
}

/** Estimates the latencies of routes from the buckets of a histogram, in seconds, the most frequent first. */
function latenciesIn({ values }: MetricObjectWithValues<MetricValueWithName<string>>): RouteLatency[] {
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
