/** The parts of a JSON-RPC 2.0 message that the bridge reads, in either protocol era. */
export interface Message {
  id?: string | number | null;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { code: number; message: string };
}

/** A message that expects an answer. */
export interface RpcRequest extends Message {
  id: string | number;
  method: string;
}

/** JSON-RPC error codes. */
export const RPC_ERROR = { parse: -32700, invalid: -32600, unknownMethod: -32601, internal: -32603 } as const;

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';

/** The parameter that `Mcp-Name` repeats, by method (SEP-2243, SEP-2663). */
const NAME_PARAMETERS: Record<string, string> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

/** Parses a line; `undefined` if it is not a JSON object. */
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

/** The protocol revision in a message of the stateless era; `undefined` in earlier eras. */
export function declaredVersion({ params }: Message): string | undefined {
  const meta = params?._meta as Record<string, unknown> | undefined;
  const version = meta?.[VERSION_KEY];
  return typeof version === 'string' ? version : undefined;
}

/**
 * The headers that must match the body. A message of the stateless era states its own revision; earlier ones use the
 * revision negotiated by `initialize`, once there is one.
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

/** The assistant that an `initialize` comes from, as a product of a User-Agent; `undefined` for other messages. */
export function productOf({ method, params }: Message): string | undefined {
  const { name, version } = (params?.clientInfo ?? {}) as { name?: unknown; version?: unknown };
  if (method !== 'initialize' || typeof name !== 'string') return undefined;
  const [product, release] = [name, version].map((text) => toToken(typeof text === 'string' ? text : ''));
  return product === '' ? undefined : [product, ...(release === '' ? [] : [release])].join('/');
}

/** Letters, digits and what tokens of HTTP contain besides; spaces become dashes. */
function toToken(text: string): string {
  return text
    .slice(0, 100)
    .trim()
    .replaceAll(/ +/g, '-')
    .replaceAll(/[^\w.+-]/g, '');
}

/** Encodes a value that is not a valid header value as Base64 (SEP-2243). */
function encodeHeaderValue(value: string): string {
  const plain = /^[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?$/.test(value) && !/^=\?base64\?.*\?=$/i.test(value);
  return plain ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`;
}

/** A protocol error; `id` is `null` if it could not be read from the message. */
export function rpcError(id: string | number | null, code: number, message: string): Message {
  return { ...envelope(id), error: { code, message } };
}

export function rpcResult(id: string | number, result: Record<string, unknown>): Message {
  return { ...envelope(id), result };
}

function envelope(id: string | number | null): Message {
  return { jsonrpc: '2.0', id } as Message;
}
