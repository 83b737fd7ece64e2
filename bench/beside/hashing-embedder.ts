import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { stemOf } from '../../src/features/text/porter.ts';
import { queryTerms } from '../../src/features/text/terms.ts';
import { normalized } from '../retrieval/word-vectors.ts';

/** Dimensions of the vectors. */
export const DIMENSIONS = 1024;

/** An embedding service on a free port of this machine. */
export interface Embedder {
  /** The base URL of OpenAI's API. */
  url: string;
  close(): Promise<void>;
}

/** Serves OpenAI's embeddings endpoint with vectors of hashed words: a model that takes next to no time. */
export async function serveHashedWords(): Promise<Embedder> {
  const server = createServer(async (request, response) => {
    const answer = JSON.stringify(await embeddingsOf(request));
    response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function embeddingsOf(request: IncomingMessage) {
  const { input, model } = (await json(request)) as { input: string | string[]; model: string };
  const data = [input].flat().map((text, index) => ({ object: 'embedding', index, embedding: [...hashedWords(text)] }));
  return { object: 'list', model, data, usage: { prompt_tokens: 0, total_tokens: 0 } };
}

/** Counts the stems of a text's words in buckets, by the sign of another bit of their hash (Weinberger et al. 2009). */
function hashedWords(text: string): Float64Array {
  const counts = new Float64Array(DIMENSIONS);
  for (const stem of queryTerms(text).map(stemOf)) {
    const hash = hashOf(stem);
    counts[hash % DIMENSIONS]! += hash & 0x8000_0000 ? -1 : 1;
  }
  return normalized(counts);
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return hash;
}
