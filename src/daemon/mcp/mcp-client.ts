import type { FastifyRequest } from 'fastify';
import { clientOfInfo, clientOfUserAgent } from '../../features/activity/client-name.ts';

/** Finds the names of the clients that send MCP messages. */
export interface McpClients {
  /**
   * Names the client of a message, by default the body of the request, by the `clientInfo` in it or in its `initialize`,
   * otherwise by its User-Agent.
   */
  nameOf(request: FastifyRequest, message?: unknown): string;
}

const MAX_REMEMBERED = 5000;
/** Names the client in protocol revisions without `initialize`. */
const CLIENT_INFO = 'io.modelcontextprotocol/clientInfo';

interface Message {
  method?: unknown;
  params?: { clientInfo?: unknown; _meta?: Record<string, unknown> | null } | null;
}

/**
 * There are no sessions: only `initialize` carries a `clientInfo`, which counts for further messages of the same tenant
 * and User-Agent.
 */
export function createMcpClients(): McpClients {
  const initialized = new Map<string, string>();
  return {
    nameOf(request, message = request.body) {
      const { method, params } = (message ?? {}) as Message;
      const userAgent = request.headers['user-agent'];
      const key = `${request.principal.tenantId} ${userAgent?.slice(0, 200)}`;
      const own = clientOfInfo(params?.clientInfo ?? params?._meta?.[CLIENT_INFO]);
      if (own !== undefined && method === 'initialize') {
        initialized.delete(key);
        if (initialized.size >= MAX_REMEMBERED) initialized.delete(initialized.keys().next().value!);
        initialized.set(key, own);
      }
      return own ?? initialized.get(key) ?? clientOfUserAgent(userAgent);
    },
  };
}

/** The methods of messages that are named in the activity. */
const METHODS = new Set([
  ...['initialize', 'ping', 'server/discover', 'notifications/initialized', 'notifications/cancelled'],
  ...['tools/list', 'tools/call', 'prompts/list', 'prompts/get'],
  ...['resources/list', 'resources/read', 'resources/templates/list'],
]);

/** The method of an MCP message; that of its HTTP request if the message has no known one. */
export function mcpMethodOf({ body, method: httpMethod }: FastifyRequest): string {
  const { method } = (body ?? {}) as Message;
  return typeof method === 'string' && METHODS.has(method) ? method : httpMethod;
}
