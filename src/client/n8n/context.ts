import { type Client, createClient } from '../client.ts';

/** What the nodes use of n8n in any of their functions. */
export interface NodeContext {
  getCredentials(name: string): Promise<Record<string, unknown>>;
}

/** A user of svc, in both nodes. */
export const USER = {
  ...{ displayName: 'User', name: 'user', type: 'string', default: '' },
  description: 'Whose memories they are, in an account that serves several people',
};

/** Returns a client with the credentials of a node. */
export async function clientOf(context: NodeContext): Promise<Client> {
  const { url, apiKey } = await context.getCredentials('svcApi');
  return createClient({ baseUrl: String(url), apiKey: String(apiKey) });
}
