import type { Connection, Reader } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import type { Owner } from '../../db/owner.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Random } from '../../lib/random.ts';
import { EmbedderFault } from '../../outside/models/embedder.ts';
import type { ProviderModels } from '../../outside/providers/provider-models.ts';
import type { Leases } from '../leases/leases.ts';
import type { ProviderKeys } from '../providers/provider-keys.ts';
import type { Spending } from '../providers/spending.ts';
import { probeEmbedder } from './embedder-probe.ts';
import { createEmbeddingRun } from './embedding-run.ts';
import { batchLimitsOf, createKeyEmbedder } from './key-embedder.ts';
import { deleteModelBatch, type EmbeddingModel, findModel, listModels, retire } from './models-store.ts';
import { createQueryVectors, type QueryVector } from './query-vectors.ts';
import type { TenantModels } from './tenant-models.ts';
import { countWaitingForTenants, findServing, listOpenModels } from './tenant-models-store.ts';

/** Concurrency limiter for work on many models, which take turns. */
export interface ModelLimiter {
  /** Queues a model, unless it is queued or running already. */
  add(model: number): void;
  /** Resolves when nothing is queued or running. */
  settled(): Promise<void>;
  /** Starts nothing more; running steps finish. */
  close(): void;
}

interface ModelLimiterParts {
  /** Runs one step; never rejects. `more`: the model goes to the back of the queue. */
  work(model: number): Promise<'more' | 'done'>;
  isFailing(model: number): boolean;
}

const MAX_RUNNING = 12;
/** Models whose last request failed run in a pool of their own, because some hang until they time out. */
const MAX_FAILING_RUNNING = 4;

/** Runs up to twelve healthy models at once, plus four failing ones. */
export function createModelLimiter({ work, isFailing }: ModelLimiterParts): ModelLimiter {
  const healthy = { atOnce: MAX_RUNNING, busy: 0, waiting: new Set<number>() };
  const failing = { atOnce: MAX_FAILING_RUNNING, busy: 0, waiting: new Set<number>() };
  const running = new Map<number, Promise<void>>();
  let closed = false;

  function add(model: number): void {
    if (closed || running.has(model) || healthy.waiting.has(model) || failing.waiting.has(model)) return;
    const pool = isFailing(model) ? failing : healthy;
    pool.waiting.add(model);
    start(pool);
  }

  function start(pool: typeof healthy): void {
    while (!closed && pool.busy < pool.atOnce && pool.waiting.size > 0) {
      const model = pool.waiting.values().next().value!;
      pool.waiting.delete(model);
      pool.busy += 1;
      const step = work(model).then((outcome) => {
        pool.busy -= 1;
        running.delete(model);
        if (outcome === 'more') add(model);
        start(pool);
      });
      running.set(model, step);
    }
  }

  return {
    add,
    async settled() {
      while (running.size > 0) await Promise.all(running.values());
    },
    close() {
      closed = true;
    },
  };
}

/** Models that tenants choose, called with their own keys. Stored texts are embedded in the background. */
export interface TenantEmbeddings {
  /** The tenant's own model that its searches use. */
  serving(tenantId: string): Promise<EmbeddingModel | undefined>;
  /** The query's vector from that model, or `undefined` if it does not respond in time. */
  vectorOf(model: EmbeddingModel, query: string): Promise<QueryVector | undefined>;
  /** Starts whatever is due, up to the concurrency limit. Does not wait for it to finish. */
  follow(): Promise<void>;
  /** Resolves when nothing is running. */
  settled(): Promise<void>;
  /** Aborts running work, which resumes after the next start. */
  stop(): Promise<void>;
  /** Number of waiting rows. */
  waiting(): Promise<number>;
  /** Deletes a tenant's models and vectors, and forgets its cached queries. */
  erase(tenant: Owner): Promise<void>;
}

interface Parts {
  db: Database;
  clock: Clock;
  random: Random;
  log: Log;
  leases: Leases;
  models: ProviderModels;
  providerKeys: ProviderKeys;
  spending: Spending;
  tenantModels: TenantModels;
  /** Whether the tenant exists and is not being erased. */
  tenantExists(reader: Reader, tenantId: string): Promise<boolean>;
}

