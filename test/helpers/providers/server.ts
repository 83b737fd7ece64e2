import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Provider } from '../../../src/contract/providers.ts';
import { type AllowedHost, parseAllowedHost } from '../../../src/outside/providers/provider-address.ts';
import type { ProviderAccess } from '../../../src/outside/providers/provider-models.ts';
import { embeddingOf } from '../embedder.ts';
import { anthropicWire } from './anthropic-wire.ts';
import { cohereWire } from './cohere-wire.ts';
import { googleWire } from './google-wire.ts';
import { mistralWire, ollamaWire, openaiWire, openrouterWire, voyageWire } from './openai-wire.ts';
import { makeTrouble, send, type Trouble } from './trouble.ts';
import type { AskedModel, Brain, SeenRequest, Wire } from './wire.ts';

export { PUBLISHED } from './errors.ts';
export type { Trouble } from './trouble.ts';
export type { AskedModel, Reply, SeenRequest } from './wire.ts';

const WIRES: Record<Provider, Wire> = {
  openai: openaiWire,
  anthropic: anthropicWire,
  google: googleWire,
  mistral: mistralWire,
  cohere: cohereWire,
  voyage: voyageWire,
  openrouter: openrouterWire,
  ollama: ollamaWire,
  'openai-compatible': openaiWire,
};

const noTrouble = (_seen: SeenRequest): Promise<Trouble | undefined> => Promise.resolve(undefined);

/** Models that each kind of server has unless it is told others; the first writes, the second embeds. */
export const MODELS: Record<Provider, readonly [string, string]> = {
  openai: ['gpt-4.1-mini', 'text-embedding-3-small'],
  anthropic: ['claude-haiku-4-5', 'claude-sonnet-4-5'],
  google: ['gemini-2.5-flash', 'gemini-embedding-001'],
  mistral: ['mistral-small-latest', 'mistral-embed'],
  cohere: ['command-a-03-2025', 'embed-v4.0'],
  voyage: ['voyage-4', 'voyage-4-lite'],
  openrouter: ['openai/gpt-4.1-mini', 'openai/text-embedding-3-small'],
  ollama: ['llama3.2', 'nomic-embed-text'],
  'openai-compatible': ['some-model', 'some-embedder'],
};

export interface ProviderServerOptions {
  /** Absent: any key is right, and none too. */
  key?: string;
  /** What `generate` is answered; an object is written as JSON, a text as it is. */
  answer?: (asked: AskedModel) => unknown;
  dimensions?: number;
  models?: readonly string[];
}

export type ProviderServer = Awaited<ReturnType<typeof startProviderServer>>;

/** A server on loopback that speaks as the provider does, and fails when it is told to. */
export async function startProviderServer(kind: Provider, options: ProviderServerOptions = {}) {
  const wire = WIRES[kind];
  const requests: SeenRequest[] = [];
  const troubles: Trouble[] = [];
  const state = {
    answer: options.answer ?? (() => ({})),
    /** What a request gets that none of the troubles of `next` is for; absent: an answer, after as long as this takes. */
    troubleFor: noTrouble,
    /** Where `redirect` leads to. */
    redirectTo: 'http://127.0.0.1:9/',
    /** Of `huge` and `bomb`. */
    troubleStatus: 200,
    bytesSent: 0,
    /** So many came in. */
    connections: 0,
    /** Requests whose connection still waits for the end of the answer. */
    answering: 0,
  };
  const brain: Brain = {
    models: options.models ?? MODELS[kind],
    write(asked) {
      const answer = state.answer(asked);
      return inPieces(typeof answer === 'string' ? answer : JSON.stringify(answer));
    },
    embed: (model, texts) => texts.map((text) => embeddingOf(model, text, options.dimensions ?? 16)),
    inputTokens: 111,
    outputTokens: 22,
    streams: true,
    knowsSchemas: true,
  };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const seen = await see(request);
    requests.push(seen);
    const trouble = troubles.shift() ?? (await state.troubleFor(seen));
    const isLocked = options.key !== undefined && !wire.isPublic(seen.path);
    if (trouble !== undefined) makeTrouble(trouble, seen, response, state);
    else if (isLocked && wire.keyOf(seen.headers) !== options.key) send(response, wire.wrongKey, seen);
    else send(response, wire.answer(seen, brain) ?? wire.noSuchPath, seen);
  }

  const server = createServer((request, response) => {
    state.answering += 1;
    response.on('close', () => {
      state.answering -= 1;
    });
    serve(request, response).catch(() => response.destroy());
  });
  server.on('connection', () => {
    state.connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const baseUrl = `http://${host}${wire.basePath}`;

  return {
    kind,
    baseUrl,
    /** `host:port`, for SVC_PROVIDER_HOSTS. */
    host,
    allowed: parseAllowedHost(host) satisfies AllowedHost,
    /** With the right key unless another is given. */
    access: (key: string | undefined = options.key ?? 'any-key'): ProviderAccess => ({ provider: kind, key, baseUrl }),
    generating: brain.models[0]!,
    embedding: brain.models[1] ?? brain.models[0]!,
    /** All that came in, in order. */
    requests,
    brain,
    state,
    /** The next requests get these, one each; they do not look at the key. */
    next: (...wanted: Trouble[]) => void troubles.push(...wanted),
    /** What `generate` is answered from now on. */
    respond(answer: (asked: AskedModel) => unknown) {
      state.answer = answer;
    },
    /** As new: no troubles, no requests. */
    reset() {
      troubles.length = 0;
      requests.length = 0;
      Object.assign(brain, { streams: true, knowsSchemas: true });
      Object.assign(state, { connections: 0, bytesSent: 0, troubleStatus: 200, troubleFor: noTrouble });
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function see(request: IncomingMessage): Promise<SeenRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const { pathname, searchParams } = new URL(request.url!, 'http://localhost');
  const body = text === '' ? undefined : (JSON.parse(text) as Record<string, unknown>);
  return { method: request.method!, path: pathname, query: searchParams, headers: request.headers, body };
}

/** As a model writes: some characters at a time. */
function inPieces(text: string): string[] {
  return text.match(/[\s\S]{1,7}/g) ?? [''];
}
