/**
 * Providers that a tenant can add a key for. Separate from the schemas, so that importing it loads no schema library.
 */
export const PROVIDERS = [
  'openai',
  'anthropic',
  'google',
  'mistral',
  'cohere',
  'voyage',
  'openrouter',
  'ollama',
  'openai-compatible',
] as const;
export type Provider = (typeof PROVIDERS)[number];

/** Providers that may work without a key. */
export const KEYLESS_PROVIDERS: ReadonlySet<Provider> = new Set(['ollama', 'openai-compatible']);
