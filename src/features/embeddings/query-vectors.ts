import { createBoundedMap } from '../../lib/bounded-map.ts';
import { EmbedderFault } from '../../outside/models/embedder.ts';
import type { Backoffs } from './backoff.ts';
import type { EmbeddingModel } from './models-store.ts';
import { quantize } from './quantize.ts';

/** A query's vector from the serving model. */
export interface QueryVector {
  model: number;
  embedding: Buffer;
}

/** Vectors of queries, with a cache per tenant: response times reveal nothing about other tenants' queries. */
export interface QueryVectors {
  /** `undefined` if the model does not respond in time; the search then continues without it. */
  find(model: EmbeddingModel, tenantId: string, query: string): Promise<QueryVector | undefined>;
  forget(tenantId: string): void;
}

interface Parts {
  /** Throws `EmbedderFault`. */
  embed(model: EmbeddingModel, query: string): Promise<Float32Array>;
  backoffs: Backoffs;
  /** How long a search waits for its vector. */
  waitMs: number;
  signal: AbortSignal;
}

const MAX_CACHED = 500;
const MAX_CHARACTERS = 8000;

/** Keeps a separate backoff for each model, so that a failing one does not affect the others. */
export function createQueryVectors({ embed, backoffs, waitMs, signal }: Parts): QueryVectors {
  const cache = createBoundedMap<string, Promise<QueryVector | undefined>>(MAX_CACHED);

  async function requestVector(model: EmbeddingModel, query: string): Promise<QueryVector | undefined> {
    const vector = await embed(model, query.slice(0, MAX_CHARACTERS));
    if (model.dimensions !== null && vector.length !== model.dimensions) {
      throw new EmbedderFault(
        'answer',
        `The embedder returned ${vector.length} dimensions instead of ${model.dimensions}.`,
      );
    }
    return { model: model.id, embedding: quantize(vector) };
  }

  /** Shares one request between concurrent callers with the same query. Failures are not cached. */
  function request(key: string, model: EmbeddingModel, query: string): Promise<QueryVector | undefined> {
    const pending = requestVector(model, query).then(
      (vector) => {
        backoffs.with(model).reset();
        // A vector that arrives too late for its own search is cached for the next one.
        cache.set(key, pending);
        return vector;
      },
      (error) => {
        cache.delete(key);
        if (!signal.aborted) backoffs.with(model).recordFailure(error);
        return undefined;
      },
    );
    cache.set(key, pending);
    return pending;
  }

  function cachedOrRequested(
    key: string,
    model: EmbeddingModel,
    query: string,
  ): Promise<QueryVector | undefined> | undefined {
    const cached = cache.get(key);
    return cached ?? (backoffs.isReady(model) ? request(key, model, query) : undefined);
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
        .recordFailure(new EmbedderFault('unavailable', `The embedder did not respond within ${waitMs} ms.`));
      return undefined;
    },
    forget(tenantId) {
      cache.deleteWhere((key) => key.startsWith(`${tenantId} `));
    },
  };
}
