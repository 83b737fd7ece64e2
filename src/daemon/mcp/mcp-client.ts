import type { FastifyRequest } from 'fastify';
import { clientOfInfo, clientOfUserAgent } from '../../features/activity/client-name.ts';

/** Finds the names of the clients that send MCP messages. */
export interface McpClients {
  /**
   * Names the client of a message, by default the body of the request, by the `clientInfo` in it or in its `initialize`,
   * otherwise by its User-Agent.
   */
  nameOf(request: FastifyRequest, message?: unknown): string;
  /** Whether the client of a message said that it shows screens of tools (MCP Apps), there or in its `initialize`. */
  showsApps(request: FastifyRequest, message?: unknown): boolean;
}

const MAX_REMEMBERED = 5000;
/** Names the client in protocol revisions without `initialize`. */
const CLIENT_INFO = 'io.modelcontextprotocol/clientInfo';
const CLIENT_CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const APPS = 'io.modelcontextprotocol/ui';
const APP_MIME_TYPE = 'text/html;profile=mcp-app';

interface Message {
  method?: unknown;
  params?: { clientInfo?: unknown; capabilities?: unknown; _meta?: Record<string, unknown> | null } | null;
}

/**
 * There are no sessions: only `initialize` carries a `clientInfo`, which counts for further messages of the same tenant
 * and User-Agent.
 */
export function createMcpClients(): McpClients {
  const initialized = new Map<string, string>();
  const showing = new Map<string, boolean>();
  const keyOf = ({ principal, headers }: FastifyRequest) =>
    `${principal.tenantId} ${headers['user-agent']?.slice(0, 200)}`;
  return {
    showsApps(request, message = request.body) {
      const { method, params } = (message ?? {}) as Message;
      const own = params?.capabilities ?? params?._meta?.[CLIENT_CAPABILITIES];
      if (method === 'initialize') remember(showing, keyOf(request), declaresApps(own));
      return own === undefined ? (showing.get(keyOf(request)) ?? false) : declaresApps(own);
    },
    nameOf(request, message = request.body) {
      const { method, params } = (message ?? {}) as Message;
      const userAgent = request.headers['user-agent'];
      const key = keyOf(request);
      const own = clientOfInfo(params?.clientInfo ?? params?._meta?.[CLIENT_INFO]);
      if (own !== undefined && method === 'initialize') {
        remember(initialized, key, own);
      }
      return own ?? initialized.get(key) ?? clientOfUserAgent(userAgent);
    },
  };
}

function remember<T>(known: Map<string, T>, key: string, value: T): void {
  known.delete(key);
  if (known.size >= MAX_REMEMBERED) known.delete(known.keys().next().value!);
  known.set(key, value);
}

function declaresApps(capabilities: unknown): boolean {
  const { extensions } = (capabilities ?? {}) as { extensions?: Record<string, { mimeTypes?: unknown } | null> | null };
  const mimeTypes = extensions?.[APPS]?.mimeTypes;
  return Array.isArray(mimeTypes) && mimeTypes.includes(APP_MIME_TYPE);
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
