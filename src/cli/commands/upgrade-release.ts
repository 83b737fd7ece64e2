import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Transform } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { loadUndici } from '../../outside/bounded-fetch.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import { CHECKSUMS, isReleaseUrl } from '../upgrade/release.ts';

/** The files of a release, in a folder or at an address. */
export interface ReleaseSource {
  /** Absolute path, or the address. */
  address: string;
  /** The text of `SHA256SUMS`, in a folder without one of the `.sha256` files beside the archives. Throws `CommandFailure` if it cannot be read. */
  readChecksums(signal: AbortSignal): Promise<string>;
  /** Copies a file and returns its SHA-256. Throws `CommandFailure` if it cannot be read. */
  save(
    name: string,
    target: string,
    options: { signal: AbortSignal; onProgress(share: number): void },
  ): Promise<string>;
}

const MAX_REDIRECTS = 10;
const MIB = 1024 * 1024;
/** More than any release has: a server that never ends must fill neither the disk nor the memory. */
const MAX_ARCHIVE_BYTES = 512 * MIB;
const MAX_CHECKSUMS_BYTES = MIB;

/** Opens a release. Nothing is read yet. */
export function openRelease(given: string, cwd: string): ReleaseSource {
  return isReleaseUrl(given) ? publishedRelease(given.replace(/\/+$/, '')) : localRelease(resolve(cwd, given));
}

function localRelease(address: string): ReleaseSource {
  const failed = (name: string) => (error: NodeJS.ErrnoException) => {
    throw unreadable(join(address, name), error.code ?? error.message);
  };
  return {
    address,
    readChecksums: () =>
      readFile(join(address, CHECKSUMS), 'utf8').catch(
        async (error) => (await besideArchives(address)) || failed(CHECKSUMS)(error),
      ),
    async save(name, target, { signal, onProgress }) {
      const file = join(address, name);
      const { size } = await stat(file).catch(failed(name));
      return hashInto(createReadStream(file), target, { signal, onProgress: (bytes) => onProgress(bytes / size) });
    },
  };
}

/** The checksums that are beside the archives of a folder, as `npm run archive` writes them. */
async function besideArchives(folder: string): Promise<string> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.sha256')).sort();
  return (await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))).join('');
}

function publishedRelease(address: string): ReleaseSource {
  async function get(name: string, { signal, maxBytes }: { signal: AbortSignal; maxBytes: number }) {
    const { EnvHttpProxyAgent, fetch } = await loadUndici();
    const options = { dispatcher: new EnvHttpProxyAgent(), signal, headers: { 'user-agent': 'svc' } };
    let url = `${address}/${name}`;
    const failed = (error: Error): never => {
      signal.throwIfAborted();
      const { code, message } = (error.cause ?? error) as NodeJS.ErrnoException;
      throw unreadable(url, code ?? message);
    };
    const open = () => fetch(url, { ...options, redirect: 'manual' }).catch(failed);
    let response = await open();
    for (let count = 0; count < MAX_REDIRECTS && isRedirect(response.status); count += 1) {
      await response.body?.cancel();
      url = new URL(response.headers.get('location') ?? '', url).href;
      // Each address on the way could name another release.
      isReleaseUrl(url);
      response = await open();
    }
    const { body } = response;
    if (!response.ok || body === null) throw unreadable(url, `status ${response.status}`);
    const reader = body.getReader();
    async function* bounded() {
      try {
        for (let bytes = 0; ; ) {
          const { done, value } = await reader.read().catch(failed);
          if (done) return;
          bytes += value.length;
          if (bytes > maxBytes) throw unreadable(url, `it has more than ${maxBytes / MIB} MiB`);
          yield value;
        }
      } finally {
        await reader.cancel().catch(() => {});
      }
    }
    return { body: bounded(), bytes: Number(response.headers.get('content-length')) };
  }
  return {
    address,
    async readChecksums(signal) {
      const { body } = await get(CHECKSUMS, { signal, maxBytes: MAX_CHECKSUMS_BYTES });
      return text(body);
    },
    async save(name, target, { signal, onProgress }) {
      const { body, bytes } = await get(name, { signal, maxBytes: MAX_ARCHIVE_BYTES });
      const report = (done: number) => onProgress(bytes > 0 ? done / bytes : 0);
      return hashInto(body, target, { signal, onProgress: report });
    },
  };
}

const isRedirect = (status: number) => [301, 302, 303, 307, 308].includes(status);

async function hashInto(
  source: AsyncIterable<Uint8Array>,
  target: string,
  { signal, onProgress }: { signal: AbortSignal; onProgress(bytes: number): void },
): Promise<string> {
  const hash = createHash('sha256');
  let bytes = 0;
  const counted = new Transform({
    transform(chunk: Buffer, _, done) {
      hash.update(chunk);
      bytes += chunk.length;
      onProgress(bytes);
      done(null, chunk);
    },
  });
  await pipeline(source, counted, createWriteStream(target, { mode: 0o600 }), { signal });
  return hash.digest('hex');
}

function unreadable(what: string, cause: string): CommandFailure {
  const advice = 'Check the address and the network, or name a folder with a downloaded release and its SHA256SUMS.';
  return new CommandFailure(EXIT.failed, `${what} cannot be read (${cause}). ${advice}`);
}
