import { EmbedderFault } from '../../outside/models/embedder.ts';
import type { Backoffs } from './backoff.ts';
import type { EmbeddingModel } from './models-sqlite.ts';
import { quantize } from './quantize.ts';

/** What a query means to the model that serves. */
export interface QueryVector {
  model: number;
  embedding: Buffer;
}

/** Vectors of queries, the last ones remembered by tenant: how fast one comes tells nothing of what others ask. */
export interface QueryVectors {
  /** `undefined` where the model does not answer in time: a search goes on without it then. */
  find(model: EmbeddingModel, tenantId: string, query: string): Promise<QueryVector | undefined>;
  forget(tenantId: string): void;
}

interface Parts {
  /** Throws `EmbedderFault`. */
  embed(model: EmbeddingModel, query: string): Promise<Float32Array>;
  backoffs: Backoffs;
  /** A search waits no longer. */
  waitMs: number;
  signal: AbortSignal;
}

const MAX_CACHED = 500;
const MAX_CHARACTERS = 8000;

/** Each model by itself: one that fails holds up no other. */
export function createQueryVectors({ embed, backoffs, waitMs, signal }: Parts): QueryVectors {
  /** The one used last stands last. */
  const cache = new Map<string, Promise<QueryVector | undefined>>();

  async function requestVector(model: EmbeddingModel, query: string): Promise<QueryVector | undefined> {
    const vector = await embed(model, query.slice(0, MAX_CHARACTERS));
    if (model.dimensions !== null && vector.length !== model.dimensions) {
      throw new EmbedderFault('answer', `It answers with ${vector.length} dimensions, not ${model.dimensions}.`);
    }
    return { model: model.id, embedding: quantize(vector) };
  }

  /** One request for all who ask the same meanwhile; a failure is not remembered. */
  function request(key: string, model: EmbeddingModel, query: string): Promise<QueryVector | undefined> {
    const pending = requestVector(model, query).then(
      (vector) => {
        backoffs.with(model).reset();
        // One that came too late for its search is there for the next.
        cacheVector(key, pending);
        return vector;
      },
      (error) => {
        cache.delete(key);
        if (!signal.aborted) backoffs.with(model).recordFailure(error);
        return undefined;
      },
    );
    cacheVector(key, pending);
    return pending;
  }

  function cacheVector(key: string, vector: Promise<QueryVector | undefined>): void {
    cache.delete(key);
    cache.set(key, vector);
    if (cache.size > MAX_CACHED) cache.delete(cache.keys().next().value!);
  }

  function cachedOrRequested(
    key: string,
    model: EmbeddingModel,
    query: string,
  ): Promise<QueryVector | undefined> | undefined {
    const cached = cache.get(key);
    if (cached === undefined) return backoffs.isReady(model.id) ? request(key, model, query) : undefined;
    cacheVector(key, cached);
    return cached;
  }

  return {
    async find(model, tenantId, query) {
      const key = `${tenantId} ${model.id} ${query}`;
      const vector = cachedOrRequested(key, model, query);
      if (vector === undefined) return undefined;
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<'late'>((resolve) => {
        timer = setTimeout(() => resolve('late'), waitMs);
      });
      const found = await Promise.race([vector, late]);
      clearTimeout(timer);
      if (found !== 'late') return found;
      cache.delete(key);
      backoffs
        .with(model)
        .recordFailure(new EmbedderFault('unavailable', `It does not answer a query within ${waitMs} ms.`));
      return undefined;
    },
    forget(tenantId) {
      for (const key of cache.keys()) if (key.startsWith(`${tenantId} `)) cache.delete(key);
    },
  };
}
