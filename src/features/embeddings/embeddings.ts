import type { Database } from '../../db/open.ts';
import type { Owner } from '../../db/owner.ts';
import { lockWrites } from '../../db/transactions.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Random } from '../../lib/random.ts';
import type { Embedder } from '../../outside/models/embedder.ts';
import { ModelFolderFault } from '../../outside/models/model-folder.ts';
import type { Leases } from '../leases/leases.ts';
import { countWaiting } from './backfill-store.ts';
import { createBackoffs } from './backoff.ts';
import { createEmbeddingRun, type EmbeddingRequests } from './embedding-run.ts';
import { type EmbeddingModel, listModels, OPERATOR, resetBackfill, selectModel } from './models-store.ts';
import { createQueryVectors, type QueryVector } from './query-vectors.ts';
import { promoteFillingModels } from './tenant-models-store.ts';

export type { QueryVector } from './query-vectors.ts';

/** The operator's embedder: embeds stored texts in the background and queries immediately. */
export interface Embeddings {
  /** Whether the operator has chosen a model. */
  isOn(): boolean;
  /** The name of the model that serves, or that fills until one does; `undefined` before one was loaded. */
  servingName(): string | undefined;
  /** The query's vector, or `undefined` if the embedder does not respond within half a second. */
  vectorOf(tenantId: string, query: string): Promise<QueryVector | undefined>;
  /** Selects the operator's model. Call it once, before anything is written. */
  begin(): Promise<void>;
  /** Follows the operator's choice, and embeds waiting rows for as long as the embedder works. Concurrent calls share one run. */
  follow(): Promise<void>;
  /** Stops the current run and aborts its requests. Waiting rows are picked up after the next start. */
  stop(): Promise<void>;
  /** Number of rows that wait for the operator's model. */
  waiting(): Promise<number>;
  /** Number of embedder failures since the start. */
  failures(): number;
  /** `failing`: the last request, for stored texts or for a query, failed. `undefined`: there is no model. */
  state(): 'ok' | 'failing' | undefined;
  /** Forgets a tenant's cached queries. */
  erase(tenant: Owner): Promise<void>;
}

/** The embedder that the operator runs, and which of its models is chosen. */
export interface OperatorEmbedder {
  embedder: Embedder;
  /** A text that differs after each choice; `undefined` if no model is chosen. Cheap: read every second. */
  choice(): Promise<string | undefined>;
  /** The name of a chosen model; a different name is a different model. Throws `ModelFolderFault` if it cannot be read. */
  modelOf(choice: string): Promise<string>;
}

interface Parts {
  db: Database;
  clock: Clock;
  random: Random;
  log: Log;
  leases: Leases;
  operator: OperatorEmbedder;
  /** Whether other daemons may use the database, and embed its texts. */
  isShared: boolean;
}

/** A response with this many vectors parses in a few milliseconds. */
const BATCH_LIMITS = { texts: 32, tokens: Number.POSITIVE_INFINITY };
const MAX_PAUSE_MS = 300_000;
const QUERY_WAIT_MS = 500;
/** Searches skip the embedder for up to this long after a fault. */
const MAX_QUERY_PAUSE_MS = 5000;

