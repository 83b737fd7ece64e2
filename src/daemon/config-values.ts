import { isIP } from 'node:net';
import { isAbsolute, resolve } from 'node:path';
import { domainToASCII, fileURLToPath } from 'node:url';
import { formatExactSize, parseSize } from '../contract/byte-size.ts';
import { STORAGE_LIMITS, type StorageLimits, TIERS } from '../contract/limits.ts';
import type { EmbedderAddress, LocalModel } from '../outside/models/embedder.ts';
import { type AllowedHost, parseAllowedHost } from '../outside/providers/provider-address.ts';

// Each function parses the text of one setting. The message of its Error follows the setting's name: "must be …".

/** Returns `text` as one of `allowed`, or throws. */
export function oneOf<const T extends string>(text: string, allowed: readonly T[]): T {
  const found = allowed.find((value) => value === text);
  if (found === undefined) throw new Error(`must be one of ${allowed.join(', ')}, not ${JSON.stringify(text)}`);
  return found;
}

function listOf(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

export function port(text: string | undefined): number {
  const number = /^\d{1,5}$/.test(text ?? '8787') ? Number(text ?? 8787) : Number.NaN;
  if (!(number <= 65_535)) throw new Error('must be a port from 0 to 65535');
  return number;
}

/** Whether a host to listen on means all addresses of the machine: `0.0.0.0`, `::` or another spelling of them. */
export function isUnspecified(host: string): boolean {
  const url = `http://${inUrl(host)}`;
  return URL.canParse(url) && ['0.0.0.0', '[::]'].includes(new URL(url).hostname);
}

/** The URL at which a listener on `host` can be reached from this machine. */
export function listenerUrl(host: string, port: number): string {
  return `http://${isUnspecified(host) ? '127.0.0.1' : inUrl(host)}:${port}`;
}

function inUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** Checks a URL with a host. Errors do not quote it: it may contain a password. */
export function urlOf(text: string, protocols: readonly string[]): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !protocols.includes(url.protocol) || url.host === '') {
    throw new Error(`must be a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`);
  }
  return text;
}

/** Formats a URL without its user's password and without parameters, which can be secrets too. */
export function shownUrl(text: string): string {
  const url = new URL(text);
  if (url.password !== '') url.password = '********';
  url.search = '';
  return url.href;
}

export function sender(text: string): string {
  if (!/^(?:[^<>@\r\n]*<[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)$/.test(text)) {
    throw new Error('must be one e-mail address, e.g. "svc <svc@example.com>"');
  }
  return text;
}

export function publicUrl(text: string): string {
  const url = new URL(urlOf(text, ['http:', 'https:']));
  const more = url.search + url.hash + url.username + url.password;
  if (url.pathname !== '/' || more !== '') {
    throw new Error('must be only scheme, host and port, e.g. https://memory.example.com');
  }
  return url.origin;
}

/** Parses exact origins. There is no wildcard, because any page could then use a key that it got hold of. */
export function origins(text: string | undefined): string[] {
  return listOf(text).map((part) => {
    const url = URL.canParse(part) ? new URL(part) : undefined;
    const isOrigin = url && ['http:', 'https:'].includes(url.protocol) && url.href === `${url.origin}/`;
    if (!isOrigin || part.endsWith('/') || part.includes('*')) {
      throw new Error(`must be origins such as https://app.example.com, not ${JSON.stringify(part)}`);
    }
    return url.origin;
  });
}

/** Parses comma-separated keys of 32 bytes each. Stricter than Node, which ignores characters outside base64. */
export function masterKeys(text: string): Buffer[] {
  const bare = (base64: string) => base64.replace(/=+$/, '');
  const keys = listOf(text).map((part) => {
    const bytes = Buffer.from(part, 'base64');
    return bytes.length === 32 && bare(bytes.toString('base64')) === bare(part) ? bytes : undefined;
  });
  if (keys.length === 0 || keys.includes(undefined)) {
    throw new Error('must be 32 bytes in base64 (openssl rand -base64 32)');
  }
  return keys as Buffer[];
}

/** Parses domains to the ASCII form in which e-mail addresses are stored. */
export function domains(text: string | undefined): string[] {
  return listOf(text).map((domain) => {
    const ascii = /^[\p{L}\p{N}\p{M}.-]+$/u.test(domain) ? domainToASCII(domain) : '';
    if (ascii === '') throw new Error(`must be domains such as example.com, not ${JSON.stringify(domain)}`);
    return ascii;
  });
}

/** Parses sizes by tier, e.g. `Free=1GiB,Enterprise=none`; other tiers keep their default. */
export function storageLimits(text: string | undefined): StorageLimits {
  const limits: Partial<StorageLimits> = {};
  for (const part of listOf(text)) {
    const [name = '', size = ''] = part.split('=', 2).map((side) => side.trim());
    const tier = TIERS.find((known) => known === name);
    const limit = size === 'none' ? null : parseSize(size);
    if (tier === undefined || limit === undefined) {
      const expected = `${TIERS.join(', ')} with bytes, KiB, MiB, GiB, TiB or none, e.g. Free=1GiB,Enterprise=none`;
      throw new Error(`must be ${expected}, not ${JSON.stringify(part)}`);
    }
    if (limits[tier] !== undefined) throw new Error(`must be one size for ${tier}, not two`);
    limits[tier] = limit;
  }
  return { ...STORAGE_LIMITS, ...limits };
}

/** Formats storage limits like the setting. */
export function describeStorageLimits(limits: StorageLimits): string {
  return TIERS.map((tier) => `${tier}=${limits[tier] === null ? 'none' : formatExactSize(limits[tier])}`).join(',');
}

export function proxies(text: string): string[] {
  const parts = listOf(text);
  const wrong = parts.find((part) => !isProxy(part));
  if (wrong !== undefined) throw new Error(`must be loopback, IP addresses or networks, not ${JSON.stringify(wrong)}`);
  return parts;
}

function isProxy(part: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(part)) return true;
  const [address = '', prefix = '0', ...more] = part.split('/');
  const version = isIP(address);
  return version > 0 && more.length === 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128);
}

