import { AppError } from '../../contract/errors.ts';
import { KEYLESS_PROVIDERS, PROVIDERS, type Provider } from '../../contract/provider-names.ts';
import type { NewProviderKey } from '../../contract/providers.ts';

/** Throws `not_found` for what is no provider. */
export function parseProvider(name: string): Provider {
  const provider = PROVIDERS.find((one) => one === name);
  if (!provider) throw new AppError('not_found', `There is no such provider. There are: ${PROVIDERS.join(', ')}.`);
  return provider;
}

/** Throws `invalid_request` where the provider needs more than was given. */
export function requireCompleteKey(provider: Provider, { key, baseUrl }: NewProviderKey): void {
  const missing =
    key === undefined && !KEYLESS_PROVIDERS.has(provider)
      ? '/key'
      : baseUrl === undefined && provider === 'openai-compatible'
        ? '/baseUrl'
        : undefined;
  if (missing === undefined) return;
  const errors = [{ path: missing, message: `is needed for ${provider}` }];
  throw new AppError('invalid_request', `${missing} is needed for ${provider}.`, { errors });
}
