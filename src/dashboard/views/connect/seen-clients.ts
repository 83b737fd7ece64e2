import { assistantOf } from '../../../cli/assistants/assistant-names.ts';
import type { ActivityEntry, Client } from '../../../client/client.ts';

/** A client that used MCP, and when it last did. */
export interface SeenClient {
  client: string;
  lastSeenAt: string;
}

/** Requests that are looked through for what has just happened. */
const LATEST_REQUESTS = 50;

/** Lists the clients that used MCP within 30 days. */
export async function loadSeenClients(client: Client, signal: AbortSignal): Promise<SeenClient[]> {
  const { clients } = await client.activity.stats({}, { signal });
  return clients.filter(({ transport }) => transport === 'mcp');
}

/** Lists the clients of the latest MCP requests. Costs little, so that it can be repeated while waiting for one. */
export async function loadLatestClients(client: Client, signal: AbortSignal): Promise<SeenClient[]> {
  const { data } = await client.activity.list({ transport: 'mcp', limit: LATEST_REQUESTS }, { signal });
  return seenClients(data);
}

/** Returns each client once, with its latest request. `entries` are in order, latest first. */
export function seenClients(entries: readonly Pick<ActivityEntry, 'client' | 'at'>[]): SeenClient[] {
  const seen = new Map<string, SeenClient>();
  for (const { client, at } of entries) if (!seen.has(client)) seen.set(client, { client, lastSeenAt: at });
  return [...seen.values()];
}

/** Returns when each assistant was last seen, by id. */
export function lastSeen(clients: readonly SeenClient[]): Map<string, string> {
  const seen = new Map<string, string>();
  for (const { client, lastSeenAt } of clients) {
    const id = assistantOf(client);
    if (id !== undefined && lastSeenAt > (seen.get(id) ?? '')) seen.set(id, lastSeenAt);
  }
  return seen;
}

/** Returns the names of the clients that are none of the assistants that svc can set up. */
export function otherClients(clients: readonly SeenClient[]): string[] {
  const names = clients.map(({ client }) => client).filter((client) => assistantOf(client) === undefined);
  return [...new Set(names)];
}
