import { createHash } from 'node:crypto';
import { mkdtemp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { root } from '../build-options.mjs';

/**
 * Downloads a package from npm, which caches it, verifies it and unpacks it into a new folder inside `scratch`. Returns
 * that folder. `integrity` is as npm has it: `sha512-…`.
 */
export async function unpackPackage(
  name: string,
  { version, integrity }: { version: string; integrity: string },
  scratch: string,
): Promise<string> {
  const words = ['pack', '--silent', '--pack-destination', scratch, `${name}@${version}`];
  const { stdout } = await execa('npm', words);
  const tarball = join(scratch, stdout.trim());
  const hash = createHash('sha512').update(await readFile(tarball));
  const actual = `sha512-${hash.digest('base64')}`;
  if (actual !== integrity) throw new Error(`${name} ${version} has the checksum ${actual}, not ${integrity}.`);
  const folder = await mkdtemp(join(scratch, 'package-'));
  await execa('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1']);
  return folder;
}

/** The version and checksum of a package in the lock file, also of one for another platform. */
export async function lockedPackage(name: string): Promise<{ version: string; integrity: string }> {
  const { packages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'));
  const found = packages[`node_modules/${name}`];
  if (found === undefined) throw new Error(`package-lock.json has no ${name}.`);
  return found;
}
