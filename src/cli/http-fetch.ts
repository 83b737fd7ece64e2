import { once } from 'node:events';
import http from 'node:http';
import { Readable } from 'node:stream';
import type { Fetch } from '../client/client.ts';

/**
 * `fetch` for the client, built on Node's http module. The global `fetch` takes a tenth of a second on first use, longer
 * than most commands take in total.
 */
export function createHttpFetch(): Fetch {
  const agents = new Map<string, Promise<{ agent: http.Agent; request: typeof http.request }>>();
  function agentOf(protocol: string) {
    const known = agents.get(protocol) ?? openAgent(protocol);
    agents.set(protocol, known);
    return known;
  }
  return async (address, { method, headers, body, signal }) => {
    const url = new URL(address);
    const { agent, request: send } = await agentOf(url.protocol);
    const length = typeof body === 'string' ? { 'content-length': Buffer.byteLength(body) } : {};
    const sentHeaders = { 'user-agent': 'svc-cli', ...headers, ...length };
    const options = { method, signal, agent, headers: sentHeaders };
    const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
      const request = send(url, options, resolve);
      request.on('error', reject);
      if (body instanceof Blob) sendStream(body.stream(), request).catch((error) => request.destroy(error));
      else if (typeof body === 'object') sendStream(body, request).catch((error) => request.destroy(error));
      else request.end(body);
    });
    const status = response.statusCode ?? 0;
    return {
      ok: status >= 200 && status < 300,
      status,
      headers: { get: (name) => [response.headers[name.toLowerCase()] ?? null].flat().join(', ') || null },
      async text() {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk as Buffer);
        return Buffer.concat(chunks).toString('utf8');
      },
      get body() {
        // The default strategy would buffer thousands of chunks.
        const stream = Readable.toWeb(response, { strategy: { highWaterMark: 1 } });
        return stream as unknown as ReadableStream<Uint8Array>;
      },
    };
  };
}

/** TLS is loaded lazily: most daemons are on the same machine. */
async function openAgent(protocol: string) {
  const { Agent, request } = protocol === 'https:' ? await import('node:https') : http;
  return { agent: new Agent({ keepAlive: true }), request };
}

/** Streams a body with backpressure. Stops if the response arrives before the end. */
async function sendStream(body: ReadableStream<Uint8Array>, request: http.ClientRequest): Promise<void> {
  const reader = body.getReader();
  const ended = new AbortController();
  const end = () => {
    ended.abort();
    reader.cancel().catch(() => {});
  };
  request.once('close', end).once('response', (response: http.IncomingMessage) => {
    end();
    // A connection with a half-sent request cannot be reused.
    response.once('end', () => request.writableEnded || request.destroy());
  });
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (ended.signal.aborted) return;
      if (done) {
        request.end();
        return;
      }
      if (!request.write(value)) await once(request, 'drain', { signal: ended.signal });
    }
  } catch (error) {
    if (!ended.signal.aborted) throw error;
  }
}
