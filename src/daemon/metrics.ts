import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { onAnswer } from './answered.ts';
import { latenciesIn, type RouteLatency } from './latencies.ts';

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
