import { AppError } from '../../contract/errors.ts';
import { KEYLESS_PROVIDERS, PROVIDERS, type Provider } from '../../contract/provider-names.ts';
import type { NewProviderKey } from '../../contract/providers.ts';

/** Throws `not_found` for an unknown provider. */
export function parseProvider(name: string): Provider {
  const provider = PROVIDERS.find((one) => one === name);
  if (!provider) throw new AppError('not_found', `Unknown provider. Providers: ${PROVIDERS.join(', ')}.`);
  return provider;
}

/** Throws `invalid_request` if the provider requires a field that is missing. */
export function requireCompleteKey(provider: Provider, { key, baseUrl }: NewProviderKey): void {
  const missing =
    key === undefined && !KEYLESS_PROVIDERS.has(provider)
      ? '/key'
      : baseUrl === undefined && provider === 'openai-compatible'
        ? '/baseUrl'
        : undefined;
  if (missing === undefined) return;
  const errors = [{ path: missing, message: `is required for ${provider}` }];
  throw new AppError('invalid_request', `${missing} is required for ${provider}.`, { errors });
}
