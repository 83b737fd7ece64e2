import { KEYLESS_PROVIDERS, type Provider } from '../../contract/provider-names.ts';
import { ProviderFault } from './provider-fault.ts';
import type { ProviderHttp } from './provider-http.ts';

/** By whose key, and where, a model is spoken to. */
export interface ProviderAccess {
  provider: Provider;
  /** Only ollama and openai-compatible do without. */
  key: string | undefined;
  /** In place of the provider's own address; openai-compatible has none of its own. */
  baseUrl: string | undefined;
}

/** By the convention of the AI SDK: what its paths are put behind. */
const DEFAULT_BASE_URLS: Record<Exclude<Provider, 'openai-compatible'>, string> = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
  google: 'https://generativelanguage.googleapis.com/v1beta',
  mistral: 'https://api.mistral.ai/v1',
  cohere: 'https://api.cohere.com/v2',
  voyage: 'https://api.voyageai.com/v1',
  openrouter: 'https://openrouter.ai/api/v1',
  ollama: 'http://127.0.0.1:11434',
};

/** An access that can be called. */
export interface ProviderConnection {
  provider: Provider;
  /**
   * Empty where there is none. Always a text: the AI SDK takes a missing one from the environment, which would be the
   * operator's.
   */
  key: string;
  base: string;
}

/** Throws a `ProviderFault` where key or address is missing, or svc may not call there. */
export function connectionOf({ provider, key, baseUrl }: ProviderAccess, http: ProviderHttp): ProviderConnection {
  if (!key && !KEYLESS_PROVIDERS.has(provider))
    throw new ProviderFault('refused', 'There is no key for this provider. Give svc one.');
  const address = baseUrl ?? (provider === 'openai-compatible' ? undefined : DEFAULT_BASE_URLS[provider]);
  if (address === undefined) {
    throw new ProviderFault('address', 'openai-compatible needs a base URL, such as https://models.example.com/v1.');
  }
  const base = http.checkAddress(address);
  return { provider, key: key ?? '', base: provider === 'ollama' ? base.replace(/\/v1$/, '') : base };
}

/** A body in JSON for a provider, with the key. */
export function jsonRequest(
  connection: ProviderConnection,
  body: object,
  signal: AbortSignal | undefined,
): RequestInit {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', ...keyHeaders(connection) },
    body: JSON.stringify(body),
    signal: signal ?? null,
  };
}

/** How each provider wants to see the key; never in the URL. */
export function keyHeaders({ provider, key }: ProviderConnection): Record<string, string> {
  if (key === '') return {};
  if (provider === 'anthropic') return { 'x-api-key': key, 'anthropic-version': '2023-06-01' };
  if (provider === 'google') return { 'x-goog-api-key': key };
  return { authorization: `Bearer ${key}` };
}
