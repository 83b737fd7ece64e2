import type { Agent, Dispatcher } from 'undici';
import { loadUndici } from './bounded-fetch.ts';
import { type AllowedHost, isCallable, type LookupAll } from './providers/provider-address.ts';
import { causesOf, ProviderFault } from './providers/provider-fault.ts';
import { checkedConnector, systemLookup } from './providers/provider-http.ts';

/** What a receiver answered; `status` is `null` if it did not. */
export interface WebhookAnswer {
  status: number | null;
  /** Why it failed, for people; `null` for a status of 2xx. */
  error: string | null;
}

/** The only way to call receivers of webhooks, under the same rules for addresses as providers. */
export interface WebhookHttp {
  /** Why svc may not call an address, or `undefined`. What a host name resolves to is checked at each connection. */
  refusalOf(url: string): string | undefined;
  /** Posts a body. Follows no redirect and reads no answer beyond its headers. Throws only if `signal` aborts. */
  post(url: string, request: WebhookRequest): Promise<WebhookAnswer>;
  /** Closes connections immediately. */
  close(): Promise<void>;
}

/** A request to a receiver. */
interface WebhookRequest {
  headers: Record<string, string>;
  body: string;
  signal: AbortSignal;
}

const CONNECT_MS = 5000;
const TIMEOUT_MS = 15_000;
const NOT_ALLOWED =
  'svc sends webhooks only over https to public addresses, and this is not one. The operator of svc can allow its host in SVC_PROVIDER_HOSTS.';

type Post = (
  url: string,
  init: RequestInit & { dispatcher: Dispatcher },
) => Promise<{ status: number; body: ReadableStream | null }>;

/** Creates the connections to receivers. `timeoutMs` limits a whole request. */
export function createWebhookHttp({
  allowedHosts,
  lookup = systemLookup,
  timeoutMs = TIMEOUT_MS,
}: {
  allowedHosts: readonly AllowedHost[];
  lookup?: LookupAll;
  timeoutMs?: number;
}): WebhookHttp {
  let agent: Promise<Agent> | undefined;
  async function openAgent(): Promise<Agent> {
    const undici = await loadUndici();
    const connect = checkedConnector(undici.buildConnector, { allowedHosts, lookup }, CONNECT_MS);
    return new undici.Agent({ maxHeaderSize: 16_384, connect });
  }

  return {
    refusalOf(text) {
      const url = URL.canParse(text) ? new URL(text) : undefined;
      if (!url || !['http:', 'https:'].includes(url.protocol)) return 'The URL must start with https://.';
      if (url.username !== '' || url.password !== '' || url.hash !== '') {
        return 'The URL must not contain a user, a password or #.';
      }
      return isCallable(url, allowedHosts) ? undefined : NOT_ALLOWED;
    },
    async post(url, { headers, body, signal }) {
      const post = (await loadUndici()).fetch as unknown as Post;
      agent ??= openAgent();
      const timeout = AbortSignal.timeout(timeoutMs);
      try {
        const response = await post(url, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'user-agent': 'svc-webhooks', ...headers },
          body,
          redirect: 'manual',
          dispatcher: await agent,
          signal: AbortSignal.any([signal, timeout]),
        });
        await response.body?.cancel();
        return { status: response.status, error: errorOfStatus(response.status) };
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        return { status: null, error: timeout.aborted ? 'The receiver did not answer in time.' : errorOf(error) };
      }
    },
    close: async () => (await agent)?.destroy(),
  };
}

function errorOfStatus(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400)
    return `The receiver answered with a redirect (${status}), which svc does not follow.`;
  return `The receiver answered with status ${status}.`;
}

/** Codes only: messages may quote an address. */
function errorOf(error: unknown): string {
  const chain = causesOf(error);
  if (chain.some((cause) => cause instanceof ProviderFault && cause.reason === 'address')) return NOT_ALLOWED;
  const codes = chain.map(({ code }: NodeJS.ErrnoException) => code).filter((code) => typeof code === 'string');
  return `The receiver cannot be reached (${codes.at(-1) ?? 'no reason given'}).`;
}
