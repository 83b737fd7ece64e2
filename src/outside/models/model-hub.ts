import { EnvHttpProxyAgent, request } from 'undici';
import { certificateFault } from '../../lib/certificate-fault.ts';
import { parseJson } from '../parse-json.ts';

/** A file of a repository, as the hub states it. */
export interface HubFile {
  path: string;
  bytes: number;
  /** For large files, the SHA-256 of the content. */
  sha256?: string;
  /** For small files, the SHA-1 of the Git blob. */
  gitSha1?: string;
}

/** Downloads from a hub with Hugging Face's layout. */
export interface ModelHub {
  url: string;
  /** The current commit of a repository, with these files. Throws `HubFault`. */
  describe(repository: string, paths: readonly string[], signal: AbortSignal): Promise<HubCommit>;
  /** Reads a file from `offset` on; the answer may begin earlier. Throws `HubFault`. */
  read(commit: HubCommit, file: HubFile, offset: number, signal: AbortSignal): Promise<HubContent>;
  close(): Promise<void>;
}

export interface HubCommit {
  repository: string;
  /** 40 hexadecimal digits. */
  revision: string;
  files: HubFile[];
}

interface HubContent {
  offset: number;
  body: AsyncIterable<Buffer>;
}

/** A failed request to the hub. Its message says why, and what to do. */
export class HubFault extends Error {
  override readonly name = 'HubFault';
  /** A retry may succeed. */
  readonly isTransient: boolean;

  constructor(message: string, isTransient = false) {
    super(message);
    this.isTransient = isTransient;
  }
}

export const DEFAULT_HUB = 'https://huggingface.co';

const TIMEOUTS = { headersTimeout: 30_000, bodyTimeout: 30_000 };
const MAX_REDIRECTS = 5;
const MAX_JSON_BYTES = 4 * 1024 * 1024;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const ANOTHER_HUB = 'Set SVC_MODEL_HUB to a mirror that has it, or place the files yourself (docs/models.md).';

/** Throws an `Error` that continues "SVC_MODEL_HUB". */
export function hubUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !isSafe(url))
    throw new Error('must be an https URL (http only on this machine), e.g. https://hf.example.com');
  if (url.username + url.password + url.search + url.hash !== '') {
    throw new Error('must be a URL without user, parameters and fragment');
  }
  return url.origin + url.pathname.replace(/\/+$/, '');
}

/** Models are verified anyway; https keeps requests private. */
function isSafe({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname));
}

/** Connects to the hub at `url`, through the proxy that `HTTPS_PROXY` and `NO_PROXY` name. */
export function createModelHub(url: string): ModelHub {
  const agent = new EnvHttpProxyAgent({ connect: { timeout: 10_000 } });

  async function open(address: string, headers: Record<string, string>, signal: AbortSignal) {
    let target = new URL(address);
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const response = await request(target, { dispatcher: agent, headers, signal, ...TIMEOUTS }).catch((error) => {
        throw signal.aborted ? error : unreachable(target.origin, error);
      });
      if (!REDIRECTS.has(response.statusCode)) return { ...response, host: target.origin };
      await response.body.dump();
      const location = String(response.headers.location ?? '');
      if (!URL.canParse(location, target))
        throw new HubFault(`${target.origin} redirects to an invalid address. ${ANOTHER_HUB}`);
      const next = new URL(location, target);
      if (!isSafe(next) || (target.protocol === 'https:' && next.protocol !== 'https:'))
        throw new HubFault(`${url} redirects to ${next.origin}, which is not https. ${ANOTHER_HUB}`);
      target = next;
    }
    throw new HubFault(`${url} redirects more than ${MAX_REDIRECTS} times. ${ANOTHER_HUB}`);
  }

  async function readJson(path: string, what: string, signal: AbortSignal): Promise<unknown> {
    const { statusCode, body, host } = await open(`${url}${path}`, { accept: 'application/json' }, signal);
    if (statusCode !== 200) {
      await body.dump();
      throw statusFault(statusCode, host, what);
    }
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of asFaults(body, host, signal)) {
      bytes += chunk.length;
      if (bytes > MAX_JSON_BYTES) throw notAHub(url);
      chunks.push(chunk);
    }
    const json = parseJson(Buffer.concat(chunks).toString('utf8'));
    if (json === undefined) throw notAHub(url);
    return json;
  }

  return {
    url,
    async describe(repository, paths, signal) {
      const info = (await readJson(`/api/models/${repository}/revision/main`, repository, signal)) as { sha?: unknown };
      const revision = typeof info?.sha === 'string' && /^[0-9a-f]{40}$/.test(info.sha) ? info.sha : undefined;
      if (revision === undefined) throw notAHub(url);
      const tree = await readJson(`/api/models/${repository}/tree/${revision}?recursive=true`, repository, signal);
      if (!Array.isArray(tree)) throw notAHub(url);
      const files = paths.map((path) => {
        const entry: unknown = tree.find((one: { path?: unknown } | null) => one?.path === path);
        if (entry === undefined) throw new HubFault(`${url}/${repository} has no file ${path}. ${ANOTHER_HUB}`);
        const file = fileOf(path, entry as Record<string, unknown>);
        if (file === undefined) throw notAHub(url);
        return file;
      });
      return { repository, revision, files };
    },
    async read({ repository, revision }, file, offset, signal) {
      const what = `${repository}/${file.path}`;
      const address = `${url}/${repository}/resolve/${revision}/${file.path}`;
      // Compressed content has no ranges.
      const wanted: Record<string, string> = { 'accept-encoding': 'identity' };
      if (offset > 0) wanted.range = `bytes=${offset}-`;
      const { statusCode, headers, body, host } = await open(address, wanted, signal);
      const found = rangeOf(statusCode, headers);
      if (found === undefined) {
        await body.dump();
        throw statusFault(statusCode, host, what);
      }
      if (found.total !== undefined && found.total !== file.bytes) {
        body.on('error', () => {}).destroy();
        throw new HubFault(
          `${what} has ${found.total} bytes at ${host}, but ${url} states ${file.bytes}. Try again later.`,
        );
      }
      return { offset: found.offset, body: asFaults(body, host, signal) };
    },
    close: () => agent.destroy(),
  };
}

