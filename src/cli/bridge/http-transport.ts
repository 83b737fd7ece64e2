import http from 'node:http';
import https from 'node:https';
import { BATCH_MEDIA_TYPE } from '../../contract/mcp-batch.ts';
import { OWN_SPACE } from '../../contract/space-names.ts';
import { textLines } from '../text-lines.ts';

/** One POST to the daemon's MCP endpoint. */
export interface TransportRequest {
  url: string;
  apiKey: string;
  headers: Record<string, string>;
  body: string;
  /** JSON unless given. */
  mediaType?: string;
  /** Whether the message is a call of a tool. */
  isToolCall: boolean;
  signal: AbortSignal;
}

/** The daemon's response: its messages as JSON texts, or the whole body if the server does not speak JSON-RPC. */
export interface TransportResponse {
  status: number;
  retryAfterSeconds: number | undefined;
  contentType: string;
  /** Yields each message of a JSON or event stream response as it arrives; a 202 has none. */
  messages(): AsyncGenerator<string>;
}

/** Sends a message to the daemon. Rejects if the connection fails, or with the signal's reason. */
export type Transport = (outgoing: TransportRequest) => Promise<TransportResponse>;

/** The space in which an MCP endpoint acts, and those that its tools read together: names or ids, separated by commas. */
export interface EndpointSpaces {
  space?: string | undefined;
  spaces?: string | undefined;
}

/** Adds spaces to the MCP endpoint. */
export function endpointIn({ space, spaces }: EndpointSpaces, path = '/v1/mcp'): string {
  const parameters = [
    ...(space === undefined || space === OWN_SPACE ? [] : [`space=${encodeURIComponent(space)}`]),
    ...(spaces === undefined ? [] : [`spaces=${encodeURIComponent(spaces)}`]),
  ];
  if (parameters.length === 0) return path;
  return `${path}${path.includes('?') ? '&' : '?'}${parameters.join('&')}`;
}

const CONNECT_TIMEOUT_MS = 10_000;
/** The error code of a connection that took too long to open. */
export const CONNECT_TIMEOUT = 'ETIMEDOUT';

/**
 * Creates a transport with keep-alive connections on `node:http`, which is already loaded at startup; `fetch` costs
 * about twenty milliseconds on first use. `path` may contain a query.
 */
export function createHttpTransport(path = '/v1/mcp'): Transport {
  const agents = { 'http:': new http.Agent({ keepAlive: true }), 'https:': new https.Agent({ keepAlive: true }) };
  return async (outgoing) => {
    const url = new URL(path, outgoing.url);
    const secure = url.protocol === 'https:';
    const options: http.RequestOptions = {
      method: 'POST',
      agent: agents[secure ? 'https:' : 'http:'],
      signal: outgoing.signal,
      headers: {
        ...outgoing.headers,
        authorization: `Bearer ${outgoing.apiKey}`,
        accept: 'application/json, text/event-stream',
        'content-type': outgoing.mediaType ?? 'application/json',
        'content-length': Buffer.byteLength(outgoing.body),
      },
    };
    return toTransportResponse(
      await requestWithRetry(() => (secure ? https : http).request(url, options), outgoing.body),
    );
  };
}

/**
 * Retries once on a new connection if a reused one was closed. The daemon closes idle connections when it restarts or
 * they time out, so the request was most likely never read.
 */
async function requestWithRetry(open: () => http.ClientRequest, body: string): Promise<http.IncomingMessage> {
  const first = open();
  try {
    return await sendRequest(first, body);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (!first.reusedSocket || (code !== 'ECONNRESET' && code !== 'EPIPE')) throw error;
    return sendRequest(open(), body).catch(() => {
      throw error;
    });
  }
}

function connectTimeout(): Error {
  return Object.assign(new Error('The connection timed out'), { code: CONNECT_TIMEOUT });
}

function sendRequest(request: http.ClientRequest, body: string): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve);
    request.on('error', reject);
    request.once('socket', (socket) => {
      if (!socket.connecting) return;
      const timer = setTimeout(() => request.destroy(connectTimeout()), CONNECT_TIMEOUT_MS);
      socket.once('connect', () => clearTimeout(timer));
      socket.once('close', () => clearTimeout(timer));
    });
    request.end(body);
  });
}

function toTransportResponse(response: http.IncomingMessage): TransportResponse {
  const contentType = response.headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? '';
  const retryAfter = Number(response.headers['retry-after'] ?? Number.NaN);
  return {
    status: response.statusCode ?? 0,
    retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : undefined,
    contentType,
    async *messages() {
      if (contentType === 'text/event-stream') return yield* readEventData(response);
      if (contentType === BATCH_MEDIA_TYPE) return yield* textLines(response);
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk as Buffer);
      if (chunks.length > 0) yield Buffer.concat(chunks).toString('utf8');
    },
  };
}

/**
 * Yields the `data` of each server-sent event as soon as the event is complete. Ignores other fields (`event`, `id`,
 * `retry`), comments, and an incomplete event at the end of the stream (HTML, 9.2.6).
 */
export async function* readEventData(stream: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let data: string[] = [];
  for await (const line of textLines(stream)) {
    if (line === '') {
      if (data.length > 0) yield data.join('\n');
      data = [];
    } else if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5));
  }
}
