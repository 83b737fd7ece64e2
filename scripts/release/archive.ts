import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { execa } from 'execa';
import { root } from '../build-options.mjs';
import { HOST, type Platform } from './platform.ts';
import { readManifest, writeProgram } from './program-folder.ts';

/** Where archives and packages are written. */
export const RELEASE_FOLDER = join(root, 'release');

/** A program that `writeProgram` has written already, and its platform. */
export interface WrittenProgram {
  platform: Platform;
  folder: string;
  /** Compresses less, for tests. */
  isQuick?: boolean | undefined;
}

/**
 * Writes `svc-VERSION-PLATFORM.tar.gz`, with `withXz` also the smaller `.tar.xz`, which takes minutes; for Windows `.zip`.
 * Each contains one folder of that name and has its checksum beside it. The same source and packages give the same bytes.
 * Needs GNU tar. Returns the paths.
 */
export async function writeArchives(
  { withXz }: { withXz: boolean },
  output = RELEASE_FOLDER,
  written?: WrittenProgram,
): Promise<string[]> {
  const platform = written?.platform ?? HOST;
  const name = `svc-${(await readManifest()).version}-${platform}`;
  const archives = platform.startsWith('win32') ? ['.zip'] : withXz ? ['.tar.gz', '.tar.xz'] : ['.tar.gz'];
  await mkdir(output, { recursive: true });
  const scratch = await mkdtemp(join(output, '.archive-'));
  try {
    await placeProgram(join(scratch, name), written);
    const files = archives.map((suffix) => join(output, `${name}${suffix}`));
    for (const file of files) {
      if (file.endsWith('.zip')) await zipFolder(scratch, name, file);
      else await packFolder(scratch, name, file, compressionOf(file, platform, written?.isQuick));
      await writeFile(`${file}.sha256`, `${await checksumOf(file)}  ${basename(file)}\n`);
    }
    return files;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** The command that compresses an archive. One thread and one block, so that the bytes do not depend on the machine. */
function compressionOf(file: string, platform: Platform, isQuick = false): string {
  if (file.endsWith('.gz')) return `gzip -${isQuick ? 1 : 6}n`;
  if (isQuick) return 'xz -T1 -0';
  // This filter saves a twentieth. That for ARM needs a newer xz to unpack than Ubuntu 22.04 has.
  return platform.endsWith('-x64') ? 'xz -T1 --x86 --lzma2=preset=9e' : 'xz -T1 -9e';
}

/** Writes a program to a folder, or copies a written one there. */
export async function placeProgram(folder: string, written?: WrittenProgram): Promise<void> {
  if (written === undefined) return writeProgram(folder);
  await execa('cp', ['-a', '--reflink=auto', written.folder, folder]);
}

async function zipFolder(parent: string, name: string, archive: string): Promise<void> {
  await rm(archive, { force: true });
  await execa('find', [name, '-exec', 'touch', '-h', '-d', `@${await releaseTime()}`, '{}', '+'], { cwd: parent });
  const list = `find ${name} -type f | LC_ALL=C sort | TZ=UTC zip -q -X -6 "$0" -@`;
  await execa('sh', ['-c', list, archive], { cwd: parent });
}

async function packFolder(parent: string, name: string, archive: string, compression: string): Promise<void> {
  const time = `@${await releaseTime()}`;
  const same = ['--sort=name', `--mtime=${time}`, '--owner=0', '--group=0', '--numeric-owner', '--mode=u=rwX,go=rX'];
  await execa('tar', [
    ...same,
    '--format=gnu',
    `--use-compress-program=${compression}`,
    '-cf',
    archive,
    '-C',
    parent,
    name,
  ]);
}

/** Seconds since 1970 of `SOURCE_DATE_EPOCH`, otherwise of the last commit. */
export async function releaseTime(): Promise<string> {
  const committed = execa('git', ['log', '-1', '--format=%ct'], { cwd: root }).then(({ stdout }) => stdout);
  return process.env.SOURCE_DATE_EPOCH ?? (await committed.catch(() => '0'));
}

/** Returns the SHA-256 of a file, as hexadecimal digits. */
export async function checksumOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
