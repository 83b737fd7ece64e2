/**
 * Whose models a tenant can bring a key for. Apart from the schemas, so that who only names a provider loads no schema
 * library.
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

/** Those that may do without a key. */
export const KEYLESS_PROVIDERS: ReadonlySet<Provider> = new Set(['ollama', 'openai-compatible']);
