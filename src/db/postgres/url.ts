import { readFile } from 'node:fs/promises';
import { AppError } from '../../contract/errors.ts';

/** In the authority, where a password may have a comma too, or in the parameter `host`. */
const SEVERAL_HOSTS = /^[^:]*:\/\/[^/?#]*,[^/?#@]*(?:[/?#]|$)|[?&]host=[^&#]*(?:,|%2c)/i;
const LOCAL = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\]|)$/;

/** TLS by `sslmode`. The weaker modes of libpq check as much as `verify-full` does, rather than less than was meant. */
const TLS_MODES: ReadonlyMap<string, string> = new Map([
  ['disable', 'disable'],
  ['no-verify', 'no-verify'],
  ['require', 'verify-full'],
  ['verify-ca', 'verify-full'],
  ['verify-full', 'verify-full'],
]);

/** All that the driver does with others is ignore them, or override what svc sets. */
const PARAMETERS: ReadonlySet<string> = new Set([
  'application_name',
  'host',
  'options',
  'password',
  'port',
  'sslcert',
  'sslkey',
  'sslmode',
  'sslrootcert',
  'user',
]);

/** Returns a URL whose every wish svc can grant, or throws an Error whose message follows the setting's name. */
export function databaseUrl(text: string): string {
  if (SEVERAL_HOSTS.test(text)) {
    throw new Error('names several hosts, and svc connects to one: use the address that follows the primary');
  }
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^postgres(ql)?:$/.test(url.protocol) || url.host === '') {
    throw new Error('must be a URL that starts with postgres:// or postgresql://');
  }
  for (const name of url.searchParams.keys()) {
    if (!PARAMETERS.has(name)) throw new Error(`has the parameter ${name}, which svc does not support: remove it`);
    if (url.searchParams.getAll(name).length > 1) throw new Error(`has ${name} more than once: keep one of them`);
  }
  const mode = url.searchParams.get('sslmode');
  if (mode !== null && !TLS_MODES.has(mode)) {
    throw new Error(`has sslmode=${mode}: use verify-full, or disable on a network that you trust`);
  }
  return text;
}

/**
 * The URL to connect with: TLS with a checked certificate, unless the server is on this machine or the URL's `sslmode`
 * says otherwise.
 */
export function connectionUrl(text: string): string {
  const url = new URL(text);
  const host = url.searchParams.get('host') || url.hostname;
  const isLocal = LOCAL.test(host) || host.startsWith('/');
  const mode = url.searchParams.get('sslmode');
  if (mode !== null || !isLocal) url.searchParams.set('sslmode', TLS_MODES.get(mode ?? '') ?? 'verify-full');
  return url.href;
}

/** Whether the URL asks for TLS with any certificate. */
export function isUnchecked(text: string): boolean {
  return new URL(text).searchParams.get('sslmode') === 'no-verify';
}

/** Throws `unavailable` if the file with the authority holds none: Node.js would then trust its own authorities. */
export async function checkAuthority(text: string): Promise<void> {
  const file = new URL(text).searchParams.get('sslrootcert');
  if (file === null || (await readFile(file, 'utf8')).includes('-----BEGIN CERTIFICATE-----')) return;
  throw new AppError('unavailable', `${file} has no certificate in PEM format (sslrootcert in SVC_DATABASE_URL)`);
}
