import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { ProviderFault } from './provider-fault.ts';
import { isPublicAddress } from './public-address.ts';

/** A host that the operator allows though it is private or without TLS. */
export interface AllowedHost {
  /** As `hostOf` writes it. */
  host: string;
  /** Absent: any. */
  port: number | undefined;
}

/** All addresses of a host. */
export type LookupAll = (host: string) => Promise<LookupAddress[]>;

export interface AddressRules {
  allowedHosts: readonly AllowedHost[];
  lookup: LookupAll;
}

/** One entry of SVC_PROVIDER_HOSTS. Throws an Error whose message goes on after the setting's name. */
export function parseAllowedHost(text: string): AllowedHost {
  const [, host = '', port] = /^(\[[^\]]*\]|[^:[\]]*)(?::(\d{1,5}))?$/.exec(text) ?? [];
  const url = /^[^\s/\\?#@*]+$/.test(host) && URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : undefined;
  const number = port === undefined ? undefined : Number(port);
  if (!url || hostOf(url) === '' || number === 0 || (number ?? 0) > 65_535) {
    throw new Error(
      `must be hosts such as ollama.lan, 127.0.0.1:11434 or [::1]:11434, between commas, not ${JSON.stringify(text)}`,
    );
  }
  return { host: hostOf(url), port: number };
}

/** The host in the one spelling by which hosts are compared: that of URLs, without brackets and the dot at its end. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

function portOf({ port, protocol }: URL): number {
  return Number(port) || (protocol === 'https:' ? 443 : 80);
}

function isAllowed(url: URL, allowedHosts: readonly AllowedHost[]): boolean {
  return allowedHosts.some(({ host, port }) => host === hostOf(url) && (port === undefined || port === portOf(url)));
}

function notAllowed(url: URL): ProviderFault {
  const host = isIP(hostOf(url)) === 6 ? `[${hostOf(url)}]` : hostOf(url);
  return new ProviderFault(
    'address',
    'svc calls providers by https at public addresses only, and this one is none. ' +
      `Whoever operates svc can allow it: set SVC_PROVIDER_HOSTS=${host}:${portOf(url)}`,
  );
}

/**
 * The base URL that a client gives, without slash at its end. Throws a `ProviderFault` where svc would not call it, but
 * for the addresses of a name, which are checked at each connection.
 */
export function checkBaseUrl(text: string, allowedHosts: readonly AllowedHost[]): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw new ProviderFault('address', 'The base URL must be an address that starts with https://.');
  }
  if (url.username !== '' || url.password !== '' || /[?#]/.test(text)) {
    throw new ProviderFault('address', 'The base URL must be without user, password, ? and #; the key goes beside it.');
  }
  const literal = isIP(hostOf(url)) > 0;
  if (!isAllowed(url, allowedHosts) && (url.protocol !== 'https:' || (literal && !isPublicAddress(hostOf(url))))) {
    throw notAllowed(url);
  }
  return url.origin + url.pathname.replace(/\/+$/, '');
}

/** The addresses of a host that may be connected to: all of them, or the host is refused. Throws a `ProviderFault`. */
export async function checkedAddresses(url: URL, { allowedHosts, lookup }: AddressRules): Promise<LookupAddress[]> {
  const allowed = isAllowed(url, allowedHosts);
  if (!allowed && url.protocol !== 'https:') throw notAllowed(url);
  const host = hostOf(url);
  const family = isIP(host);
  const addresses = family > 0 ? [{ address: host, family }] : await lookup(host);
  if (addresses.length === 0) throw new ProviderFault('unreachable', 'The name of the provider has no address.');
  if (!allowed && !addresses.every(({ address }) => isPublicAddress(address))) throw notAllowed(url);
  return addresses;
}
