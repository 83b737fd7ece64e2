import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';

/** The parts of a request that tell where it was made. */
interface ArrivedRequest {
  headers: IncomingHttpHeaders;
  hostname: string;
  /** The caller's address as a trusted proxy has it. */
  ip: string;
  raw: { socket: { remoteAddress?: string | undefined } };
}

/** Headers that proxies and tunnels add. */
const PROXY_HEADER =
  /^(forwarded|via|x-forwarded(-.*)?|x-real-ip|x-client-ip|x-original-.*|cf-connecting-ip|true-client-ip)$/;

/**
 * Whether a request comes from this machine. A local proxy connects from loopback too: a request that carries its headers,
 * or that names a host other than loopback, counts as remote.
 */
export function isFromThisMachine({ headers, hostname, ip, raw }: ArrivedRequest): boolean {
  const forwarded = Object.keys(headers).some((name) => PROXY_HEADER.test(name));
  return isLoopback(ip) && isLoopback(raw.socket.remoteAddress ?? '') && !forwarded && isLoopbackName(hostname);
}

function isLoopbackName(hostname: string): boolean {
  return hostname === 'localhost' || isLoopback(hostname.replace(/^\[(.*)\]$/, '$1'));
}

function isLoopback(address: string): boolean {
  const plain = address.replace(/^::ffff:/i, '');
  return plain === '::1' || (isIP(plain) === 4 && plain.startsWith('127.'));
}
