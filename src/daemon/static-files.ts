import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { pageHeaders } from '../features/auth/auth-pages.ts';

/** Content codings that files are stored in, best first. */
const CODINGS = ['br', 'gzip'] as const;
/** What pages are written in. */
const ENGLISH = 'en';
const SUFFIXES = { br: '.br', gzip: '.gz' };

type Coding = (typeof CODINGS)[number] | 'identity';

/** A file that is served from memory. */
interface StaticFile {
  contentType: string;
  /** `no-store` if absent, as on all pages. */
  cacheControl: string | undefined;
  bodies: Record<Coding, Buffer>;
  /** Hash of the content, for its entity tags: the same on every node. */
  hash: string;
  /** The same in other languages, by their codes. */
  translations: ReadonlyMap<string, StaticFile>;
}

/** Static files by URL path. */
export type StaticFiles = ReadonlyMap<string, StaticFile>;

/** The URL path of a file, its name in the folder, its media type, and the languages of its translations: `index.de.html`. */
export type FileEntry = readonly [path: string, file: string, contentType: string, languages?: readonly string[]];

/** Reads built files at startup, so that a broken installation fails early. `what` begins the message of its error. */
export async function loadStaticFiles(
  what: string,
  folder: string,
  entries: readonly FileEntry[],
): Promise<StaticFiles> {
  const read = (file: string) =>
    readFile(join(folder, file)).catch((cause: unknown) => {
      throw new Error(`${what} is not built: ${join(folder, file)} cannot be read`, { cause });
    });
  const load = async (file: string, contentType: string, languages: readonly string[] = []): Promise<StaticFile> => {
    const identity = await read(file);
    const [br, gzip] = await Promise.all([read(file + SUFFIXES.br), read(file + SUFFIXES.gzip)]);
    const hash = createHash('sha256').update(identity).digest('base64url');
    const translations = languages.map(async (language): Promise<[string, StaticFile]> => {
      return [language, await load(file.replace(/\.\w+$/, `.${language}$&`), contentType)];
    });
    return {
      contentType,
      cacheControl: cacheControlOf(file),
      bodies: { identity, br, gzip },
      hash,
      translations: new Map(await Promise.all(translations)),
    };
  };
  const files = entries.map(async ([path, ...entry]): Promise<[string, StaticFile]> => [path, await load(...entry)]);
  return new Map(await Promise.all(files));
}

/** A built file with a hash of its content in its name never changes. */
function cacheControlOf(file: string): string | undefined {
  if (file.endsWith('.html')) return undefined;
  return /-[0-9A-Z]{8}\.\w+$/.test(file) ? 'public, max-age=31536000, immutable' : 'no-cache';
}

/** Options of routes that answer from memory, the same for everybody. */
export const STATIC = { schema: { hide: true }, config: { isStatic: true } } as const;

/** Serves files from memory. Public: they hold nothing of any account. */
export function staticRoutes(files: StaticFiles): FastifyPluginAsync {
  return async (app) => {
    for (const [path, file] of files) {
      app.get(path, STATIC, (request, reply) => sendFile(request, reply, file));
    }
  };
}

/** Sends a file; with 404 as the page of an address that has none. */
export function sendFile({ headers }: FastifyRequest, reply: FastifyReply, file: StaticFile, status: 200 | 404 = 200) {
  const { translations } = file;
  const { contentType, cacheControl, bodies, hash } =
    translations.size === 0
      ? file
      : (translations.get(acceptedLanguage(headers['accept-language'], translations)) ?? file);
  const coding = acceptedCoding(headers['accept-encoding']);
  const etag = coding === 'identity' ? `"${hash}"` : `"${hash}-${coding}"`;
  const vary = translations.size === 0 ? 'accept-encoding' : 'accept-encoding, accept-language';
  reply.headers(pageHeaders()).headers({ 'content-type': contentType, etag, vary });
  if (cacheControl !== undefined) reply.header('cache-control', cacheControl);
  if (status === 200 && isFresh(headers['if-none-match'], etag)) return reply.code(304).send();
  if (coding !== 'identity') reply.header('content-encoding', coding);
  return reply.code(status).send(bodies[coding]);
}

/** What a header of preferences names, without what it refuses, with its weights (RFC 9110, section 12.4.2). */
function preferred(header: string | undefined): { name: string; weight: number }[] {
  const all = (header ?? '')
    .toLowerCase()
    .split(',')
    .map((part) => {
      const [name = '', parameter] = part.split(';').map((text) => text.trim());
      return { name, weight: parameter?.startsWith('q=') ? Number(parameter.slice(2)) : 1 };
    });
  return all.filter(({ weight }) => weight !== 0);
}

/** Chooses the best coding that the caller accepts (RFC 9110, section 12.5.3), without ranking by weights. */
function acceptedCoding(acceptEncoding: string | undefined): Coding {
  const accepted = preferred(acceptEncoding).map(({ name }) => name);
  return CODINGS.find((coding) => accepted.includes(coding)) ?? 'identity';
}

/** The language that the caller prefers, of English and those there are translations in (RFC 9110, section 12.5.4). */
function acceptedLanguage(acceptLanguage: string | undefined, translations: StaticFile['translations']): string {
  const languages = preferred(acceptLanguage)
    .toSorted((one, other) => other.weight - one.weight)
    .map(({ name }) => name.split('-')[0]!);
  return languages.find((language) => language === ENGLISH || translations.has(language)) ?? ENGLISH;
}

/** Evaluates `If-None-Match` with weak comparison (RFC 9110, section 13.1.2). */
export function isFresh(ifNoneMatch: string | undefined, etag: string): boolean {
  const tags = (ifNoneMatch ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || tags.includes('*');
}
