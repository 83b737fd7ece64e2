import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { execa } from 'execa';
import { root } from '../build-options.mjs';
import { readManifest, writeProgram } from './program-folder.ts';

/** Where archives and packages are written. */
export const RELEASE_FOLDER = join(root, 'release');

/**
 * Writes `svc-VERSION-PLATFORM.tar.gz`, which contains one folder of that name, and its checksum beside it. The same
 * source and packages give the same bytes. Needs GNU tar. Returns the path.
 */
export async function writeArchive(output = RELEASE_FOLDER): Promise<string> {
  const name = `svc-${(await readManifest()).version}-${process.platform}-${process.arch}`;
  await mkdir(output, { recursive: true });
  const scratch = await mkdtemp(join(output, '.archive-'));
  try {
    await writeProgram(join(scratch, name));
    const archive = join(output, `${name}.tar.gz`);
    await packFolder(scratch, name, archive);
    await writeFile(`${archive}.sha256`, `${await checksumOf(archive)}  ${name}.tar.gz\n`);
    return archive;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function packFolder(parent: string, name: string, archive: string): Promise<void> {
  const time = `@${await releaseTime()}`;
  const same = ['--sort=name', `--mtime=${time}`, '--owner=0', '--group=0', '--numeric-owner', '--mode=u=rwX,go=rX'];
  await execa('tar', [...same, '--format=gnu', '--use-compress-program=gzip -6n', '-cf', archive, '-C', parent, name]);
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
