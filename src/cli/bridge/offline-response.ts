import type { BridgeError } from './bridge-error.ts';
import { declaredVersion, type Message, RPC_ERROR, type RpcRequest, rpcError, rpcResult } from './message.ts';
import type { OfflineLists } from './offline-lists.ts';
import type { ToolList } from './tool-sets.ts';

/** Facts that the bridge can report without the daemon. */
export interface OfflineData {
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
export function offlineResponse(
  request: RpcRequest,
  outage: BridgeError,
  { tools, lists, version }: OfflineData,
): Message {
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