/** Creates the feature for the operator's embedder; `begin` loads the state left by the previous process. */
export function createEmbeddings(parts: Parts): Embeddings {
  const { db, log, operator, isShared } = parts;
  const { embedder } = operator;
  const stopping = new AbortController();
  const { signal } = stopping;
  let failures = 0;
  const count = () => {
    failures += 1;
  };
  let followed: string | undefined;
  /** Whether the last attempt to follow a choice failed, and may have done a part of it. */
  let isUnfinished = false;
  let isOn = false;
  /** The chosen model cannot be loaded. */
  let isRefused = false;
  let models: EmbeddingModel[] = [];
  const requests: EmbeddingRequests = {
    embed: async ({ name }, texts) => ({ vectors: await embedder.embed(name, texts, { signal }), tokens: 0 }),
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
    embed: async ({ name }, query) => (await embedder.embed(name, [query], { purpose: 'query', signal }))[0]!,
    backoffs: queryBackoffs,
    waitMs: QUERY_WAIT_MS,
    signal,
  });
  const run = createEmbeddingRun({ ...parts, requests, backoffs: storedBackoffs, signal });
  let running: Promise<void> | undefined;

  async function switchOn(name: string): Promise<void> {
    const wasOn = isOn;
    // Before the model is selected: from then on, new rows are queued for it.
    isOn = true;
    try {
      await db.writes.write('daemon', async (connection) => {
        // A write that is still running may not know the new model, and no scan sees its rows yet.
        await lockWrites(connection);
        await selectModel(connection, { tenantId: OPERATOR, provider: null, name }, true);
      });
    } catch (error) {
      isOn = wasOn;
      throw error;
    }
    await loadModels();
  }

  async function switchOff(): Promise<void> {
    // Daemons that share a database queue rows for each other's embedder.
    if (!isShared) await pauseEmbeddings(db);
    // Tenants' models that are still being filled are the only ones left to serve.
    if (isOn) await db.writes.write('daemon', (connection) => promoteFillingModels(connection));
    isOn = false;
    models = [];
    await embedder.retain([]);
  }

  function servingModel(): EmbeddingModel | undefined {
    return models.find(({ state }) => state === 'serving');
  }

  async function loadModels(): Promise<void> {
    models = await listModels(db.readers, OPERATOR);
    await embedder.retain(models.filter(({ state }) => state !== 'retiring').map(({ name }) => name));
  }

  /** Switches to the operator's current choice. A model that cannot be loaded changes nothing. */
  async function followChoice(): Promise<void> {
    const choice = await operator.choice();
    if (choice === followed && !isUnfinished) return;
    isUnfinished = true;
    if (choice === undefined) await switchOff();
    isRefused = choice !== undefined && !(await trySwitchOn(choice));
    followed = choice;
    isUnfinished = false;
  }

  /** Switches to a model, and returns whether it could be loaded. */
  async function trySwitchOn(choice: string): Promise<boolean> {
    try {
      const name = await operator.modelOf(choice);
      await embedder.prepare(name);
      await switchOn(name);
      log.info({ model: name }, 'the embedding model was chosen');
      return true;
    } catch (error) {
      if (!(error instanceof ModelFolderFault)) throw error;
      count();
      log.error(
        { fault: error.message },
        'the chosen embedding model cannot be used: remove it and add it again (svc model)',
      );
      return false;
    }
  }

  /** Takes one step per model in turn, so that a model being filled does not delay one that serves. */
  async function followAll(): Promise<void> {
    let more = true;
    while (more && !signal.aborted) {
      await followChoice();
      if (!isOn) return;
      await loadModels();
      more = false;
      for (const one of models) {
        const outcome = await run.step(one);
        if (outcome === 'switched') await loadModels();
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
    isOn: () => isOn,
    servingName: () => (servingModel() ?? models[0])?.name,
    async vectorOf(tenantId, query) {
      const serving = servingModel();
      return serving && queries.find(serving, tenantId, query);
    },
    async begin() {
      await followChoice();
      if (!isOn) await switchOff();
    },
    follow,
    async stop() {
      stopping.abort();
      await running?.catch(() => {
        // The caller of `follow` already got this error.
      });
      await embedder.close();
    },
    waiting: async () => (isOn ? countWaiting(db.readers) : 0),
    failures: () => failures,
    state() {
      const isFailing = models.some((model) => queryBackoffs.fault(model) ?? storedBackoffs.fault(model));
      if (isRefused || isFailing) return 'failing';
      return isOn ? 'ok' : undefined;
    },
    erase: async ({ tenantId }) => queries.forget(tenantId),
  };
}

/** Records that there is no model: from now on rows are written without being queued for vectors. */
async function pauseEmbeddings(db: Database): Promise<void> {
  if ((await listModels(db.readers, OPERATOR)).length > 0) await db.writes.write('daemon', resetBackfill);
}
