import autocannon from 'autocannon';
import { type Latencies, latenciesOf } from './statistics.ts';

/** A request to repeat; a body given as a function is built for each request. */
export interface LoadRequest {
  method: 'GET' | 'POST';
  path: string;
  apiKey: string;
  body?: string | (() => string);
}

export interface LoadOptions {
  /** Of one server, or of several that share the connections. */
  url: string | readonly string[];
  connections: number;
  /** Duration; ignored when `amount`, the total number of requests, is set. */
  seconds?: number;
  amount?: number;
  /** Of all connections together, at most; as fast as they can by default. */
  perSecond?: number;
  /** The requests that a connection cycles through. */
  requestsOf(connection: number): LoadRequest[];
}

export interface LoadResult extends Latencies {
  /** Requests answered. */
  count: number;
  perSecond: number;
}

/**
 * Sends requests over `connections` keep-alive connections, one at a time on each. Throws if any response is not 2xx,
 * because latencies that include refusals are meaningless.
 */
export async function load(options: LoadOptions): Promise<LoadResult> {
  const { url, connections, seconds, amount, perSecond, requestsOf } = options;
  const latencies: number[] = [];
  const failures: Record<number, number> = {};
  let connection = 0;
  const startedMs = performance.now();
  // autocannon checks only once a second whether it is done.
  let lastMs = startedMs;
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const run = autocannon(
      {
        // It takes several too, whatever its types say.
        url: url as string,
        connections,
        ...(amount === undefined ? { duration: seconds ?? 1 } : { amount }),
        ...(perSecond !== undefined && { overallRate: perSecond }),
        setupClient: (client) => client.setRequests(requestsOf(connection++).map(toRequest)),
      },
      (error, finished) => (error ? reject(error) : resolve(finished)),
    );
    run.on('response', (_client, status, _bytes, ms) => {
      lastMs = performance.now();
      if (status >= 200 && status < 300) latencies.push(ms);
      else failures[status] = (failures[status] ?? 0) + 1;
    });
  });
  if (result.errors > 0) throw new Error(`${result.errors} requests to ${url} failed`);
  if (Object.keys(failures).length > 0) throw new Error(`${url} answered with: ${JSON.stringify(failures)}`);
  const count = latencies.length;
  return { count, perSecond: (count / (lastMs - startedMs)) * 1000, ...latenciesOf(latencies) };
}

function toRequest({ method, path, apiKey, body }: LoadRequest): autocannon.Request {
  const headers = {
    authorization: `Bearer ${apiKey}`,
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
  if (typeof body !== 'function') return { method, path, headers, ...(body !== undefined && { body }) };
  return { method, path, headers, body: body(), setupRequest: (request) => ({ ...request, body: body() }) };
}
