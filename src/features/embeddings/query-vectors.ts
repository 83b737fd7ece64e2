import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { type Embedder, EmbedderFault } from '../../outside/embedder.ts';
import type { EmbeddingModel } from './models-sqlite.ts';
import { createPatience, type Watch } from './patience.ts';
import { quantised } from './quantised.ts';

/** What a query means to the model that serves. */
export interface QueryVector {
  model: number;
  embedding: Buffer;
}

/** Vectors of queries, the last ones remembered by tenant: how fast one comes tells nothing of what others ask. */
export interface QueryVectors {
  /** `undefined` where the embedder does not answer in time: a search goes on without it then. */
  find(tenantId: string, query: string): Promise<QueryVector | undefined>;
  forget(tenantId: string): void;
}

interface Parts {
  clock: Clock;
  log: Log;
  embedder: Embedder;
  serving(): EmbeddingModel | undefined;
  watch: Watch;
  signal: AbortSignal;
}

const WAIT_MS = 500;
/** After a fault searches do not wait at all for so long. */
const LONGEST_PAUSE_MS = 5000;
const MAX_REMEMBERED = 500;
const MAX_CHARACTERS = 8000;

/** For the model that serves at the moment of each query. */
export function createQueryVectors(parts: Parts): QueryVectors {
  const { embedder, serving, watch, signal } = parts;
  const patience = createPatience(parts, {
    longestMs: LONGEST_PAUSE_MS,
    watch,
    message: 'searches go without the embedder, which gives no vectors for queries',
  });
  /** The one used last stands last. */
  const remembered = new Map<string, Promise<QueryVector | undefined>>();

  async function ask(model: EmbeddingModel, query: string): Promise<QueryVector | undefined> {
    const [vector] = await embedder.embed(model.name, [query.slice(0, MAX_CHARACTERS)], signal);
    if (model.dimensions !== null && vector!.length !== model.dimensions) {
      throw new EmbedderFault('answer', `it answers with ${vector!.length} dimensions, not ${model.dimensions}`);
    }
    return { model: model.id, embedding: quantised(vector!) };
  }

  /** One request for all who ask the same meanwhile; a failure is not remembered. */
  function request(key: string, model: EmbeddingModel, query: string): Promise<QueryVector | undefined> {
    const asked = ask(model, query).then(
      (vector) => {
        patience.reset();
        // One that came too late for its search is there for the next.
        remember(key, asked);
        return vector;
      },
      (error) => {
        remembered.delete(key);
        if (!signal.aborted) patience.note(error);
        return undefined;
      },
    );
    remember(key, asked);
    return asked;
  }

  function remember(key: string, vector: Promise<QueryVector | undefined>): void {
    remembered.delete(key);
    remembered.set(key, vector);
    if (remembered.size > MAX_REMEMBERED) remembered.delete(remembered.keys().next().value!);
  }

  function recall(key: string, model: EmbeddingModel, query: string): Promise<QueryVector | undefined> | undefined {
    const known = remembered.get(key);
    if (known === undefined) return patience.mayAsk() ? request(key, model, query) : undefined;
    remember(key, known);
    return known;
  }

  return {
    async find(tenantId, query) {
      const model = serving();
      if (model === undefined) return undefined;
      const key = `${tenantId} ${model.id} ${query}`;
      const vector = recall(key, model, query);
      if (vector === undefined) return undefined;
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<'late'>((resolve) => {
        timer = setTimeout(() => resolve('late'), WAIT_MS);
      });
      const found = await Promise.race([vector, late]);
      clearTimeout(timer);
      if (found !== 'late') return found;
      remembered.delete(key);
      patience.note(new EmbedderFault('unavailable', `it does not answer a query within ${WAIT_MS} ms`));
      return undefined;
    },
    forget(tenantId) {
      for (const key of remembered.keys()) if (key.startsWith(`${tenantId} `)) remembered.delete(key);
    },
  };
}
