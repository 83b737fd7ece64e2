import type { ProviderAccess } from './provider-connection.ts';
import { type Embedded, type EmbedRequest, embedTexts } from './provider-embedding.ts';
import { type Generated, type GenerateRequest, generateObject } from './provider-generation.ts';
import { listModels } from './provider-listing.ts';
import type { ProviderTransport } from './provider-response.ts';
import { createKnownCapabilities } from './server-capabilities.ts';

export type { ProviderAccess } from './provider-connection.ts';
export { type Embedded, type EmbedRequest, MAX_TEXTS_PER_REQUEST } from './provider-embedding.ts';
export { ProviderFault, type ProviderFaultReason, type TokensSpent } from './provider-fault.ts';
export type { Generated, GenerateRequest, JsonSchema } from './provider-generation.ts';

/**
 * The models of all providers, by the key that each call brings. Nothing is tried twice: who wants a second try waits
 * and asks again.
 */
export interface ProviderModels {
  /** The cheapest authenticated call: the names of the models, 500 at most. Throws `ProviderFault`, but for `input`. */
  list(access: ProviderAccess, signal?: AbortSignal): Promise<string[]>;
  /** Vectors of length 1, in the order of the texts, all of one number of dimensions. Throws `ProviderFault`. */
  embed(access: ProviderAccess, request: EmbedRequest, signal?: AbortSignal): Promise<Embedded>;
  /** A value that keeps to the schema. Throws `ProviderFault`, with what was spent where the answer is of no use. */
  generate(access: ProviderAccess, request: GenerateRequest, signal?: AbortSignal): Promise<Generated>;
  /** Ends the connections at once; a request on its way fails. */
  close(): Promise<void>;
}

/** Over `http`, which it closes in the end. */
export function createProviderModels(transport: ProviderTransport): ProviderModels {
  const known = createKnownCapabilities();
  return {
    list: (access, signal) => listModels(transport, access, signal),
    embed: (access, request, signal) => embedTexts(transport, access, request, signal),
    generate: (access, request, signal) => generateObject(transport, known, access, request, signal),
    close: () => transport.http.close(),
  };
}
