import { KEYLESS_PROVIDERS, type Provider } from '../../contract/provider-names.ts';
import { ProviderFault } from './provider-fault.ts';
import type { ProviderHttp } from './provider-http.ts';

/** A provider with its key and address. */
export interface ProviderAccess {
  provider: Provider;
  /** Optional for ollama and openai-compatible only. */
  key: string | undefined;
  /** Replaces the provider's default base URL; openai-compatible has no default. */
  baseUrl: string | undefined;
}

/** Base URLs as the AI SDK expects them: it appends its paths. */
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

/** A validated `ProviderAccess`. */
export interface ProviderConnection {
  provider: Provider;
  /**
   * Empty if there is none. Always a string, because the AI SDK would read a missing key from the environment, which is
   * the operator's.
   */
  key: string;
  base: string;
}

/** Throws a `ProviderFault` if the key or the address is missing, or the address is not allowed. */
export function connectionOf({ provider, key, baseUrl }: ProviderAccess, http: ProviderHttp): ProviderConnection {
  if (!key && !KEYLESS_PROVIDERS.has(provider))
    throw new ProviderFault('refused', 'This provider requires a key. Add one to svc.');
  const address = baseUrl ?? (provider === 'openai-compatible' ? undefined : DEFAULT_BASE_URLS[provider]);
  if (address === undefined) {
    throw new ProviderFault('address', 'openai-compatible requires a base URL, such as https://models.example.com/v1.');
  }
  const base = http.checkAddress(address);
  return { provider, key: key ?? '', base: provider === 'ollama' ? base.replace(/\/v1$/, '') : base };
}

/** A JSON request to a provider, with the key. */
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

/** Each provider's authentication headers; the key is never in the URL. */
export function keyHeaders({ provider, key }: ProviderConnection): Record<string, string> {
  if (key === '') return {};
  if (provider === 'anthropic') return { 'x-api-key': key, 'anthropic-version': '2023-06-01' };
  if (provider === 'google') return { 'x-goog-api-key': key };
  return { authorization: `Bearer ${key}` };
}
