import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** An embedding service on a free port of this machine. */
export interface Embedder {
  /** The base URL of OpenAI's API. */
  url: string;
  close(): Promise<void>;
}

/** Makes a vector of each text. */
type EmbedAll = (texts: readonly string[]) => Promise<Iterable<number>[]>;

/** Serves OpenAI's embeddings endpoint with the vectors of a model. */
export async function serveEmbeddings(embedAll: EmbedAll): Promise<Embedder> {
  const server = createServer(async (request, response) => {
    const answer = JSON.stringify(await embeddingsOf(request, embedAll));
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

async function embeddingsOf(request: IncomingMessage, embedAll: EmbedAll) {
  const { input, model } = (await json(request)) as { input: string | string[]; model: string };
  const vectors = await embedAll([input].flat());
  const data = vectors.map((vector, index) => ({ object: 'embedding', index, embedding: [...vector] }));
  return { object: 'list', model, data, usage: { prompt_tokens: 0, total_tokens: 0 } };
}
