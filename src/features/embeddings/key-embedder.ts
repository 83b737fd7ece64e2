import { AppError } from '../../contract/errors.ts';
import type { Provider } from '../../contract/providers.ts';
import type { Database } from '../../db/open.ts';
import { EmbedderFault } from '../../outside/models/embedder.ts';
import {
  type Embedded,
  type EmbedRequest,
  MAX_TEXTS_PER_REQUEST,
  ProviderFault,
  type ProviderModels,
} from '../../outside/providers/provider-models.ts';
import type { ProviderKeys } from '../providers/provider-keys.ts';
import type { BatchLimits } from './batches.ts';
import { type EmbeddingModel, findModel } from './models-store.ts';

/** Calls a tenant's model with that tenant's key, never with another. Throws `EmbedderFault`. */
export type KeyEmbedder = (
  model: EmbeddingModel,
  request: Pick<EmbedRequest, 'texts' | 'purpose'>,
  signal: AbortSignal,
) => Promise<Embedded>;

/** Checks before each request that the model still belongs to the tenant, so that a retired one is never called. */
export function createKeyEmbedder({
  db,
  models,
  providerKeys,
}: {
  db: Database;
  models: ProviderModels;
  providerKeys: ProviderKeys;
}): KeyEmbedder {
  return async ({ id, tenantId, provider, name }, { texts, purpose }, signal) => {
    const now = await findModel(db.readers, id);
    if (provider === null || now === undefined || now.state === 'retiring')
      throw new EmbedderFault('settings', MODEL_RETIRED);
    try {
      return await providerKeys.use(tenantId, { provider, model: name }, (access, keySignal) =>
        models.embed(access, { model: name, texts, purpose }, AbortSignal.any([signal, keySignal])),
      );
    } catch (error) {
      throw asEmbedderFault(error);
    }
  };
}

const MODEL_RETIRED = 'The account no longer uses this model.';

/** A rejected or unreadable key stays broken until somebody replaces it: a `settings` fault. */
function asEmbedderFault(error: unknown): unknown {
  if (error instanceof AppError) {
    return new EmbedderFault(error.code === 'conflict' ? 'unavailable' : 'settings', error.message);
  }
  if (!(error instanceof ProviderFault)) return error;
  const { message, retryAfterMs, maybeInput: maybeTexts } = error;
  return new EmbedderFault(reasonOf(error), message, { retryAfterMs, maybeTexts });
}

function reasonOf({ reason }: ProviderFault): EmbedderFault['reason'] {
  if (reason === 'input') return 'texts';
  return reason === 'refused' || reason === 'out_of_scope' || reason === 'address' ? 'settings' : 'unavailable';
}

/** A response with this many vectors, some with thousands of dimensions, parses in a few milliseconds. */
const MAX_TEXTS = 64;
/** Small requests, because a self-hosted model may be slow enough to run into the timeout. */
const SELF_HOSTED = { texts: 32, tokens: 16_000 };

/** About half of what each provider accepts per request, because token counts are estimates. */
const MAX_TOKENS_PER_REQUEST: Record<Provider, number> = {
  openai: 150_000,
  anthropic: 0,
  google: 10_000,
  mistral: 8000,
  cohere: 60_000,
  voyage: 60_000,
  openrouter: 100_000,
  ollama: SELF_HOSTED.tokens,
  'openai-compatible': SELF_HOSTED.tokens,
};

/** Limits of a single embedding request to the provider. */
export function batchLimitsOf(provider: Provider): BatchLimits {
  const maxTexts = provider === 'ollama' || provider === 'openai-compatible' ? SELF_HOSTED.texts : MAX_TEXTS;
  return { texts: Math.min(maxTexts, MAX_TEXTS_PER_REQUEST[provider]), tokens: MAX_TOKENS_PER_REQUEST[provider] };
}

/** Whether the provider offers embedding models. */
export function canEmbed(provider: Provider): boolean {
  return MAX_TEXTS_PER_REQUEST[provider] > 0;
}
