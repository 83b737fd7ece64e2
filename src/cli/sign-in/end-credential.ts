import { createClient } from '../../client/client.ts';
import { isDeviceToken } from '../../lib/secret.ts';

/** Ends an API key, or the connection of a device's token, at its daemon. Throws the errors of the client. */
export async function endCredential(options: Parameters<typeof createClient>[0] & { apiKey: string }): Promise<void> {
  const client = createClient(options);
  if (!isDeviceToken(options.apiKey)) return client.auth.revokeKey();
  const { credential } = await client.account.get();
  await client.connections.delete(credential.id!);
}
