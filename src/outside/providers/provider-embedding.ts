import type { EmbeddingModelV3, SharedV3ProviderOptions } from '@ai-sdk/provider';
import type { Provider } from '../../contract/providers.ts';
import { estimateTokens } from '../../lib/text.ts';
import { runInSlices } from '../../lib/time-slices.ts';
import { readVectors, unitVectors, type VectorFormat } from '../models/vector-response.ts';
import { connectionOf, jsonRequest, type ProviderAccess, type ProviderConnection } from './provider-connection.ts';
import { ProviderFault } from './provider-fault.ts';
import { fetchOrFault, type ProviderTransport, toProviderFault } from './provider-response.ts';

export interface EmbedRequest {
  model: string;
  texts: readonly string[];
  /** Some models embed queries and documents differently. */
  purpose: 'document' | 'query';
}

/** `tokens` as counted by the provider, or an estimate. */
export interface Embedded {
  vectors: Float32Array[];
  tokens: number;
}

/**
 * Texts per request that each provider accepts, 0 if it has no embedding models. More texts are split into sequential
 * requests.
 */
export const MAX_TEXTS_PER_REQUEST: Record<Provider, number> = {
  openai: 2048,
  anthropic: 0,
  google: 100,
  mistral: 32,
  cohere: 96,
  voyage: 1000,
  openrouter: 256,
  ollama: 256,
  'openai-compatible': 256,
};

interface RawVectors {
  rows: readonly (readonly number[])[];
  tokens: number;
}

/** Returns unit vectors in the order of the texts. Throws `ProviderFault`. */
export async function embedTexts(
  transport: ProviderTransport,
  access: ProviderAccess,
  request: EmbedRequest,
  signal?: AbortSignal,
): Promise<Embedded> {
  const connection = connectionOf(access, transport.http);
  const maxTexts = MAX_TEXTS_PER_REQUEST[access.provider];
  if (maxTexts === 0)
    throw new ProviderFault('input', 'This provider has no embedding models. Choose another provider.');
  try {
    const rows: (readonly number[])[] = [];
    let tokens = 0;
    for (let start = 0; start < request.texts.length; start += maxTexts) {
      const texts = request.texts.slice(start, start + maxTexts);
      const answer = await requestVectors(transport, connection, { ...request, texts }, signal);
      rows.push(...answer.rows);
      tokens += tokensOf(answer.tokens, texts);
    }
    if (request.texts.length === 0) return { vectors: [], tokens };
    return { vectors: await runInSlices(unitVectors(rows, request.texts.length), connection.base), tokens };
  } catch (error) {
    throw toProviderFault(error, transport);
  }
}

/** Far above any real request, and small enough for exact sums. */
const MAX_COUNTED_TOKENS = 100_000_000;

/** The provider's token count if it is plausible, or an estimate. */
export function tokensOf(counted: number | undefined, texts: readonly string[]): number {
  if (Number.isSafeInteger(counted) && counted! > 0 && counted! <= MAX_COUNTED_TOKENS) return counted!;
  return estimateTokens(texts.reduce((sum, text) => sum + text.length, 0));
}

async function requestVectors(
  transport: ProviderTransport,
  connection: ProviderConnection,
  request: EmbedRequest,
  signal: AbortSignal | undefined,
): Promise<RawVectors> {
  const model = await embeddingModel(transport, connection, request.model);
  if (!model) return postEmbeddings(transport, connection, request, signal);
  const { embeddings, usage } = await model.doEmbed({
    values: [...request.texts],
    providerOptions: optionsFor(request.purpose),
    ...(signal && { abortSignal: signal }),
  });
  return { rows: embeddings, tokens: usage?.tokens ?? 0 };
}

function optionsFor(purpose: EmbedRequest['purpose']): SharedV3ProviderOptions {
  return {
    cohere: { inputType: purpose === 'query' ? 'search_query' : 'search_document' },
    google: { taskType: purpose === 'query' ? 'RETRIEVAL_QUERY' : 'RETRIEVAL_DOCUMENT' },
  };
}

/**
 * The AI SDK's model for providers with a format of their own; `undefined` for the others, which use OpenAI's or
 * Ollama's.
 */
async function embeddingModel(
  transport: ProviderTransport,
  { provider, key, base }: ProviderConnection,
  model: string,
): Promise<EmbeddingModelV3 | undefined> {
  const settings = { apiKey: key, baseURL: base, fetch: fetchOrFault(transport, 'vectors') };
  if (provider === 'google') {
    return (await import('@ai-sdk/google')).createGoogleGenerativeAI(settings).embedding(model);
  }
  if (provider === 'cohere') return (await import('@ai-sdk/cohere')).createCohere(settings).embedding(model);
  return undefined;
}

/**
 * Implements OpenAI's and Ollama's formats. The AI SDK's implementation ignores the `index` of vectors and always sends
 * `encoding_format: "float"`, which Voyage rejects.
 */
async function postEmbeddings(
  transport: ProviderTransport,
  connection: ProviderConnection,
  { model, texts, purpose }: EmbedRequest,
  signal: AbortSignal | undefined,
): Promise<RawVectors> {
  const format: VectorFormat = connection.provider === 'ollama' ? 'ollama' : 'openai';
  const answer = await fetchOrFault(transport, 'vectors')(
    connection.base + (format === 'ollama' ? '/api/embed' : '/embeddings'),
    jsonRequest(
      connection,
      { model, input: texts, ...(connection.provider === 'voyage' && { input_type: purpose }) },
      signal,
    ),
  );
  const chunks: Uint8Array[] = [];
  for await (const chunk of answer.body ?? []) chunks.push(chunk);
  return runInSlices(readVectors(chunks, format), connection.base);
}