/** The file of an entry; `undefined` if its size or its hash is none. Messages show hashes, so they are checked first. */
function fileOf(path: string, { size, oid, lfs }: Record<string, unknown>): HubFile | undefined {
  if (!Number.isSafeInteger(size) || (size as number) <= 0) return undefined;
  const bytes = size as number;
  const sha256 = (lfs as { oid?: unknown } | null | undefined)?.oid;
  if (sha256 !== undefined) return isHex(sha256, 64) ? { path, bytes, sha256 } : undefined;
  return isHex(oid, 40) ? { path, bytes, gitSha1: oid } : undefined;
}

function isHex(value: unknown, digits: number): value is string {
  return typeof value === 'string' && value.length === digits && /^[0-9a-f]+$/.test(value);
}

/** Where the content of a response begins and how long the whole is; `undefined` unless the status is 200 or 206. */
function rangeOf(
  status: number,
  headers: Record<string, string | string[] | undefined>,
): { offset: number; total: number | undefined } | undefined {
  if (status === 200) {
    const length = headers['content-length'];
    return { offset: 0, total: length === undefined ? undefined : Number(length) };
  }
  const [, offset, total] = /^bytes (\d+)-\d+\/(\d+)$/.exec(String(headers['content-range'])) ?? [];
  return status === 206 && total !== undefined ? { offset: Number(offset), total: Number(total) } : undefined;
}

async function* asFaults(body: AsyncIterable<Buffer>, host: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  try {
    yield* body;
  } catch (error) {
    throw signal.aborted ? error : unreachable(host, error);
  }
}

function unreachable(host: string, error: unknown): HubFault {
  const certificate = certificateFault(error, 'NODE_EXTRA_CA_CERTS=ca.pem');
  if (certificate) return new HubFault(`${host} ${certificate.what}. ${certificate.advice}`);
  const { code, name } = error as NodeJS.ErrnoException;
  const advice =
    'Check the network; behind a proxy set HTTPS_PROXY; without access to the hub set SVC_MODEL_HUB to a mirror.';
  return new HubFault(`${host} cannot be reached (${code ?? name}). ${advice}`, true);
}

function statusFault(status: number, host: string, what: string): HubFault {
  // The hub answers 401 for a repository that does not exist.
  if ([401, 403, 404, 410].includes(status))
    return new HubFault(`${host} does not offer ${what} (status ${status}). ${ANOTHER_HUB}`);
  const isTransient = status >= 500 || [408, 416, 429].includes(status);
  return new HubFault(`${host} answered the request for ${what} with status ${status}. Try again later.`, isTransient);
}

function notAHub(url: string): HubFault {
  return new HubFault(
    `${url} does not respond like a model hub. Set SVC_MODEL_HUB to one, or unset it for ${DEFAULT_HUB}.`,
  );
}
