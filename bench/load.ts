import autocannon from 'autocannon';
import { type Latencies, latenciesOf } from './statistics.ts';

/** One request of a load; a body as a function is made anew each time. */
export interface LoadRequest {
  method: 'GET' | 'POST';
  path: string;
  apiKey: string;
  body?: string | (() => string);
}

export interface LoadOptions {
  url: string;
  connections: number;
  /** How long, or else how many in all. */
  seconds?: number;
  amount?: number;
  /** What each connection sends, over and over. */
  requestsOf(connection: number): LoadRequest[];
}

export interface LoadResult extends Latencies {
  perSecond: number;
}

/**
 * Sends requests over so many connections, on each the next one when the last is answered. Throws where any answer is
 * not 2xx: a figure with refusals in it means nothing.
 */
export async function load(options: LoadOptions): Promise<LoadResult> {
  const { url, connections, seconds, amount, requestsOf } = options;
  const latencies: number[] = [];
  const refusals: Record<number, number> = {};
  let connection = 0;
  const startedMs = performance.now();
  // The generator looks only once a second whether it is done.
  let lastMs = startedMs;
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const run = autocannon(
      {
        url,
        connections,
        ...(amount === undefined ? { duration: seconds ?? 1 } : { amount }),
        setupClient: (client) => client.setRequests(requestsOf(connection++).map(toRequest)),
      },
      (error, finished) => (error ? reject(error) : resolve(finished)),
    );
    run.on('response', (_client, status, _bytes, ms) => {
      lastMs = performance.now();
      if (status >= 200 && status < 300) latencies.push(ms);
      else refusals[status] = (refusals[status] ?? 0) + 1;
    });
  });
  if (result.errors > 0) throw new Error(`${result.errors} requests to ${url} failed`);
  if (Object.keys(refusals).length > 0) throw new Error(`${url} refused: ${JSON.stringify(refusals)}`);
  return { perSecond: (latencies.length / (lastMs - startedMs)) * 1000, ...latenciesOf(latencies) };
}

function toRequest({ method, path, apiKey, body }: LoadRequest): autocannon.Request {
  const headers = {
    authorization: `Bearer ${apiKey}`,
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
  if (typeof body !== 'function') return { method, path, headers, ...(body !== undefined && { body }) };
  return { method, path, headers, body: body(), setupRequest: (request) => ({ ...request, body: body() }) };
}
