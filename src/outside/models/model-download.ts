import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { backoffMs } from '../../lib/backoff.ts';
import { makeFolder } from '../../lib/make-folder.ts';
import { chanceOf, type Random } from '../../lib/random.ts';
import { type HubCommit, HubFault, type HubFile, type ModelHub } from './model-hub.ts';

export interface DownloadOptions {
  signal: AbortSignal;
  /** Called with the bytes that are there, of this file and of those before it. */
  onProgress(file: HubFile, bytes: number): void;
  random: Random;
  /** Waits between attempts. */
  pause(ms: number, signal: AbortSignal): Promise<void>;
}

/** Successive attempts without progress. Each resumes where the last one was cut off. */
const MAX_TRIES = 5;
const BACKOFF = { firstMs: 500, maxMs: 8000 };

/** Bytes of a commit that are not in the folder yet. */
export async function missingBytes({ files }: HubCommit, folder: string): Promise<number> {
  const present = await Promise.all(
    files.map(async (file) => (await sizeOf(join(folder, file.path))) ?? sizeOfPart(folder, file)),
  );
  return files.reduce((sum, { bytes }, index) => sum + Math.max(0, bytes - present[index]!), 0);
}

/**
 * Downloads the files of a commit into a folder, continuing what an earlier call left there, and checks their sizes and
 * hashes. Throws `HubFault`, the error of the file system, or the signal's reason.
 */
export async function downloadCommit(
  hub: ModelHub,
  commit: HubCommit,
  folder: string,
  options: DownloadOptions,
): Promise<void> {
  let before = 0;
  for (const file of commit.files) {
    const bytesBefore = before;
    const onProgress = (bytes: number) => options.onProgress(file, bytesBefore + bytes);
    if ((await sizeOf(join(folder, file.path))) === undefined) {
      await makeFolder(dirname(join(folder, file.path)));
      await downloadPart(hub, { commit, file, folder }, { ...options, onProgress });
      await verify(file, partOf(folder, file));
      await rename(partOf(folder, file), join(folder, file.path));
    }
    before += file.bytes;
    onProgress(file.bytes);
  }
}

interface Target {
  commit: HubCommit;
  file: HubFile;
  folder: string;
}

async function downloadPart(
  hub: ModelHub,
  target: Target,
  options: Omit<DownloadOptions, 'onProgress'> & { onProgress(bytes: number): void },
): Promise<void> {
  const { file, folder } = target;
  let tries = 0;
  let bytes = await sizeOfPart(folder, file);
  options.onProgress(bytes);
  while (bytes < file.bytes) {
    try {
      await append(hub, target, bytes, options);
    } catch (error) {
      options.signal.throwIfAborted();
      const isTransient = error instanceof HubFault && error.isTransient;
      if (!isTransient || tries + 1 >= MAX_TRIES) throw error;
    }
    const now = await sizeOfPart(folder, file);
    tries = now > bytes ? 0 : tries + 1;
    bytes = now;
    if (tries >= MAX_TRIES) throw wrongPart(file, hub);
    if (bytes < file.bytes)
      await options.pause(backoffMs(tries + 1, BACKOFF, chanceOf(options.random)), options.signal);
  }
}

/** Appends to the part of a file that is there, or starts over if the server does. */
async function append(
  hub: ModelHub,
  { commit, file, folder }: Target,
  present: number,
  { signal, onProgress }: { signal: AbortSignal; onProgress(bytes: number): void },
): Promise<void> {
  const { offset, body } = await hub.read(commit, file, present, signal);
  if (offset !== 0 && offset !== present) throw wrongPart(file, hub);
  // Avoid a stream, which may still write after it has failed.
  const part = await open(partOf(folder, file), offset === 0 ? 'w' : 'a', 0o600);
  try {
    let bytes = offset;
    for await (const chunk of body) {
      bytes += chunk.length;
      if (bytes > file.bytes) throw wrongPart(file, hub);
      await part.writeFile(chunk);
      onProgress(bytes);
    }
    await part.sync();
  } finally {
    await part.close();
  }
}

function wrongPart({ path, bytes }: HubFile, { url }: ModelHub): HubFault {
  return new HubFault(`${url} did not send the ${bytes} bytes of ${path} that it states. Try again later.`);
}

/** Throws `HubFault`, and deletes the file, if it is not what the hub states. */
async function verify(file: HubFile, path: string): Promise<void> {
  const { name, stated, hash } = hashOf(file);
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  const found = hash.digest('hex');
  if (found === stated) return;
  await rm(path, { force: true });
  const advice =
    'It was damaged or changed in transit and was deleted. Try again; if it happens again, use another network.';
  throw new HubFault(`${file.path} has the ${name} ${found}, but the hub states ${stated}. ${advice}`);
}

function hashOf({ bytes, sha256, gitSha1 = '' }: HubFile): { name: string; stated: string; hash: Hash } {
  if (sha256 !== undefined) return { name: 'SHA-256', stated: sha256, hash: createHash('sha256') };
  return { name: 'Git SHA-1', stated: gitSha1, hash: createHash('sha1').update(`blob ${bytes}\0`) };
}

function partOf(folder: string, { path }: HubFile): string {
  return join(folder, `${path}.part`);
}

/** A part that is longer than the whole is started over. */
async function sizeOfPart(folder: string, file: HubFile): Promise<number> {
  const bytes = (await sizeOf(partOf(folder, file))) ?? 0;
  return bytes > file.bytes ? 0 : bytes;
}

function sizeOf(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ size }) => size,
    () => undefined,
  );
}
