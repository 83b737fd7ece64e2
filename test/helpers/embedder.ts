import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EmbedderAddress } from '../../src/outside/models/embedder.ts';

/** How the fake embedder fails. */
export type Failure =
  | { status: number; headers?: Record<string, string> }
  | 'hang'
  | 'wrong dimensions'
  | 'wrong count'
  | 'zero'
  | 'no JSON'
  | 'deep JSON'
  | 'endless';

interface AskedEmbedder {
  path: string;
  authorization: string | undefined;
  model: string;
  input: string[];
}

export type FakeEmbedder = Awaited<ReturnType<typeof startEmbedder>>;

/**
 * Groups of synonyms: texts with different words of a group are near each other. Without a model, svc relates those of
 * English, but not the German one.
 */
const SAME = [
  ['car', 'automobile', 'vehicle', 'fahrzeug'],
  ['doctor', 'physician'],
  ['cat', 'feline', 'kitten'],
  ['home', 'dwelling', 'residence'],
];
const MEANING = new Map(SAME.flatMap((words) => words.map((word) => [word, words[0]!])));

/** Embeds a text as a bag of its meanings, hashed into `dimensions`; each model hashes differently. */
export function embeddingOf(model: string, text: string, dimensions: number): number[] {
  const vector = Array<number>(dimensions).fill(0.01);
  for (const [word] of text.toLowerCase().matchAll(/\p{L}+|\p{N}+/gu)) {
    const meaning = MEANING.get(word) ?? MEANING.get(word.replace(/s$/, '')) ?? word.replace(/(ing|ed|s)$/, '');
    let hash = hashOf(`${model} ${meaning}`);
    for (let part = 0; part < 4; part += 1) {
      vector[hash % dimensions]! += hash & 0x8000_0000 ? -1 : 1;
      hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0;
    }
  }
  return vector;
}

/** Embeds a text as noise: every text gets a unique direction. */
export function noiseOf(_model: string, text: string, dimensions: number): number[] {
  let hash = hashOf(text);
  return Array.from({ length: dimensions }, () => {
    hash = (Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
    return (hash ^ (hash >>> 13)) / 2 ** 32 - 0.5;
  });
}

function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ character.codePointAt(0)!, 0x01000193) >>> 0;
  return hash;
}

/** Starts a fake embedder on a real socket that speaks the protocols of OpenAI and Ollama, and fails on demand. */
export async function startEmbedder({ dimensions = 64 }: { dimensions?: number } = {}) {
  const asked: AskedEmbedder[] = [];
  const held: (() => void)[] = [];
  const state = {
    failure: undefined as Failure | undefined,
    /** What it makes of a text. */
    embedding: embeddingOf as typeof embeddingOf,
    /** Texts that it rejects, and with which status. */
    refuses: (_text: string): boolean => false,
    refusal: 400,
    /** Models that it reports as missing. */
    lacks: new Set<string>(),
    /** Holds responses until `release`. */
    holding: false,
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { model, input } = JSON.parse(Buffer.concat(chunks).toString()) as { model: string; input: string[] };
    const { authorization } = request.headers;
    asked.push({ path: request.url!, authorization, model, input });
    if (state.holding) await new Promise<void>((resolve) => held.push(resolve));
    const { failure } = state;
    if (failure === 'hang') return;
    if (failure === 'endless') return void pourOut(response);
    if (typeof failure === 'object') return void response.writeHead(failure.status, failure.headers).end('{}');
    if (state.lacks.has(model)) return void response.writeHead(404).end('{}');
    if (input.some(state.refuses)) return void response.writeHead(state.refusal).end('{}');
    const size = failure === 'wrong dimensions' ? dimensions + 1 : dimensions;
    const vectors = input.map((text) =>
      failure === 'zero' ? Array(size).fill(0) : state.embedding(model, text, size),
    );
    if (failure === 'wrong count') vectors.pop();
    const data = vectors.map((embedding, index) => ({ object: 'embedding', index, embedding }));
    const body = request.url === '/api/embed' ? { model, embeddings: vectors } : { object: 'list', data };
    response.writeHead(200, { 'content-type': 'application/json' });
    const text = failure === 'deep JSON' ? `[${'['.repeat(100_000)}` : JSON.stringify(body);
    response.end(failure === 'no JSON' ? '<html>' : text);
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const base = `http://127.0.0.1:${port}`;

  return {
    asked,
    state,
    base,
    /** The texts of all requests so far. */
    texts: () => asked.flatMap(({ input }) => input),
    release() {
      state.holding = false;
      for (const resolve of held.splice(0)) resolve();
    },
    openai: (model = 'small', key?: string): EmbedderAddress => ({ speaks: 'openai', url: `${base}/v1`, model, key }),
    ollama: (model = 'small'): EmbedderAddress => ({ speaks: 'ollama', url: base, model, key: undefined }),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function pourOut(response: ServerResponse): void {
  const megabyte = ' '.repeat(1024 * 1024);
  const pour = () => {
    while (!response.destroyed && response.write(megabyte)) {
      // Until the socket is full.
    }
  };
  response.writeHead(200).on('drain', pour);
  pour();
}
