import type { Database } from '../../db/open.ts';
import type { Owner } from '../../db/owner.ts';
import { lockWrites } from '../../db/tenant-lock.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Embedder } from '../../outside/models/embedder.ts';
import type { Leases } from '../leases/leases.ts';
import { countWaiting } from './backfill-store.ts';
import { createBackoffs } from './backoff.ts';
import { createEmbeddingRun, type EmbeddingRequests } from './embedding-run.ts';
import { type EmbeddingModel, listModels, OPERATOR, resetBackfill, selectModel } from './models-store.ts';
import { createQueryVectors, type QueryVector } from './query-vectors.ts';

export type { QueryVector } from './query-vectors.ts';

/** The operator's embedder: embeds stored texts in the background and queries immediately. */
export interface Embeddings {
  /** The query's vector, or `undefined` if the embedder does not respond within half a second. */
  vectorOf(tenantId: string, query: string): Promise<QueryVector | undefined>;
  /** Selects the configured model. Call it once, before anything is written. */
  begin(): Promise<void>;
  /** Embeds waiting rows for as long as the embedder works. Concurrent calls share one run. */
  follow(): Promise<void>;
  /** Stops the current run and aborts its requests. Waiting rows are picked up after the next start. */
  stop(): Promise<void>;
  /** Number of waiting rows. */
  waiting(): Promise<number>;
  /** Number of embedder failures since the start. */
  failures(): number;
  /** `failing`: the last request, for stored texts or for a query, failed. */
  state(): 'ok' | 'failing';
  /** Forgets a tenant's cached queries. */
  erase(tenant: Owner): Promise<void>;
}

interface Parts {
  db: Database;
  clock: Clock;
  log: Log;
  leases: Leases;
  embedder: Embedder;
  /** A different name is a different model. */
  model: string;
}

/** A response with this many vectors parses in a few milliseconds. */
const BATCH_LIMITS = { texts: 32, tokens: Number.POSITIVE_INFINITY };
const MAX_PAUSE_MS = 300_000;
const QUERY_WAIT_MS = 500;
/** Searches skip the embedder for up to this long after a fault. */
const MAX_QUERY_PAUSE_MS = 5000;

/** Creates the feature for one embedder; `begin` loads the state left by the previous process. */
export function createEmbeddings(parts: Parts): Embeddings {
  const { db, embedder, model } = parts;
  const stopping = new AbortController();
  const { signal } = stopping;
  let failures = 0;
  const count = () => {
    failures += 1;
  };
  let models: EmbeddingModel[] = [];
  const requests: EmbeddingRequests = {
    embed: async ({ name }, texts) => ({ vectors: await embedder.embed(name, texts, signal), tokens: 0 }),
    limitsOf: () => BATCH_LIMITS,
    count: async () => {},
  };
  const queryBackoffs = createBackoffs(parts, {
    maxPauseMs: MAX_QUERY_PAUSE_MS,
    count,
    message: 'the embedder fails for queries: searching without it',
  });
  const storedBackoffs = createBackoffs(parts, {
    maxPauseMs: MAX_PAUSE_MS,
    count,
    message: 'the embedder fails for stored texts',
  });
  const queries = createQueryVectors({
    embed: async ({ name }, query) => (await embedder.embed(name, [query], signal))[0]!,
    backoffs: queryBackoffs,
    waitMs: QUERY_WAIT_MS,
    signal,
  });
  const run = createEmbeddingRun({ ...parts, requests, backoffs: storedBackoffs, signal });
  let running: Promise<void> | undefined;

  /** Takes one step per model in turn, so that a model being filled does not delay one that serves. */
  async function followAll(): Promise<void> {
    let more = true;
    while (more && !signal.aborted) {
      models = await listModels(db.readers, OPERATOR);
      more = false;
      for (const one of models) {
        const outcome = await run.step(one);
        if (outcome === 'switched') models = await listModels(db.readers, OPERATOR);
        if (outcome !== 'done') more = true;
      }
    }
  }

  function follow(): Promise<void> {
    running ??= followAll().finally(() => {
      running = undefined;
    });
    return running;
  }

  return {
    async vectorOf(tenantId, query) {
      const serving = models.find(({ state }) => state === 'serving');
      return serving && queries.find(serving, tenantId, query);
    },
    async begin() {
      await embedder.prepare();
      const wanted = { tenantId: OPERATOR, provider: null, name: model };
      await db.writes.write('daemon', async (connection) => {
        // A row that a write is adding is in no scan yet, and the write may not know of a new model.
        await lockWrites(connection);
        await selectModel(connection, wanted, true);
      });
      models = await listModels(db.readers, OPERATOR);
    },
    follow,
    async stop() {
      stopping.abort();
      await running?.catch(() => {
        // The caller of `follow` already got this error.
      });
      await embedder.close();
    },
    waiting: () => countWaiting(db.readers),
    failures: () => failures,
    state: () => (models.some(({ id }) => queryBackoffs.fault(id) ?? storedBackoffs.fault(id)) ? 'failing' : 'ok'),
    erase: async ({ tenantId }) => queries.forget(tenantId),
  };
}

/** Records that no embedder is configured: from now on rows are written without being queued for vectors. */
export async function pauseEmbeddings(db: Database): Promise<void> {
  if ((await listModels(db.readers, OPERATOR)).length > 0) await db.writes.write('daemon', resetBackfill);
}
