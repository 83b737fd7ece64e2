import type { IncomingHttpHeaders } from 'node:http';

/** A request as received by the server. */
export interface SeenRequest {
  method: string;
  /** Without the query. */
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  /** Parsed JSON, or `undefined` if the body is not JSON. */
  body: Record<string, unknown> | undefined;
}

/** A complete response; a `body` that is not a string is sent as JSON. */
export interface Reply {
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
}

/** Raw server-sent events. */
export interface Frames {
  frames: string[];
}

/** The model's input, parsed from the provider's format. */
export interface AskedModel {
  model: string;
  system: string;
  prompt: string;
  /** From where the provider expects it; absent if it was not there. */
  schema: unknown;
  streaming: boolean;
}

/** The output of the server's models, before formatting. */
export interface Brain {
  models: readonly string[];
  /** The generated text, in chunks. */
  write(asked: AskedModel): string[];
  embed(model: string, texts: readonly string[]): number[][];
  /** Token counts, the same for every provider, so that tests can assert them. */
  inputTokens: number;
  outputTokens: number;
  /** `false`: a streaming request gets a complete response, as from some compatible servers. */
  streams: boolean;
  /** `false`: a request for structured output is rejected. */
  knowsSchemas: boolean;
}

/** The API of one provider. */
export interface Wire {
  /** Path of the base URL. */
  basePath: string;
  keyOf(headers: IncomingHttpHeaders): string | undefined;
  /** Paths that need no key. */
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
