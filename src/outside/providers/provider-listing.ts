import { fetchOrFault, unusableResponse, type ProviderTransport, toProviderFault } from './provider-response.ts';
import {
  connectionOf,
  jsonRequest,
  keyHeaders,
  type ProviderAccess,
  type ProviderConnection,
} from './provider-connection.ts';
import { ProviderFault } from './provider-fault.ts';
import type { Purpose } from './provider-http.ts';

const MAX_MODELS = 500;
const NAME = /^[^\u0000-\u0020\u007f]{1,200}$/;

/** Voyage lists no models; the first is the cheapest, by which a key is checked. */
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

/** The names of the models by the cheapest call for which the provider looks at the key. Throws `ProviderFault`. */
export async function listModels(line: ProviderTransport, access: ProviderAccess, signal?: AbortSignal): Promise<string[]> {
  const connection = connectionOf(access, line.http);
  try {
    if (connection.provider === 'voyage') return await checkVoyage(line, connection, signal);
    if (connection.provider !== 'openrouter')
      return namesIn(await get(line, connection, 'check', listPath(connection), signal));
    // Its list is public: it says nothing about the key.
    await get(line, connection, 'check', '/key', signal);
    return namesIn(await get(line, connection, 'names', '/models', signal));
  } catch (error) {
    throw asCheck(toProviderFault(error, line));
  }
}

/** A check asks for nothing that could be at fault; what is left is the address. */
function asCheck(fault: ProviderFault): ProviderFault {
  if (fault.reason !== 'input') return fault;
  return new ProviderFault('failed', 'The provider does not answer as it should at this address. Check the base URL.');
}

function listPath({ provider }: ProviderConnection): string {
  if (provider === 'anthropic') return '/models?limit=500';
  if (provider === 'google') return '/models?pageSize=500';
  if (provider === 'cohere') return '/models?page_size=500';
  return provider === 'ollama' ? '/api/tags' : '/models';
}

async function get(
  line: ProviderTransport,
  connection: ProviderConnection,
  purpose: Purpose,
  path: string,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  // Cohere's list has stayed at the version before.
  const base = connection.provider === 'cohere' ? connection.base.replace(/\/v2$/, '/v1') : connection.base;
  const headers = { accept: 'application/json', ...keyHeaders(connection) };
  const answer = await fetchOrFault(line, purpose)(base + path, { headers, signal: signal ?? null });
  return answer.json();
}

async function checkVoyage(
  line: ProviderTransport,
  connection: ProviderConnection,
  signal?: AbortSignal,
): Promise<string[]> {
  const asked = jsonRequest(connection, { model: VOYAGE_MODELS[0], input: ['svc'] }, signal);
  const answer = await fetchOrFault(line, 'check')(`${connection.base}/embeddings`, asked);
  if (!Array.isArray(((await answer.json()) as { data?: unknown } | null)?.data)) throw unusableResponse('no vectors', false);
  return [...VOYAGE_MODELS];
}

/** `data` with `id` as OpenAI has it, `models` with `name` as Google, Cohere and Ollama do, or the bare list. */
function namesIn(answer: unknown): string[] {
  const { data, models } = (answer ?? {}) as { data?: unknown; models?: unknown };
  const list = [data, models, answer].find(Array.isArray) as unknown[] | undefined;
  if (!list) throw unusableResponse('no list of models', false);
  return list
    .map((entry) => (entry ?? {}) as { id?: unknown; name?: unknown })
    .map(({ id, name }) => id ?? name)
    .filter((name) => typeof name === 'string')
    .map((name) => name.replace(/^models\//, ''))
    .filter((name) => NAME.test(name) && name.isWellFormed())
    .slice(0, MAX_MODELS);
}
