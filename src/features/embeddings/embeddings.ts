import type { Database } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Embedder } from '../../outside/embedder.ts';
import { createEmbeddingRun } from './embedding-run.ts';
import { countWaiting } from './jobs-sqlite.ts';
import { beginModel, type EmbeddingModel, listModels, markUnfilled } from './models-sqlite.ts';
import type { Watch } from './patience.ts';
import { createQueryVectors, type QueryVector } from './query-vectors.ts';

export type { QueryVector } from './query-vectors.ts';

/** The operator's embedder: gives everything that is stored a vector in the background, and queries theirs at once. */
export interface Embeddings {
  /** What a query means; `undefined` where the embedder does not answer within half a second. */
  vectorOf(tenantId: string, query: string): Promise<QueryVector | undefined>;
  /**
   * Makes the embedder ready and its model the one that is wanted. Call it once, before anything is written. Throws what
   * the embedder's `prepare` throws.
   */
  begin(): Promise<void>;
  /** Gives vectors to all that waits, as far as the embedder goes along; one run at a time. */
  follow(): Promise<void>;
  /** Ends a run that is under way, its requests included. What waits is taken up after the next start. */
  stop(): Promise<void>;
  /** How many rows wait. */
  waiting(): Promise<number>;
  /** How often the embedder failed since the start. */
  failures(): number;
  /** How it did when it was asked last. */
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

/** For one embedder; `begin` reads what an earlier daemon left. */
export function createEmbeddings(parts: Parts): Embeddings {
  const { db, embedder, model } = parts;
  const stopping = new AbortController();
  const { signal } = stopping;
  let failures = 0;
  let state: 'ok' | 'failing' = 'ok';
  const watch: Watch = {
    fault() {
      failures += 1;
    },
    state(is) {
      state = is;
    },
  };
  let models: EmbeddingModel[] = [];
  const serving = () => models.find(({ state }) => state === 'serving');
  const queries = createQueryVectors({ ...parts, serving, watch, signal });
  const run = createEmbeddingRun({ ...parts, watch, signal });
  let running: Promise<void> | undefined;

  /** A step for each model in turn, so that one that fills holds up none that serves. */
  async function followAll(): Promise<void> {
    let more = true;
    while (more && !signal.aborted) {
      models = await listModels(db.readers);
      more = false;
      for (const one of models) {
        const outcome = await run.step(one);
        if (outcome === 'switched') models = await listModels(db.readers);
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
    vectorOf: queries.find,
    async begin() {
      await embedder.prepare();
      await db.writes.write((connection) => beginModel(connection, model));
      models = await listModels(db.readers);
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
    state: () => state,
    erase: async (tenantId) => queries.forget(tenantId),
  };
}

/** Notes that what is written from now on is written without an embedder. */
export async function pauseEmbeddings(db: Database): Promise<void> {
  if ((await listModels(db.readers)).length > 0) await db.writes.write(markUnfilled);
}
