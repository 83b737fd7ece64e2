import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import type { Agent, buildConnector } from 'undici';
import type { JsonLimits } from '../../contract/json-scan.ts';
import { boundedFetch, type ExchangeLimits, loadUndici } from '../bounded-fetch.ts';
import { VECTOR_JSON } from '../models/vector-response.ts';
import {
  type AddressRules,
  type AllowedHost,
  checkBaseUrl,
  checkedAddresses,
  type LookupAll,
} from './provider-address.ts';

/**
 * What a request is for, which determines its limits: a key `check`; the `names` of models, where listing them does not
 * check the key; `vectors`; a `stream`; or a `whole` response without streaming.
 */
export type Purpose = 'check' | 'names' | 'vectors' | 'stream' | 'whole';

export interface ProviderHttpLimits {
  connectMs: number;
  exchange: Record<Purpose, ExchangeLimits>;
}

const MIB = 1024 * 1024;
/** OpenRouter describes 600 models with 35 members each. */
const LIST_JSON: JsonLimits = { depth: 32, objectMembers: 1000, members: 50_000, values: 100_000 };
/** The text of a model is one value. */
const CHAT_JSON: JsonLimits = { depth: 32, objectMembers: 1000, members: 5000, values: 10_000 };

export const PROVIDER_HTTP_LIMITS: ProviderHttpLimits = {
  connectMs: 5000,
  exchange: {
    check: { firstMs: 15_000, idleMs: 5000, wholeMs: 20_000, maxBytes: MIB, json: LIST_JSON },
    names: { firstMs: 15_000, idleMs: 5000, wholeMs: 20_000, maxBytes: 4 * MIB, json: LIST_JSON },
    vectors: { firstMs: 60_000, idleMs: 30_000, wholeMs: 120_000, maxBytes: 16 * MIB, json: VECTOR_JSON },
    stream: {
      firstMs: 120_000,
      idleMs: 60_000,
      wholeMs: 600_000,
      maxBytes: 16 * MIB,
      json: CHAT_JSON,
      maxEventBytes: MIB / 4,
    },
    whole: { firstMs: 600_000, idleMs: 60_000, wholeMs: 600_000, maxBytes: 4 * MIB, json: CHAT_JSON },
  },
};

/** The only way to call providers: connects to allowed addresses only, follows no redirects, and enforces timeouts. */
export interface ProviderHttp {
  /**
   * Returns a fetch that throws `ProviderFault` if there is no response; error statuses other than redirects are
   * returned.
   */
  fetch(purpose: Purpose): typeof fetch;
  /** `checkBaseUrl` with the operator's allowed hosts. */
  checkAddress(baseUrl: string): string;
  /** Closes connections immediately; requests in flight fail. */
  close(): Promise<void>;
}

export interface ProviderHttpOptions {
  allowedHosts: readonly AllowedHost[];
  lookup?: LookupAll;
  limits?: ProviderHttpLimits;
}

/** Resolves like the operating system. */
export const systemLookup: LookupAll = (host) => lookup(host, { all: true });

export function createProviderHttp({
  allowedHosts,
  lookup = systemLookup,
  limits = PROVIDER_HTTP_LIMITS,
}: ProviderHttpOptions): ProviderHttp {
  let agent: Promise<Agent> | undefined;
  async function openAgent(): Promise<Agent> {
    const undici = await loadUndici();
    return new undici.Agent({
      connections: 64,
      // Replaced by the limits of each purpose.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: checkedConnector(undici.buildConnector, { allowedHosts, lookup }, limits.connectMs),
    });
  }
  const open = () => {
    agent ??= openAgent();
    return agent;
  };
  return {
    fetch: (purpose) => boundedFetch(open, limits.exchange[purpose]),
    checkAddress: (baseUrl) => checkBaseUrl(baseUrl, allowedHosts),
    close: async () => (await agent)?.destroy(),
  };
}

/**
 * Resolves the host itself, once per connection, and connects to one of the addresses it checked, so that DNS rebinding
 * has no effect. TLS still verifies the host name.
 */
export function checkedConnector(
  build: typeof buildConnector,
  rules: AddressRules,
  timeout: number,
): buildConnector.connector {
  return (options, callback) => {
    checkedAddresses(new URL(`${options.protocol}//${options.host}`), rules)
      .then((addresses) => {
        const pinned: LookupFunction = (_host, { all }, found) =>
          all ? found(null, addresses) : found(null, addresses[0]!.address, addresses[0]!.family);
        build({ timeout, lookup: pinned, autoSelectFamily: true, maxCachedSessions: 0 })(options, callback);
      })
      .catch((error) => callback(error, null));
  };
}
