import { Agent, request } from 'undici';
import { JsonScan } from '../../contract/json-scan.ts';
import type { Clock } from '../../lib/clock.ts';
import { runInSlices } from '../../lib/time-slices.ts';
import { readRetryAfter } from '../retry-after.ts';
import { type Embedder, type EmbedderAddress, EmbedderFault, toEmbedderFault } from './embedder.ts';
import { readVectors, unitVectors, VECTOR_JSON, type VectorFormat } from './vector-response.ts';

const CONNECT_TIMEOUT_MS = 5000;
/** Long enough for a server that loads the model at the first request. */
const RESPONSE_TIMEOUT_MS = 60_000;
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;

/** Connects to the embedding server at `address`. Follows no redirects, so that the key goes nowhere else. */
export function createEmbedder(address: EmbedderAddress, clock: Clock): Embedder {
  const agent = new Agent({ connections: 8, connect: { timeout: CONNECT_TIMEOUT_MS } });
  return {
    async embed(model, texts, { signal } = {}) {
      const limit = AbortSignal.timeout(RESPONSE_TIMEOUT_MS);
      const abortSignal = signal ? AbortSignal.any([signal, limit]) : limit;
      const chunks = await post({ agent, clock }, address, { model, input: texts }, abortSignal);
      try {
        return await runInSlices(vectorsInSteps(chunks, address.speaks, texts.length), address.url);
      } catch (error) {
        throw toEmbedderFault(error);
      }
    },
    prepare: async () => {},
    retain: async () => {},
    close: () => agent.destroy(),
  };
}

function* vectorsInSteps(
  chunks: readonly Buffer[],
  speaks: VectorFormat,
  count: number,
): Generator<void, Float32Array[]> {
  const { rows } = yield* readVectors(chunks, speaks);
  return yield* unitVectors(rows, count);
}

async function post(
  { agent, clock }: { agent: Agent; clock: Clock },
  { speaks, url, key }: EmbedderAddress,
  body: { model: string; input: readonly string[] },
  signal: AbortSignal,
): Promise<Buffer[]> {
  try {
    const response = await request(url + (speaks === 'ollama' ? '/api/embed' : '/embeddings'), {
      dispatcher: agent,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify(body),
      signal,
    });
    if (response.statusCode !== 200) {
      response.body.on('error', () => {}).destroy();
      const retryAfter = String(response.headers['retry-after'] ?? '');
      throw statusFault(response.statusCode, readRetryAfter(retryAfter, clock.nowMs()));
    }
    return await readBounded(response.body);
  } catch (error) {
    if (error instanceof EmbedderFault) throw error;
    const { code, name } = error as NodeJS.ErrnoException;
    throw new EmbedderFault('unavailable', `it is not responding (${code ?? name})`);
  }
}

async function readBounded(body: AsyncIterable<Buffer>): Promise<Buffer[]> {
  const chunks: Buffer[] = [];
  const scan = new JsonScan(VECTOR_JSON);
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > MAX_RESPONSE_BYTES) throw new EmbedderFault('answer', 'it returned more than 16 MiB');
    const fault = scan.read(chunk);
    if (fault !== undefined) throw new EmbedderFault('answer', `it returned JSON that ${fault}`);
    chunks.push(chunk);
  }
  return chunks;
}

function statusFault(status: number, retryAfterMs: number | undefined): EmbedderFault {
  const message = `it returned status ${status}`;
  if (status >= 500 || status === 408 || status === 429) {
    return new EmbedderFault('unavailable', message, { retryAfterMs, maybeTexts: status === 500 });
  }
  return new EmbedderFault([400, 413, 422].includes(status) ? 'texts' : 'settings', message);
}
