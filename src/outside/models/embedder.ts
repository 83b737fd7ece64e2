import { InvalidVectors, type VectorFormat } from './vector-response.ts';

/** A model that svc runs itself. */
export interface LocalModel {
  /** Absolute path. */
  folder: string;
}

/** Address and protocol of an embedding server. */
export interface EmbedderAddress {
  speaks: VectorFormat;
  /** Base URL without key, model and trailing slash. */
  url: string;
  model: string;
  key: string | undefined;
}

/**
 * Why there are no vectors. `settings`: the key, the address or the model is wrong; `unavailable`: a retry may succeed;
 * `texts`: these texts are rejected, others may not be; `answer`: the response is invalid.
 */
export class EmbedderFault extends Error {
  readonly reason: 'settings' | 'unavailable' | 'texts' | 'answer';
  /** How long the embedder asks to wait before the next request. */
  readonly retryAfterMs: number | undefined;
  /** The texts may be the cause: some servers fail on a text that is too long. */
  readonly maybeTexts: boolean;

  constructor(
    reason: EmbedderFault['reason'],
    message: string,
    { retryAfterMs, maybeTexts = reason === 'texts' }: { retryAfterMs?: number | undefined; maybeTexts?: boolean } = {},
  ) {
    super(message);
    this.name = 'EmbedderFault';
    this.reason = reason;
    this.retryAfterMs = retryAfterMs;
    this.maybeTexts = maybeTexts;
  }
}

interface EmbedOptions {
  /** The role of the texts, for models that distinguish them; documents if absent. */
  purpose?: 'query' | 'document';
  signal?: AbortSignal;
}

/** Turns texts into unit vectors whose similarity is the similarity of the texts' meanings. */
export interface Embedder {
  /** Returns a vector for each text, in order, all with the same dimensions. Throws `EmbedderFault`. */
  embed(model: string, texts: readonly string[], options?: EmbedOptions): Promise<Float32Array[]>;
  /** Loads as much as possible ahead of the first request. Throws if the model can never work. */
  prepare(model: string): Promise<void>;
  /** Frees the resources of other models. */
  retain(models: readonly string[]): Promise<void>;
  /** Closes connections immediately; requests in flight fail. */
  close(): Promise<void>;
}

/** Returns the result of `read`, turning `InvalidVectors` into an `EmbedderFault`. */
export function withEmbedderFault<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw toEmbedderFault(error);
  }
}

/** Turns `InvalidVectors` into an `EmbedderFault`; returns any other error unchanged. */
export function toEmbedderFault(error: unknown): unknown {
  if (!(error instanceof InvalidVectors)) return error;
  return new EmbedderFault(error.maybeTexts ? 'texts' : 'answer', `it returned ${error.message}`);
}
