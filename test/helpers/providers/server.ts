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

/** Default models of each kind of server; the first generates, the second embeds. */
const MODELS: Record<Provider, readonly [string, string]> = {
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
  /** If absent, any key is accepted, and none too. */
  key?: string;
  /** Response to `generate`; objects are serialized as JSON, strings are sent unchanged. */
  answer?: (asked: AskedModel) => unknown;
  dimensions?: number;
  models?: readonly string[];
}

export type ProviderServer = Awaited<ReturnType<typeof startProviderServer>>;

/** A loopback server that implements the provider's API and fails on demand. */
export async function startProviderServer(kind: Provider, options: ProviderServerOptions = {}) {
  const wire = WIRES[kind];
  const requests: SeenRequest[] = [];
  const troubles: Trouble[] = [];
  const state = {
    answer: options.answer ?? (() => ({})),
    /** The response to requests that `next` does not cover; if absent, a valid response after this delay. */
    troubleFor: noTrouble,
    /** Target of `redirect`. */
    redirectTo: 'http://127.0.0.1:9/',
    /** Bytes sent by `huge` and `bomb`. */
    troubleStatus: 200,
    bytesSent: 0,
    /** Number of connections accepted. */
    connections: 0,
    /** Requests whose response is still incomplete. */
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
    /** Uses the accepted key unless another is given. */
    access: (key: string | undefined = options.key ?? 'any-key'): ProviderAccess => ({ provider: kind, key, baseUrl }),
    generating: brain.models[0]!,
    embedding: brain.models[1] ?? brain.models[0]!,
    /** All requests received, in order. */
    requests,
    brain,
    state,
    /** Makes the next requests fail this way, one each, without checking the key. */
    next: (...wanted: Trouble[]) => void troubles.push(...wanted),
    /** Sets the response to `generate`. */
    respond(answer: (asked: AskedModel) => unknown) {
      state.answer = answer;
    },
    /** Clears failures and recorded requests. */
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

/** Splits a text into small chunks, as a model streams it. */
function inPieces(text: string): string[] {
  return text.match(/[\s\S]{1,7}/g) ?? [''];
}
