import type { IncomingHttpHeaders } from 'node:http';

/** A request as the server saw it. */
export interface SeenRequest {
  method: string;
  /** Without the query. */
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  /** As JSON; `undefined` where there is none. */
  body: Record<string, unknown> | undefined;
}

/** A whole answer; a `body` that is no text is sent as JSON. */
export interface Reply {
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
}

/** Server-sent events, each as it goes over the wire. */
export interface Frames {
  frames: string[];
}

/** What a model is asked, read off the provider's own format. */
export interface AskedModel {
  model: string;
  system: string;
  prompt: string;
  /** Where the provider wants it; absent where it was not given there. */
  schema: unknown;
  streaming: boolean;
}

/** What the server's models say, in no format yet. */
export interface Brain {
  models: readonly string[];
  /** The text that the model writes, in pieces. */
  write(asked: AskedModel): string[];
  embed(model: string, texts: readonly string[]): number[][];
  /** What a model counts: it is the same everywhere, so that a test can tell what was counted. */
  inputTokens: number;
  outputTokens: number;
  /** Off: a streaming request is answered in one piece, as some compatible servers do. */
  streams: boolean;
  /** Off: a request for structured output is refused. */
  knowsSchemas: boolean;
}

/** How one provider speaks. */
export interface Wire {
  /** Behind the host; the two together are the base URL. */
  basePath: string;
  keyOf(headers: IncomingHttpHeaders): string | undefined;
  /** Paths that are answered without a key. */
  isPublic(path: string): boolean;
  wrongKey: Reply;
  noSuchPath: Reply;
  answer(request: SeenRequest, brain: Brain): Reply | Frames | undefined;
}

export function bearerOf({ authorization }: IncomingHttpHeaders): string | undefined {
  return /^Bearer (.+)$/.exec(authorization ?? '')?.[1];
}

export const dataFrame = (data: unknown) => `data: ${JSON.stringify(data)}\n\n`;
export const eventFrame = (event: string, data: unknown) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
