/** One JSON-RPC 2.0 message of either protocol era, as far as the bridge looks into it. */
export interface Message {
  id?: string | number | null;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { code: number; message: string };
}

/** A message that wants an answer. */
export interface RpcRequest extends Message {
  id: string | number;
  method: string;
}

/** What a message without its own answer came to nothing of: JSON-RPC's error codes. */
export const RPC_ERROR = { parse: -32700, invalid: -32600, unknownMethod: -32601, internal: -32603 } as const;

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';

/** Which parameter `Mcp-Name` repeats, by method (SEP-2243, SEP-2663). */
const NAME_PARAMETERS: Record<string, string> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

/** The message in a line, or `undefined` where the line holds no JSON object. */
export function parseMessage(line: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Message) : undefined;
  } catch {
    return undefined;
  }
}

export function isRequest(message: Message): message is RpcRequest {
  return typeof message.method === 'string' && (typeof message.id === 'string' || typeof message.id === 'number');
}

/** The revision that a message of the stateless era names itself; earlier eras name none. */
export function declaredVersion({ params }: Message): string | undefined {
  const meta = params?._meta as Record<string, unknown> | undefined;
  const version = meta?.[VERSION_KEY];
  return typeof version === 'string' ? version : undefined;
}

/**
 * The headers that must say the same as the body. A message of the stateless era states its revision itself; one of the
 * eras before goes under the revision that `initialize` agreed on, once there is one.
 */
export function mcpHeaders(message: Message, agreedVersion: string | undefined): Record<string, string> {
  const version = declaredVersion(message);
  if (version === undefined) return agreedVersion === undefined ? {} : { 'mcp-protocol-version': agreedVersion };
  const headers: Record<string, string> = { 'mcp-protocol-version': encodeHeaderValue(version) };
  if (message.method === undefined) return headers;
  headers['mcp-method'] = encodeHeaderValue(message.method);
  const parameter = Object.hasOwn(NAME_PARAMETERS, message.method) ? NAME_PARAMETERS[message.method] : undefined;
  const name = parameter === undefined ? undefined : message.params?.[parameter];
  if (typeof name === 'string') headers['mcp-name'] = encodeHeaderValue(name);
  return headers;
}

/** As SEP-2243 writes a value that a header cannot hold as it is. */
function encodeHeaderValue(value: string): string {
  const plain = /^[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?$/.test(value) && !/^=\?base64\?.*\?=$/i.test(value);
  return plain ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`;
}

/** A refusal of the protocol itself; `id` is `null` where the message has none that can be read. */
export function rpcError(id: string | number | null, code: number, message: string): Message {
  return { ...envelope(id), error: { code, message } };
}

export function rpcResult(id: string | number, result: Record<string, unknown>): Message {
  return { ...envelope(id), result };
}

function envelope(id: string | number | null): Message {
  return { jsonrpc: '2.0', id } as Message;
}