export function providerHosts(text: string | undefined): AllowedHost[] {
  return listOf(text).map(parseAllowedHost);
}

/** Formats an allowed host like the setting. */
export function describeHost({ host, port }: AllowedHost): string {
  const bare = host.includes(':') ? `[${host}]` : host;
  return port === undefined ? bare : `${bare}:${port}`;
}

const EMBEDDINGS =
  'e.g. http://127.0.0.1:8080/v1#model, ollama+http://127.0.0.1:11434#model or ./models/all-MiniLM-L6-v2';

/**
 * Parses the folder of a model, or the URL of an embedder with the model after `#`. Errors do not quote it: it may
 * contain a key.
 */
export function embeddings(text: string): EmbedderAddress | LocalModel {
  if (isAbsolute(text) || /^\.{1,2}([/\\]|$)/.test(text)) return { folder: resolve(text) };
  if (text.startsWith('file:')) return { folder: folderOf(text) };
  const speaks = text.startsWith('ollama+') ? 'ollama' : 'openai';
  const bare = text.replace(/^ollama\+/, '');
  const url = URL.canParse(bare) ? new URL(bare) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw new Error(`must be a URL or a folder, ${EMBEDDINGS}`);
  }
  const model = unescaped(url.hash.slice(1));
  if (model === '') throw new Error(`must be a URL with the model after # (quote it in .env), ${EMBEDDINGS}`);
  if (url.username !== '') {
    throw new Error('must be written with a colon before the key: https://:key@example.com/v1#model');
  }
  if (url.search !== '') throw new Error(`must be a URL without a query string, ${EMBEDDINGS}`);
  const path = url.pathname.replace(/\/+$/, '');
  if (speaks === 'ollama' ? path !== '' : path.endsWith('/embeddings')) {
    throw new Error(`must be a URL without the path that svc appends (/api/embed or /embeddings), ${EMBEDDINGS}`);
  }
  const key = unescaped(url.password);
  if (!/^[\x21-\x7e]*$/.test(key)) throw new Error('must be a URL whose key has only ASCII characters and no spaces');
  return { speaks, url: url.origin + path, model, key: key === '' ? undefined : key };
}

function folderOf(fileUrl: string): string {
  try {
    return fileURLToPath(fileUrl);
  } catch {
    throw new Error('must be a folder on this machine: file:///var/lib/models/all-MiniLM-L6-v2');
  }
}

function unescaped(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new Error('must be percent-encoded: write %25 for %');
  }
}

/** Formats an embedder like the setting, with the key masked. */
export function describeEmbeddings(embedder: EmbedderAddress | LocalModel): string {
  if ('folder' in embedder) return embedder.folder;
  const { speaks, url, model, key } = embedder;
  const shown = key === undefined ? url : url.replace('://', '://:********@');
  return `${speaks === 'ollama' ? 'ollama+' : ''}${shown}#${model}`;
}
