import { AppError } from '../../contract/errors.ts';
import type { StoredLanguages } from '../../contract/stored-languages.ts';
import type { Reader } from '../../db/connection.ts';
import { languagesOfModel } from '../../outside/models/model-list.ts';
import type { Embeddings } from './embeddings.ts';
import type { EmbeddingModel } from './models-store.ts';
import type { QueryVector } from './query-vectors.ts';
import type { TenantEmbeddings } from './tenant-embeddings.ts';
import type { TenantModels } from './tenant-models.ts';
import { findMemoryVector, type MemoryKey } from './vector-sync-store.ts';

/** Embeds queries with the tenant's own model if one is serving, otherwise with the operator's. */
export interface QueryEmbedder {
  /**
   * Resolves with an error that explains why there is no vector, for searches that need one; returns `undefined`
   * synchronously if no model is configured. The operator's model never replaces a tenant's model that fails.
   */
  vectorOf(tenantId: string, query: string): Promise<QueryVector | AppError> | undefined;
  /** What the model that embeds the tenant's queries is for. */
  languagesOf(tenantId: string): Promise<StoredLanguages['meaning']>;
  /** The stored vector of a memory; `undefined` if it has none, or vectors cannot be searched. */
  memoryVector(reader: Reader, row: MemoryKey): Promise<QueryVector | undefined>;
}

interface Parts {
  embeddings: Embeddings;
  tenantModels: TenantModels;
  tenantEmbeddings: TenantEmbeddings;
}

const RETRY_SECONDS = 5;

/** Looks for a tenant's model only if the tenant may have one. */
export function createQueryEmbedder({ embeddings, tenantModels, tenantEmbeddings }: Parts): QueryEmbedder {
  async function byOperatorModel(tenantId: string, query: string): Promise<QueryVector | AppError> {
    if (!embeddings.isOn()) return noModel();
    return (await embeddings.vectorOf(tenantId, query)) ?? temporarilyUnavailable('The embedder is not responding.');
  }

  /** `unprocessable` for a misconfiguration, which retrying does not fix; `unavailable` otherwise. */
  function unavailableReason(model: EmbeddingModel): AppError {
    const { provider, name } = model;
    const fault = tenantModels.backoffs.queries.fault(model);
    const what = `The embedding model of this account, ${name} of ${provider}, is failing`;
    const why = fault === undefined ? `${what}.` : `${what}: ${fault.message}`;
    return fault?.reason === 'settings' ? new AppError('unprocessable', why) : temporarilyUnavailable(why);
  }

  async function byTenantModel(tenantId: string, query: string): Promise<QueryVector | AppError> {
    const model = await tenantEmbeddings.serving(tenantId);
    if (model === undefined) return byOperatorModel(tenantId, query);
    if (tenantModels.cannotSearch !== undefined) return new AppError('unprocessable', tenantModels.cannotSearch);
    return (await tenantEmbeddings.vectorOf(model, query)) ?? unavailableReason(model);
  }

  return {
    vectorOf(tenantId, query) {
      if (tenantModels.mayHaveModel(tenantId)) return byTenantModel(tenantId, query);
      return embeddings.isOn() ? byOperatorModel(tenantId, query) : undefined;
    },
    async languagesOf(tenantId) {
      const own = tenantModels.mayHaveModel(tenantId) ? await tenantEmbeddings.serving(tenantId) : undefined;
      if (own !== undefined) return 'unknown';
      return embeddings.isOn() ? languagesOfModel(embeddings.servingName()) : 'none';
    },
    async memoryVector(reader, row) {
      return tenantModels.cannotSearch === undefined ? findMemoryVector(reader, row) : undefined;
    },
  };
}

/** The error for a semantic search without any embedding model. */
export function noModel(): AppError {
  return new AppError(
    'unprocessable',
    'This daemon has no embedding model (svc model add, SVC_EMBEDDINGS), and this account has not chosen an embedding model ' +
      '(PATCH /v1/provider-settings). Choose one, omit the strategy, or use the lexical strategy.',
  );
}

function temporarilyUnavailable(why: string): AppError {
  const message = `${why} Try again in a moment, or omit the strategy.`;
  return new AppError('unavailable', message, { retryAfterSeconds: RETRY_SECONDS });
}
