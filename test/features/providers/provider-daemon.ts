import type { ProviderKey } from '../../../src/contract/providers.ts';
import { parseAllowedHost } from '../../../src/outside/providers/provider-address.ts';
import type { TestDaemonOptions } from '../../helpers/daemon.ts';
import { type ProviderServer, startProviderServer } from '../../helpers/providers/server.ts';
import { type Caller, startMemoryDaemon } from '../memories/memory-daemon.ts';

/** A daemon whose operator allows providers on loopback. */
export function startProviderDaemon({ config, ...options }: TestDaemonOptions = {}) {
  return startMemoryDaemon({ ...options, config: { ...config, providerHosts: [parseAllowedHost('127.0.0.1')] } });
}

/** Stores the key that the server accepts, or another. */
export function putKey(caller: Caller, { kind, baseUrl }: ProviderServer, key: string, more: object = {}) {
  return caller.call<ProviderKey>(`/v1/provider-keys/${kind}`, {
    method: 'PUT',
    body: { key, baseUrl, ...more },
  });
}

export { startProviderServer };
