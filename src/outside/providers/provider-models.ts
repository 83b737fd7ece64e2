import {
  connectionOf,
  jsonRequest,
  keyHeaders,
  type ProviderAccess,
  type ProviderConnection,
} from './provider-connection.ts';
import { type Embedded, type EmbedRequest, embedTexts } from './provider-embedding.ts';
import { ProviderFault } from './provider-fault.ts';
import { type Generated, type GenerateRequest, generateObject } from './provider-generation.ts';
import type { Purpose } from './provider-http.ts';
import { fetchOrFault, type ProviderTransport, toProviderFault, unusableResponse } from './provider-response.ts';
import { createKnownCapabilities } from './server-capabilities.ts';

export type { ProviderAccess } from './provider-connection.ts';
export { type Embedded, type EmbedRequest, MAX_TEXTS_PER_REQUEST } from './provider-embedding.ts';
export { ProviderFault, type TokensSpent } from './provider-fault.ts';
export type { GenerateRequest } from './provider-generation.ts';

const MAX_MODELS = 500;
const NAME = /^[^\u0000-\u0020\u007f]{1,200}$/;

/** Voyage has no endpoint that lists models. The first is the cheapest, used to check keys. */
const VOYAGE_MODELS = [
  'voyage-4-lite',
  'voyage-4',
  'voyage-4-large',
  'voyage-code-3',
  'voyage-finance-2',
  'voyage-law-2',
  'voyage-3.5-lite',
  'voyage-3.5',
  'voyage-3-large',
];

/** Lists model names with the cheapest call that authenticates. Throws `ProviderFault`. */
async function listModels(
  transport: ProviderTransport,
  access: ProviderAccess,
  signal?: AbortSignal,
): Promise<string[]> {
  const connection = connectionOf(access, transport.http);
  try {
    if (connection.provider === 'voyage') return await checkVoyage(transport, connection, signal);
    if (connection.provider !== 'openrouter')
      return modelNamesIn(await get(transport, connection, 'check', listPath(connection), signal));
    // OpenRouter's model list is public, so it does not check the key.
    await get(transport, connection, 'check', '/key', signal);
    return modelNamesIn(await get(transport, connection, 'names', '/models', signal));
  } catch (error) {
    throw asCheck(toProviderFault(error, transport));
  }
}

/** A check sends no input that could be rejected, so the address must be wrong. */
function asCheck(fault: ProviderFault): ProviderFault {
  if (fault.reason !== 'input') return fault;
  return new ProviderFault('failed', 'The provider gave an unexpected response at this address. Check the base URL.');
}

function listPath({ provider }: ProviderConnection): string {
  if (provider === 'anthropic') return '/models?limit=500';
  if (provider === 'google') return '/models?pageSize=500';
  if (provider === 'cohere') return '/models?page_size=500';
  return provider === 'ollama' ? '/api/tags' : '/models';
}

async function get(
  transport: ProviderTransport,
  connection: ProviderConnection,
  purpose: Purpose,
  path: string,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  // Cohere lists models in v1 of its API only.
  const base = connection.provider === 'cohere' ? connection.base.replace(/\/v2$/, '/v1') : connection.base;
  const headers = { accept: 'application/json', ...keyHeaders(connection) };
  const response = await fetchOrFault(transport, purpose)(base + path, { headers, signal: signal ?? null });
  return response.json();
}

async function checkVoyage(
  transport: ProviderTransport,
  connection: ProviderConnection,
  signal?: AbortSignal,
): Promise<string[]> {
  const request = jsonRequest(connection, { model: VOYAGE_MODELS[0], input: ['svc'] }, signal);
  const response = await fetchOrFault(transport, 'check')(`${connection.base}/embeddings`, request);
  if (!Array.isArray(((await response.json()) as { data?: unknown } | null)?.data))
    throw unusableResponse('no vectors', false);
  return [...VOYAGE_MODELS];
}

/** Reads `data[].id` (OpenAI), `models[].name` (Google, Cohere, Ollama) or a bare list. */
function modelNamesIn(response: unknown): string[] {
  const { data, models } = (response ?? {}) as { data?: unknown; models?: unknown };
  const list = [data, models, response].find(Array.isArray) as unknown[] | undefined;
  if (!list) throw unusableResponse('no list of models', false);
  return list
    .map((entry) => (entry ?? {}) as { id?: unknown; name?: unknown })
    .map(({ id, name }) => id ?? name)
    .filter((name) => typeof name === 'string')
    .map((name) => name.replace(/^models\//, ''))
    .filter((name) => NAME.test(name) && name.isWellFormed())
    .slice(0, MAX_MODELS);
}

/** Models of all providers, called with the key that each call passes. Nothing is retried: that is up to the caller. */
export interface ProviderModels {
  /**
   * Lists up to 500 model names with the cheapest authenticated call. Throws `ProviderFault`, never with reason
   * `input`.
   */
  list(access: ProviderAccess, signal?: AbortSignal): Promise<string[]>;
  /** Returns unit vectors in the order of the texts, all with the same dimensions. Throws `ProviderFault`. */
  embed(access: ProviderAccess, request: EmbedRequest, signal?: AbortSignal): Promise<Embedded>;
  /**
   * Returns a value that matches the schema. Throws `ProviderFault`, with the tokens spent if the response is unusable.
   */
  generate(access: ProviderAccess, request: GenerateRequest, signal?: AbortSignal): Promise<Generated>;
  /** Closes connections immediately; requests in flight fail. */
  close(): Promise<void>;
}

/** Takes ownership of `transport.http` and closes it. */
export function createProviderModels(transport: ProviderTransport): ProviderModels {
  const known = createKnownCapabilities();
  return {
    list: (access, signal) => listModels(transport, access, signal),
    embed: (access, request, signal) => embedTexts(transport, access, request, signal),
    generate: (access, request, signal) => generateObject(transport, known, access, request, signal),
    close: () => transport.http.close(),
  };
}
