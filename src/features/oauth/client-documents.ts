import { parseStorable } from '../../contract/storable.ts';
import { createBoundedMap } from '../../lib/bounded-map.ts';
import type { Clock } from '../../lib/clock.ts';
import { isObject } from '../../lib/is-object.ts';
import { type OAuthClient, readClientMetadata } from './client-metadata.ts';
import { OAuthError } from './oauth-error.ts';

/** Clients whose id is the https URL of a document with their metadata (OAuth Client ID Metadata Documents). */
export interface ClientDocuments {
  /** Fetches the document, or returns it from a short-lived cache. Throws `invalid_client` if it cannot be used. */
  load(id: string): Promise<OAuthClient>;
}

interface Dependencies {
  /** Connects to public addresses only, follows no redirects, and bounds time and size. */
  fetch: typeof fetch;
  clock: Clock;
}

const CACHE_MS = 600_000;
const MAX_CACHED = 200;
const MAX_ID = 1000;

/** Creates the reader of metadata documents, with a cache in memory. */
export function createClientDocuments({ fetch, clock }: Dependencies): ClientDocuments {
  const cached = createBoundedMap<string, { client: OAuthClient; atMs: number }>(MAX_CACHED);
  return {
    async load(id) {
      const url = documentUrl(id);
      const found = cached.get(id);
      if (found && clock.monotonicMs() - found.atMs < CACHE_MS) return found.client;
      const client = { ...readDocument(await download(fetch, url), id), id, verifiedHost: url.host };
      cached.set(id, { client, atMs: clock.monotonicMs() });
      return client;
    },
  };
}

/** Parses a client id. It must be written as the URL parser writes it, so that one document has one id. */
function documentUrl(id: string): URL {
  const url = id.length <= MAX_ID && URL.canParse(id) ? new URL(id) : undefined;
  const isPlain = url && url.href === id && url.username === '' && url.password === '' && url.hash === '';
  if (!isPlain || url.protocol !== 'https:' || url.pathname === '/') {
    throw invalid('client_id must be an https URL with a path, without user, password or fragment.');
  }
  return url;
}

async function download(fetch: Dependencies['fetch'], url: URL): Promise<unknown> {
  try {
    const response = await fetch(url, { headers: { accept: 'application/json' } });
    if (response.status !== 200) throw new Error(`status ${response.status}`);
    return parseStorable(Buffer.from(await response.arrayBuffer()));
  } catch {
    // Leave out details, which could reveal hosts that only the daemon reaches.
    throw invalid(`svc could not fetch the metadata document of the client from ${url.host}.`);
  }
}

function readDocument(document: unknown, id: string) {
  if (!isObject(document) || document.client_id !== id) {
    throw invalid('The client_id in the metadata document of the client must be the URL of the document.');
  }
  const method = document.token_endpoint_auth_method ?? 'none';
  if (method !== 'none' || 'client_secret' in document) {
    throw invalid('The metadata document of the client must have token_endpoint_auth_method none and no secret.');
  }
  try {
    return readClientMetadata(document);
  } catch (error) {
    throw error instanceof OAuthError ? invalid(`The metadata document of the client: ${error.message}`) : error;
  }
}

function invalid(message: string): OAuthError {
  return new OAuthError('invalid_client', message);
}