/**
 * Longer than for the operator's embedder, because providers are farther away, but short enough for an interactive
 * search.
 */
const QUERY_WAIT_MS = 1500;
const ERASE_ROWS = 500;

/** Tenants take turns, and those with failing providers do not delay the others. */
export function createTenantEmbeddings(parts: Parts): TenantEmbeddings {
  const { db, clock, log, spending, tenantModels, tenantExists } = parts;
  const { backoffs, cannotSearch } = tenantModels;
  const stopping = new AbortController();
  const { signal } = stopping;
  const embedByKey = createKeyEmbedder(parts);

  /** Counts nothing for an account that is being erased. */
  async function count(connection: Connection, model: EmbeddingModel, tokens: number): Promise<void> {
    const { tenantId, provider, name } = model;
    if (!(await tenantExists(connection, tenantId))) return;
    const used = { provider: provider!, model: name, requests: 1, inputTokens: tokens, outputTokens: 0 };
    await spending.add(connection, tenantId, 'embedding', used);
  }

  async function requestQueryVector(model: EmbeddingModel, query: string): Promise<Float32Array> {
    const { vectors, tokens } = await embedByKey(model, { texts: [query], purpose: 'query' }, signal);
    // Counted in the background: the search does not wait.
    db.writes
      .write(model.tenantId, (connection) => count(connection, model, tokens))
      .catch((error: unknown) => log.warn({ error }, 'could not count the tokens of a query'));
    return vectors[0]!;
  }

  async function embedQuery(model: EmbeddingModel, query: string): Promise<Float32Array> {
    try {
      return await requestQueryVector(model, query);
    } catch (error) {
      // A model that does not exist rejects every text; the probe turns that into a `settings` fault and a long
      // backoff.
      if (error instanceof EmbedderFault && error.reason === 'texts')
        await probeEmbedder((text) => requestQueryVector(model, text));
      throw error;
    }
  }

  const queries = createQueryVectors({
    embed: embedQuery,
    backoffs: backoffs.queries,
    waitMs: QUERY_WAIT_MS,
    signal,
  });
  const run = createEmbeddingRun({
    ...parts,
    requests: {
      embed: (model, texts) => embedByKey(model, { texts, purpose: 'document' }, signal),
      limitsOf: ({ provider }) => batchLimitsOf(provider!),
      count,
    },
    backoffs: backoffs.stored,
    signal,
  });

  function forget(id: number): void {
    backoffs.stored.forget(id);
    backoffs.queries.forget(id);
  }

  async function step(id: number): Promise<'more' | 'done'> {
    try {
      const model = await findModel(db.readers, id);
      const outcome = model === undefined ? 'done' : await run.step(model);
      if (outcome !== 'done') return 'more';
      if (model?.state === 'retiring') forget(id);
    } catch (error) {
      if (!signal.aborted) log.error({ error, model: id }, "a step of an account's embedding model failed");
    }
    return 'done';
  }

  const limiter = createModelLimiter({ work: step, isFailing: backoffs.stored.isFailing });

  return {
    serving: (tenantId) => findServing(db.readers, tenantId),
    vectorOf: (model, query) => queries.find(model, model.tenantId, query),
    async follow() {
      const open = await listOpenModels(db.readers, clock.nowMs());
      // Another daemon may have finished the work of a model that failed here.
      backoffs.stored.retain(new Set(open.map(({ id }) => id)));
      for (const model of open) {
        const mayGoOn = cannotSearch === undefined && backoffs.stored.isReady(model);
        if (model.state === 'retiring' || mayGoOn) limiter.add(model.id);
      }
    },
    settled: limiter.settled,
    async stop() {
      limiter.close();
      stopping.abort();
      await limiter.settled();
    },
    waiting: () => countWaitingForTenants(db.readers),
    async erase({ tenantId }) {
      queries.forget(tenantId);
      for (const model of await listModels(db.readers, tenantId)) {
        await db.writes.write('daemon', (connection) => retire(connection, model));
        let more = true;
        while (more)
          more = await db.writes.write('daemon', (connection) => deleteModelBatch(connection, model.id, ERASE_ROWS));
        forget(model.id);
      }
    },
  };
}
