import { statfs } from 'node:fs/promises';
import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify';
import { AppError } from '../contract/errors.ts';
import type { Database } from '../db/open.ts';
import type { Clock } from '../lib/clock.ts';
import { equalSecrets } from '../lib/secret.ts';
import { isFromThisMachine } from '../lib/this-machine.ts';
import { MAX_CLOCK_OFFSET_MS } from './clock-check.ts';
import type { Metrics } from './metrics.ts';

/** With less free disk space the daemon reports that it is not ready. */
const MIN_FREE_BYTES = 64 * 1024 * 1024;
/** Results are cached this long, because a readiness check writes to the disk. */
const CACHE_MS = 1000;

type Checks = Record<'accepting' | 'database' | 'disk', string> & { clock?: string };

interface Parts {
  db: Database;
  clock: Clock;
  dataDir: string;
  /** `undefined` without a model. */
  embedder(): 'ok' | 'failing' | undefined;
  /** `undefined` without a schedule. */
  backup(): 'ok' | 'failing' | undefined;
  /** A newer version of svc, if one is known. */
  update?(): string | undefined;
}

/**
 * Reports whether the daemon can serve requests: not stopping, database writable, disk not full, clock like that of the
 * database's server. The states of the embedder and of
 * scheduled backups are informational: everything works without them.
 */
export interface Readiness {
  check(): Promise<{
    ready: boolean;
    checks: Checks;
    embedder?: 'ok' | 'failing';
    backup?: 'ok' | 'failing';
    update?: string;
  }>;
  /** Reports not ready from now on: the daemon is about to stop. */
  stop(): void;
}

export function createReadiness({ db, clock, dataDir, ...informational }: Parts): Readiness {
  let stopping = false;
  let last: { atMs: number; checks: Promise<Checks> } | undefined;

  async function runChecks(): Promise<Checks> {
    const [probe, disk, offset] = await Promise.allSettled([
      db.probe(clock.nowMs()),
      statfs(dataDir),
      db.clockOffsetMs?.(),
    ]);
    const free = disk.status === 'fulfilled' ? disk.value.bavail * disk.value.bsize : 0;
    return {
      accepting: 'ok',
      database: probe.status === 'fulfilled' ? 'ok' : 'not writable',
      disk: free >= MIN_FREE_BYTES ? 'ok' : `${Math.floor(free / 1024 / 1024)} MiB free`,
      ...(offset.status === 'fulfilled' && offset.value !== undefined && { clock: describeClock(offset.value) }),
    };
  }

  return {
    async check() {
      const atMs = clock.monotonicMs();
      if (!last || atMs - last.atMs > CACHE_MS) last = { atMs, checks: runChecks() };
      const checks = { ...(await last.checks), ...(stopping && { accepting: 'stopping' }) };
      const ready = Object.values(checks).every((state) => state === 'ok');
      const [embedder, backup, update] = [informational.embedder(), informational.backup(), informational.update?.()];
      return { ready, checks, ...(embedder && { embedder }), ...(backup && { backup }), ...(update && { update }) };
    },
    stop() {
      stopping = true;
    },
  };
}

function describeClock(offsetMs: number): string {
  if (Math.abs(offsetMs) <= MAX_CLOCK_OFFSET_MS) return 'ok';
  const seconds = Math.round(Math.abs(offsetMs) / 1000);
  return `${seconds} s ${offsetMs > 0 ? 'behind' : 'ahead of'} the database's`;
}

/** Health, readiness and metrics, for load balancers and monitoring. */
export function healthRoutes({
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
    app.get('/readyz', { schema }, async () => {
      const { ready, ...rest } = await readiness.check();
      if (!ready) throw new AppError('unavailable', `Not ready: ${failuresOf(rest.checks)}.`, { extra: rest });
      return { status: 'ready', ...rest };
    });
    app.get('/metrics', { schema }, async (request, reply) => {
      if (!mayReadMetrics(request, metricsToken)) {
        const message = 'Metrics are available from this machine, or with SVC_METRICS_TOKEN as the bearer token.';
        throw new AppError('forbidden', message);
      }
      return reply.type(metrics.contentType).send(await metrics.text());
    });
  };
}

function failuresOf(checks: Checks): string {
  const failing = Object.entries(checks).filter(([, state]) => state !== 'ok');
  return failing.map(([name, state]) => `${name}: ${state}`).join(', ');
}

/** Allows this machine and holders of the token. */
function mayReadMetrics(request: FastifyRequest, token: string | undefined): boolean {
  const sent = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  if (token !== undefined && sent !== undefined && equalSecrets(sent, token)) return true;
  return isFromThisMachine(request);
}
