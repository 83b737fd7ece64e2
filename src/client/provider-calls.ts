import type { ProviderSettings, ProviderSettingsChange } from '../contract/provider-settings.ts';
import type { NewProviderKey, Provider, ProviderKey, ProviderKeys } from '../contract/providers.ts';
import { type ChangeOptions, ifMatchHeader, type Transport } from './calls.ts';

/** Calls for model provider keys and for settings on how svc may use them. */
export function providerCalls({ send, read }: Transport) {
  const path = (provider: Provider) => `/v1/provider-keys/${encodeURIComponent(provider)}`;
  return {
    providerKeys: {
      /** Checks the key with the provider and replaces the previous one. `unverified` if the provider is unreachable. */
      put: (provider: Provider, key: NewProviderKey, extra?: ChangeOptions) =>
        send<ProviderKey>('PUT', path(provider), key, ifMatchHeader(extra)),
      list: () => send<ProviderKeys>('GET', '/v1/provider-keys'),
      get: (provider: Provider) => send<ProviderKey>('GET', path(provider)),
      /** Checks the stored key with the provider. */
      validate: (provider: Provider) => send<ProviderKey>('POST', `${path(provider)}/validate`),
      /** Reads the key's entry with its `ETag`. */
      read: (provider: Provider) => read<ProviderKey>(path(provider)),
      remove: (provider: Provider, extra?: ChangeOptions) =>
        send<void>('DELETE', path(provider), undefined, ifMatchHeader(extra)),
    },
    providerSettings: {
      show: () => send<ProviderSettings>('GET', '/v1/provider-settings'),
      /** Reads the settings with their `ETag`. */
      read: () => read<ProviderSettings>('/v1/provider-settings'),
      change: (change: ProviderSettingsChange, extra?: ChangeOptions) =>
        send<ProviderSettings>('PATCH', '/v1/provider-settings', change, ifMatchHeader(extra)),
    },
  };
}
