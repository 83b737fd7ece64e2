import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { ProviderFault } from './provider-fault.ts';

/** The only public range of IPv6; `ipaddr.js` reports `unicast` for unassigned addresses outside of it too. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');
/** The well-known NAT64 prefix: the last four bytes are an IPv4 address. */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');
/** Looks public, but is Azure's internal platform service, available to every virtual machine. */
const CLOUD_SERVICE = '168.63.129.16';

/**
 * Whether an address, as returned by the system's resolver, is public unicast. An IPv6 address that embeds an IPv4
 * address is judged by the latter, or rejected for formats without legitimate use (6to4, Teredo).
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const inner = carried(ipaddr.process(address));
  if (inner.range() !== 'unicast') return false;
  return inner instanceof ipaddr.IPv6 ? inner.match(GLOBAL_UNICAST) : inner.toString() !== CLOUD_SERVICE;
}

function carried(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (!(address instanceof ipaddr.IPv6) || !address.match(NAT64)) return address;
  return new ipaddr.IPv4(address.toByteArray().slice(-4));
}

/** A private or plain-HTTP host that the operator allows. */
export interface AllowedHost {
  /** Normalized by `hostOf`. */
  host: string;
  /** Any port if absent. */
  port: number | undefined;
}

/** Resolves all addresses of a host. */
export type LookupAll = (host: string) => Promise<LookupAddress[]>;

export interface AddressRules {
  allowedHosts: readonly AllowedHost[];
  lookup: LookupAll;
}

/** Parses an entry of SVC_PROVIDER_HOSTS. Throws an Error whose message continues the setting's name. */
export function parseAllowedHost(text: string): AllowedHost {
  const [, host = '', port] = /^(\[[^\]]*\]|[^:[\]]*)(?::(\d{1,5}))?$/.exec(text) ?? [];
  const url = /^[^\s/\\?#@*]+$/.test(host) && URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : undefined;
  const number = port === undefined ? undefined : Number(port);
  if (!url || hostOf(url) === '' || number === 0 || (number ?? 0) > 65_535) {
    throw new Error(
      `must be comma-separated hosts such as ollama.lan, 127.0.0.1:11434 or [::1]:11434, not ${JSON.stringify(text)}`,
    );
  }
  return { host: hostOf(url), port: number };
}

/** Normalizes a URL's host for comparison: without brackets or trailing dot. */
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
    'svc calls providers only over https at public addresses, and this is not one. ' +
      `The operator of svc can allow it: set SVC_PROVIDER_HOSTS=${host}:${portOf(url)}`,
  );
}

/**
 * Normalizes a base URL given by a client, without a trailing slash. Throws a `ProviderFault` if svc may not call it.
 * The addresses that a host name resolves to are checked at each connection instead.
 */
export function checkBaseUrl(text: string, allowedHosts: readonly AllowedHost[]): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw new ProviderFault('address', 'The base URL must start with https://.');
  }
  if (url.username !== '' || url.password !== '' || /[?#]/.test(text)) {
    throw new ProviderFault(
      'address',
      'The base URL must not contain a user, a password, ? or #; give the key separately.',
    );
  }
  if (!isCallable(url, allowedHosts)) throw notAllowed(url);
  return url.origin + url.pathname.replace(/\/+$/, '');
}

/** Whether svc may call a URL, as far as it says: over https and not at a private address, unless the operator allows it. */
export function isCallable(url: URL, allowedHosts: readonly AllowedHost[]): boolean {
  const isPrivate = isIP(hostOf(url)) > 0 && !isPublicAddress(hostOf(url));
  return isAllowed(url, allowedHosts) || (url.protocol === 'https:' && !isPrivate);
}

/** Resolves a host and checks all its addresses; a single private one rejects the host. Throws a `ProviderFault`. */
export async function checkedAddresses(url: URL, { allowedHosts, lookup }: AddressRules): Promise<LookupAddress[]> {
  const allowed = isAllowed(url, allowedHosts);
  if (!allowed && url.protocol !== 'https:') throw notAllowed(url);
  const host = hostOf(url);
  const family = isIP(host);
  const addresses = family > 0 ? [{ address: host, family }] : await lookup(host);
  if (addresses.length === 0) throw new ProviderFault('unreachable', 'The host name of the provider does not resolve.');
  if (!allowed && !addresses.every(({ address }) => isPublicAddress(address))) throw notAllowed(url);
  return addresses;
}
