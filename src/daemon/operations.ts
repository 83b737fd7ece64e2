import { statfs } from 'node:fs/promises';
import { isIP } from 'node:net';
import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify';
import { AppError } from '../contract/errors.ts';
import type { Database } from '../db/open.ts';
import type { Clock } from '../lib/clock.ts';
import { equalSecrets } from '../lib/secret.ts';
import type { Metrics } from './metrics.ts';

/** Below this much free space the daemon calls itself not ready. */
const MIN_FREE_BYTES = 64 * 1024 * 1024;
/** A probe that comes sooner gets the last answer: readiness writes to the disk. */
const FRESH_MS = 1000;

type Checks = Record<'accepting' | 'database' | 'disk', string>;

interface Parts {
  db: Database;
  clock: Clock;
  dataDir: string;
  /** Absent where none is set. */
  embedder: (() => 'ok' | 'failing') | undefined;
}

/**
 * Whether the daemon can do its work: not stopping, database writable and current, disk not full. How the embedder does
 * is told beside: without it everything goes on.
 */
export interface Readiness {
  check(): Promise<{ ready: boolean; checks: Checks; embedder?: 'ok' | 'failing' }>;
  /** From now on not ready: the daemon is about to stop. */
  stop(): void;
}

export function createReadiness({ db, clock, dataDir, embedder }: Parts): Readiness {
  let stopping = false;
  let last: { atMs: number; checks: Promise<Checks> } | undefined;

  async function look(): Promise<Checks> {
    const [probe, disk] = await Promise.allSettled([db.probe(clock.nowMs()), statfs(dataDir)]);
    const free = disk.status === 'fulfilled' ? disk.value.bavail * disk.value.bsize : 0;
    return {
      accepting: 'ok',
      database: probe.status === 'fulfilled' ? 'ok' : 'cannot be written',
      disk: free >= MIN_FREE_BYTES ? 'ok' : `${Math.floor(free / 1024 / 1024)} MiB free`,
    };
  }

  return {
    async check() {
      const atMs = clock.monotonicMs();
      if (!last || atMs - last.atMs > FRESH_MS) last = { atMs, checks: look() };
      const checks = { ...(await last.checks), ...(stopping && { accepting: 'stopping' }) };
      const ready = Object.values(checks).every((state) => state === 'ok');
      return { ready, checks, ...(embedder && { embedder: embedder() }) };
    },
    stop() {
      stopping = true;
    },
  };
}

/** Health, readiness and metrics: for the machines that watch. */
export function operationsRoutes({
  readiness,
  metrics,
  metricsToken,
}: {
  readiness: Readiness;
  metrics: Metrics;
  metricsToken: string | undefined;
}): FastifyPluginAsync {
  return async (app: FastifyInstance) => {
    const schema = { hide: true };
    app.get('/healthz', { schema }, async () => ({ status: 'alive' }));
    app.get('/readyz', { schema }, async (_request, reply) => {
      const { ready, ...rest } = await readiness.check();
      return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not ready', ...rest });
    });
    app.get('/metrics', { schema }, async (request, reply) => {
      if (!mayWatch(request, metricsToken)) {
        throw new AppError('forbidden', 'Metrics are for this machine, or for who sends SVC_METRICS_TOKEN as bearer.');
      }
      return reply.type(metrics.contentType).send(await metrics.text());
    });
  };
}

const PROXY_HEADERS = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];

/** Loopback, and not through a proxy that hides where the request came from. */
function mayWatch({ headers, ip, raw }: FastifyRequest, token: string | undefined): boolean {
  const sent = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
  if (token !== undefined && sent !== undefined && equalSecrets(sent, token)) return true;
  const forwarded = PROXY_HEADERS.some((name) => headers[name] !== undefined);
  return isLoopback(ip) && isLoopback(raw.socket.remoteAddress ?? '') && !forwarded;
}

function isLoopback(address: string): boolean {
  const plain = address.replace(/^::ffff:/i, '');
  return plain === '::1' || (isIP(plain) === 4 && plain.startsWith('127.'));
}
