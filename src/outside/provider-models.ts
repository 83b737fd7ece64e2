import type { Provider } from '../contract/providers.ts';

/** By whose key, and where, a model is spoken to. */
export interface ProviderAccess {
  provider: Provider;
  /** Only ollama and openai-compatible do without. */
  key: string | undefined;
  /** In place of the provider's own address; openai-compatible has none of its own. */
  baseUrl: string | undefined;
}

/** JSON Schema. The strict modes of providers want every property required and `additionalProperties: false`. */
export type JsonSchema = object;

export interface EmbedRequest {
  model: string;
  texts: readonly string[];
  /** Some models put a question elsewhere than what answers it. */
  purpose: 'document' | 'query';
}

export interface GenerateRequest {
  model: string;
  system: string;
  prompt: string;
  schema: JsonSchema;
  /** Letters, digits, `_` and `-`. */
  schemaName: string;
  maxOutputTokens: number;
}

export interface Generated {
  value: unknown;
  inputTokens: number;
  outputTokens: number;
}

/** The models of all providers, each called once: who wants a second try waits and asks again. */
export interface ProviderModels {
  /** The cheapest authenticated call: the names of the models, 500 at most. Throws `ProviderFault`. */
  list(access: ProviderAccess, signal?: AbortSignal): Promise<string[]>;
  /** Vectors of length 1, in the order of the texts, all of one number of dimensions. Throws `ProviderFault`. */
  embed(
    access: ProviderAccess,
    request: EmbedRequest,
    signal?: AbortSignal,
  ): Promise<{ vectors: Float32Array[]; tokens: number }>;
  /** A value that keeps to the schema. Throws `ProviderFault`. */
  generate(access: ProviderAccess, request: GenerateRequest, signal?: AbortSignal): Promise<Generated>;
  /** Ends the connections at once; a request on its way fails. */
  close(): Promise<void>;
}
