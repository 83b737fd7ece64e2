import type { ProviderSettings, ProviderSettingsChange } from '../contract/provider-settings.ts';
import type { NewProviderKey, Provider, ProviderKey, ProviderKeys } from '../contract/providers.ts';
import type { Transport } from './calls.ts';

/** The calls about keys of model providers, and what svc may do with them by itself. */
export function providerCalls({ send }: Transport) {
  const path = (provider: Provider) => `/v1/provider-keys/${encodeURIComponent(provider)}`;
  return {
    providerKeys: {
      /** Checked with the provider and kept in the place of the former one; `unverified` where it could not be asked. */
      put: (provider: Provider, key: NewProviderKey) => send<ProviderKey>('PUT', path(provider), key),
      list: () => send<ProviderKeys>('GET', '/v1/provider-keys'),
      get: (provider: Provider) => send<ProviderKey>('GET', path(provider)),
      /** Asks the provider again. */
      validate: (provider: Provider) => send<ProviderKey>('POST', `${path(provider)}/validate`),
      remove: (provider: Provider) => send<void>('DELETE', path(provider)),
    },
    providerSettings: {
      show: () => send<ProviderSettings>('GET', '/v1/provider-settings'),
      change: (change: ProviderSettingsChange) => send<ProviderSettings>('PATCH', '/v1/provider-settings', change),
    },
  };
}
