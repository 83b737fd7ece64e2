import type { ProviderSettings, ProviderSettingsChange } from '../contract/provider-settings.ts';
import type { NewProviderKey, Provider, ProviderKey, ProviderKeys } from '../contract/providers.ts';
import type { ApiPromise } from './api-promise.ts';
import type { CallOptions, ChangeOptions } from './call-options.ts';
import type { Transport } from './transport.ts';

/** Calls for model provider keys and for settings on how svc may use them. */
export function providerCalls({ send }: Transport) {
  const path = (provider: Provider) => `/v1/provider-keys/${encodeURIComponent(provider)}`;
  return {
    providerKeys: {
      /** Checks the key with the provider and replaces the previous one. `unverified` if the provider is unreachable. */
      put: (provider: Provider, key: NewProviderKey, options?: ChangeOptions): ApiPromise<ProviderKey> =>
        send('PUT', path(provider), key, options),
      list: (options?: CallOptions): ApiPromise<ProviderKeys> => send('GET', '/v1/provider-keys', undefined, options),
      get: (provider: Provider, options?: CallOptions): ApiPromise<ProviderKey> =>
        send('GET', path(provider), undefined, options),
      /** Checks the stored key with the provider. */
      validate: (provider: Provider, options?: CallOptions): ApiPromise<ProviderKey> =>
        send('POST', `${path(provider)}/validate`, undefined, options),
      delete: (provider: Provider, options?: ChangeOptions): ApiPromise<void> =>
        send('DELETE', path(provider), undefined, options),
    },
    providerSettings: {
      get: (options?: CallOptions): ApiPromise<ProviderSettings> =>
        send('GET', '/v1/provider-settings', undefined, options),
      update: (change: ProviderSettingsChange, options?: ChangeOptions): ApiPromise<ProviderSettings> =>
        send('PATCH', '/v1/provider-settings', change, options),
    },
  };
}
