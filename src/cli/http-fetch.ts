import http from 'node:http';
import https from 'node:https';
import type { Fetch } from '../client/client.ts';

/**
 * `fetch` for the client on Node's own http. The platform's costs a tenth of a second at its first call, which is more
 * than the rest of most commands.
 */
export function createHttpFetch(): Fetch {
  const agents = { 'http:': new http.Agent({ keepAlive: true }), 'https:': new https.Agent({ keepAlive: true }) };
  return async (address, { method, headers, body, signal }) => {
    const url = new URL(address);
    const secure = url.protocol === 'https:';
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    const options = { method, signal, agent: agents[secure ? 'https:' : 'http:'], headers: { ...headers, ...length } };
    const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
      const request = (secure ? https : http).request(url, options, resolve);
      request.on('error', reject);
      request.end(body);
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
    };
  };
}
