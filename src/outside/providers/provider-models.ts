import type { ProviderAccess } from './provider-connection.ts';
import { type Embedded, type EmbedRequest, embedTexts } from './provider-embedding.ts';
import { type Generated, type GenerateRequest, generateObject } from './provider-generation.ts';
import { listModels } from './provider-listing.ts';
import type { ProviderTransport } from './provider-response.ts';
import { createKnownCapabilities } from './server-capabilities.ts';

export type { ProviderAccess } from './provider-connection.ts';
export { type Embedded, type EmbedRequest, MAX_TEXTS_PER_REQUEST } from './provider-embedding.ts';
export { ProviderFault, type TokensSpent } from './provider-fault.ts';
export type { GenerateRequest } from './provider-generation.ts';

/** Models of all providers, called with the key that each call passes. Nothing is retried: that is up to the caller. */
export interface ProviderModels {
  /**
   * Lists up to 500 model names with the cheapest authenticated call. Throws `ProviderFault`, never with reason
   * `input`.
   */
  list(access: ProviderAccess, signal?: AbortSignal): Promise<string[]>;
  /** Returns unit vectors in the order of the texts, all with the same dimensions. Throws `ProviderFault`. */
  embed(access: ProviderAccess, request: EmbedRequest, signal?: AbortSignal): Promise<Embedded>;
  /**
   * Returns a value that matches the schema. Throws `ProviderFault`, with the tokens spent if the response is unusable.
   */
  generate(access: ProviderAccess, request: GenerateRequest, signal?: AbortSignal): Promise<Generated>;
  /** Closes connections immediately; requests in flight fail. */
  close(): Promise<void>;
}

/** Takes ownership of `transport.http` and closes it. */
export function createProviderModels(transport: ProviderTransport): ProviderModels {
  const known = createKnownCapabilities();
  return {
    list: (access, signal) => listModels(transport, access, signal),
    embed: (access, request, signal) => embedTexts(transport, access, request, signal),
    generate: (access, request, signal) => generateObject(transport, known, access, request, signal),
    close: () => transport.http.close(),
  };
}
