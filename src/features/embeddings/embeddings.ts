import type { Database } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Embedder } from '../../outside/models/embedder.ts';
import { countWaiting } from './backfill-sqlite.ts';
import { createBackoffs } from './backoff.ts';
import { createEmbeddingRun, type EmbeddingRequests } from './embedding-run.ts';
import { type EmbeddingModel, listModels, OPERATOR, resetBackfill, selectModel } from './models-sqlite.ts';
import { createQueryVectors, type QueryVector } from './query-vectors.ts';

export type { QueryVector } from './query-vectors.ts';

/** The operator's embedder: gives everything that is stored a vector in the background, and queries theirs at once. */
export interface Embeddings {
  /** What a query means; `undefined` where the embedder does not answer within half a second. */
  vectorOf(tenantId: string, query: string): Promise<QueryVector | undefined>;
  /** Makes the configured model the one that is wanted. Call it once, before anything is written. */
  begin(): Promise<void>;
  /** Gives vectors to all that waits, as far as the embedder goes along; one run at a time. */
  follow(): Promise<void>;
  /** Ends a run that is under way, its requests included. What waits is taken up after the next start. */
  stop(): Promise<void>;
  /** How many rows wait. */
  waiting(): Promise<number>;
  /** How often the embedder failed since the start. */
  failures(): number;
  /** `failing`: it failed when it was last asked for what is stored, or for a query. */
  state(): 'ok' | 'failing';
  /** Forgets what a tenant asked. */
  erase(tenantId: string): Promise<void>;
}

interface Parts {
  db: Database;
  clock: Clock;
  log: Log;
  embedder: Embedder;
  /** The name of the model: another name is another model. */
  model: string;
}

/** An answer of so many vectors is read in some milliseconds. */
const BATCH_LIMITS = { texts: 32, tokens: Number.POSITIVE_INFINITY };
const MAX_PAUSE_MS = 300_000;
const QUERY_WAIT_MS = 500;
/** After a fault searches do not wait at all for so long. */
const MAX_QUERY_PAUSE_MS = 5000;

/** For one embedder; `begin` reads what an earlier daemon left. */
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
    message: 'searches go without the embedder, which gives no vectors for queries',
  });
  const storedBackoffs = createBackoffs(parts, {
    maxPauseMs: MAX_PAUSE_MS,
    count,
    message: 'the embedder gives no vectors for what is stored',
  });
  const queries = createQueryVectors({
    embed: async ({ name }, query) => (await embedder.embed(name, [query], signal))[0]!,
    backoffs: queryBackoffs,
    waitMs: QUERY_WAIT_MS,
    signal,
  });
  const run = createEmbeddingRun({ ...parts, requests, backoffs: storedBackoffs, signal });
  let running: Promise<void> | undefined;

  /** A step for each model in turn, so that one that fills holds up none that serves. */
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
      await db.writes.write((connection) => selectModel(connection, wanted, true));
      models = await listModels(db.readers, OPERATOR);
    },
    follow,
    async stop() {
      stopping.abort();
      await running?.catch(() => {
        // Who ran it was told.
      });
      await embedder.close();
    },
    waiting: () => countWaiting(db.readers),
    failures: () => failures,
    state: () => (models.some(({ id }) => queryBackoffs.fault(id) ?? storedBackoffs.fault(id)) ? 'failing' : 'ok'),
    erase: async (tenantId) => queries.forget(tenantId),
  };
}

/** Notes that what is written from now on is written without an embedder. */
export async function pauseEmbeddings(db: Database): Promise<void> {
  if ((await listModels(db.readers, OPERATOR)).length > 0) await db.writes.write(resetBackfill);
}
