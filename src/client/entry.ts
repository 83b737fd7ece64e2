import { type Client, type ClientOptions, createClient as createConfiguredClient } from './client.ts';

export * from './client.ts';

const DEFAULT_URL = 'http://127.0.0.1:8787';

/**
 * Creates a client as `client.ts` does. `baseUrl` and `apiKey` default to the environment variables `SVC_URL` and
 * `SVC_API_KEY`, where there is an environment.
 */
export function createClient(options: Partial<ClientOptions> = {}): Client {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  const env = process?.env ?? {};
  return createConfiguredClient({
    ...options,
    baseUrl: options.baseUrl ?? (env.SVC_URL || DEFAULT_URL),
    apiKey: options.apiKey ?? (env.SVC_API_KEY || undefined),
  });
}
