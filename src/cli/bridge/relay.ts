import { BridgeError } from './bridge-error.ts';
import type { Forward } from './forward.ts';
import {
  declaredVersion,
  isRequest,
  type Message,
  mcpHeaders,
  productOf,
  RPC_ERROR,
  type RpcRequest,
  rpcError,
  rpcResult,
} from './message.ts';
import type { OfflineLists } from './offline-lists.ts';
import type { ToolCache } from './tool-cache.ts';
import type { ToolList, ToolSet } from './tool-sets.ts';

/** Facts that the bridge can report without the daemon. */
interface OfflineData {
  tools: ToolList;
  lists: OfflineLists;
  version: string;
}

/** Revisions that start with `initialize`, newest first. */
const HANDSHAKE_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;
const STATELESS_VERSION = '2026-07-28';
const NO_LIST_CHANGES = { listChanged: false };
/** Prevents caching: the next answer may come from the daemon itself. */
const UNCACHED = { ttlMs: 0, cacheScope: 'private' };

/**
 * Answers for the daemon while it is unreachable, so that the assistant starts, lists the tools, and on the first call
 * gets a tool result that says what to do. If the bridge exited instead, the assistant would only show "failed".
 */
function offlineResponse(request: RpcRequest, outage: BridgeError, { tools, lists, version }: OfflineData): Message {
  const stateless = declaredVersion(request) !== undefined;
  const serverInfo = { name: 'svc', title: 'svc memory', version };
  const result = (fields: Record<string, unknown>) =>
    rpcResult(request.id, {
      ...fields,
      ...(stateless && { resultType: 'complete', _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo } }),
    });
  const capabilities = {
    tools: NO_LIST_CHANGES,
    ...(lists['resources/list'] && { resources: NO_LIST_CHANGES }),
    ...(lists['prompts/list'] && { prompts: NO_LIST_CHANGES }),
  };
  const instructions = `Long-term memory that outlives this conversation. It is currently unavailable: ${outage.message}`;
  switch (request.method) {
    case 'initialize':
      return result({
        protocolVersion: handshakeVersion(request),
        capabilities,
        serverInfo,
        instructions,
      });
    case 'server/discover':
      return result({ supportedVersions: [STATELESS_VERSION], capabilities, instructions, ...UNCACHED });
    case 'ping':
      return result({});
    case 'tools/list':
      return result({ tools, ...(stateless && UNCACHED) });
    case 'tools/call':
      return result({ content: [{ type: 'text', text: outage.message }], isError: true });
    default: {
      const list = Object.hasOwn(lists, request.method) ? lists[request.method] : undefined;
      if (list) return result({ ...list, ...(stateless && UNCACHED) });
      return rpcError(request.id, RPC_ERROR.internal, outage.message);
    }
  }
}

function handshakeVersion({ params }: RpcRequest): string {
  return HANDSHAKE_VERSIONS.find((version) => version === params?.protocolVersion) ?? HANDSHAKE_VERSIONS[0];
}

export interface RelayDependencies {
  forward: Forward;
  toolCache: ToolCache;
  toolSet: ToolSet;
  version: string;
  /** Writes one protocol message; adds the line end. */
  write(line: string): void;
  /** Logs for `--debug`: methods, ids and outcomes, never a key or a memory. */
  log(text: string): void;
}

/** Forwards one message to the daemon and writes the answer, its own if the daemon gives none. Never rejects. */
export type Relay = (message: Message, line: string, signal: AbortSignal) => Promise<void>;

export function createRelay({ forward, toolCache, toolSet, version, write, log }: RelayDependencies): Relay {
  let agreedVersion: string | undefined;
  let product: string | undefined;

  /** The assistant says who it is once; HTTP says so in every request. */
  function headersOf(message: Message): Record<string, string> {
    product = productOf(message) ?? product;
    const userAgent = [...(product === undefined ? [] : [product]), `svc-bridge/${version}`].join(' ');
    return { ...mcpHeaders(message, agreedVersion), 'user-agent': userAgent };
  }

  /** Remembers the protocol revision and the tool list from an answer. */
  async function remember(request: Message, { result }: Message): Promise<void> {
    if (request.method === 'initialize' && typeof result?.protocolVersion === 'string') {
      agreedVersion = result.protocolVersion;
    }
    if (request.method === 'tools/list' && Array.isArray(result?.tools) && result.nextCursor === undefined) {
      await toolCache.store(result.tools as ToolList);
    }
  }

  /** Forwards a request and writes the daemon's messages. Throws `BridgeError` if there is no answer among them. */
  async function forwardRequest(request: RpcRequest, line: string, signal: AbortSignal): Promise<void> {
    let answered = false;
    const isToolCall = request.method === 'tools/call';
    for await (const { message, text } of forward({ body: line, headers: headersOf(request), isToolCall, signal })) {
      if (message.method !== undefined) write(text);
      else if (!answered) {
        answered = true;
        // An error from the HTTP layer does not carry the request's id.
        write(message.id == null ? JSON.stringify({ ...message, id: request.id }) : text);
        await remember(request, message);
      }
    }
    if (!answered) throw new BridgeError('The svc daemon ended the connection without an answer. Call again.');
  }

  async function answerOffline(request: RpcRequest, error: unknown): Promise<void> {
    const outage =
      error instanceof BridgeError ? error : new BridgeError(`The svc bridge failed: ${(error as Error).message}`);
    const answer = offlineResponse(request, outage, { tools: await toolCache.list(), lists: toolSet.lists, version });
    if (request.method === 'initialize') await remember(request, answer);
    write(JSON.stringify(answer));
  }

  async function forwardNotification(message: Message, line: string, signal: AbortSignal): Promise<void> {
    for await (const _ of forward({ body: line, headers: headersOf(message), isToolCall: false, signal }));
  }

  return async (message, line, signal) => {
    const name = `${message.method ?? 'response'} ${message.id ?? ''}`.trim();
    try {
      await (isRequest(message) ? forwardRequest(message, line, signal) : forwardNotification(message, line, signal));
      log(`${name}: done`);
    } catch (error) {
      log(`${name}: ${signal.aborted ? 'canceled' : (error as Error).message}`);
      if (isRequest(message) && !signal.aborted) await answerOffline(message, error);
    }
  };
}
