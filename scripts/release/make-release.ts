import { copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { execa } from 'execa';
import { root } from '../build-options.mjs';
import { writeClientPackage } from '../client-package.ts';
import { writeN8nPackage } from '../n8n-package.ts';
import { checksumOf, RELEASE_FOLDER, releaseTime, type WrittenProgram, writeArchives } from './archive.ts';
import { writeBundle } from './bundle.ts';
import { checkArtifact, checkBinaries } from './checks.ts';
import { writeDebianPackage } from './deb.ts';
import { billOfMaterials, provenance, readChangelog, releaseNotes } from './documents.ts';
import { HOST, PLATFORMS, type Platform, Unavailable } from './platform.ts';
import { readManifest, writeProgram } from './program-folder.ts';
import { trialVersion } from './runtime.ts';
import { startProgram } from './start.ts';

/** Options of a release. */
export interface ReleaseOptions {
  output?: string | undefined;
  /** The tag, `v` and the version; without one nothing is compared. */
  tag?: string | undefined;
  platforms?: readonly Platform[] | undefined;
  /** A folder with archives that `npm run archive` has made on other machines, for platforms that this one cannot make. */
  archives?: string | undefined;
  /** Compresses less, for tests. */
  isQuick?: boolean | undefined;
  /** The identity of the builder in the provenance. */
  builder?: string | undefined;
  onProgress(text: string): void;
}

/** What became of an artifact. */
export interface Outcome {
  artifact: string;
  /** `undefined` if it was not made, for `reason`. */
  bytes?: number;
  reason?: string;
  /** For programs: `yes`, or why it was not started. */
  started?: string;
  /** Why it must not be published. */
  trial?: string;
}

/** Makes and checks all artifacts of a release. What cannot be made here is in the result with its reason. */
export async function makeRelease(options: ReleaseOptions): Promise<Outcome[]> {
  const { output = RELEASE_FOLDER, tag, platforms = PLATFORMS } = options;
  const { version } = await readManifest();
  if (tag !== undefined && tag !== `v${version}`)
    throw new Error(`The tag ${tag} is not v${version}, which package.json has.`);
  await rm(output, { recursive: true, force: true });
  await mkdir(output, { recursive: true });
  const outcomes: Outcome[] = [];
  for (const platform of platforms) {
    options.onProgress(`program for ${platform}`);
    outcomes.push(...(await makePrograms(output, platform, options)));
  }
  options.onProgress('packages');
  const bundle = await writeBundle(output);
  for (const file of [bundle, ...(await packClients(output))]) outcomes.push(await outcomeOf(file));
  outcomes.push(await makeImage(output, version));
  await writeDocuments(output, options);
  return outcomes;
}

async function makePrograms(
  output: string,
  platform: Platform,
  { archives, isQuick, tag }: ReleaseOptions,
): Promise<Outcome[]> {
  const given = await takeArchives(archives, platform, output);
  if (given.length > 0) {
    const started = 'on the machine that made it';
    return Promise.all(given.map(async (file) => ({ ...(await outcomeOf(file)), started })));
  }
  const scratch = await mkdtemp(join(output, '.program-'));
  try {
    const program: WrittenProgram = { platform, folder: join(scratch, 'svc'), isQuick };
    await writeProgram(program.folder, { platform, isTrial: tag === undefined });
    await checkBinaries(program.folder, platform);
    const isLinux = platform.startsWith('linux');
    const packages = isLinux ? [writeDebianPackage(output, program)] : [];
    const files = (await Promise.all([writeArchives({ withXz: true }, output, program), ...packages])).flat();
    const outcomes: Outcome[] = [];
    const version = platform === HOST ? undefined : trialVersion(platform);
    const trial = version === undefined ? {} : { trial: `has Node.js ${version}` };
    for (const file of files)
      outcomes.push({
        ...(await outcomeOf(file, isQuick)),
        started: await tryStart(scratch, file, platform),
        ...trial,
      });
    return outcomes;
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    return [{ artifact: `svc for ${platform}`, reason: error.message }];
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Copies the archives for a platform from a folder, if they are there, and checks their checksums. */
async function takeArchives(folder: string | undefined, platform: Platform, output: string): Promise<string[]> {
  if (folder === undefined) return [];
  const names = (await readdir(folder)).filter(
    (one) => /\.(tar\.gz|tar\.xz|zip)$/.test(one) && one.includes(`-${platform}.`),
  );
  for (const name of names) {
    await execa('sha256sum', ['--check', '--quiet', `${name}.sha256`], { cwd: folder });
    for (const file of [name, `${name}.sha256`]) await copyFile(join(folder, file), join(output, file));
  }
  return names.map((name) => join(output, name));
}

/** Starts the program in an archive or a Debian package. Returns `yes`, or why this machine cannot. */
async function tryStart(scratch: string, file: string, platform: Platform): Promise<string> {
  const folder = await mkdtemp(join(scratch, 'unpacked-'));
  const isPackage = file.endsWith('.deb');
  if (isPackage) await execa('dpkg-deb', ['-x', file, folder]);
  else if (file.endsWith('.zip')) await execa('unzip', ['-q', file, '-d', folder]);
  else await execa('tar', ['-xf', file, '-C', folder]);
  const program = isPackage ? 'usr/lib/svc' : (await readdir(folder))[0]!;
  try {
    await startProgram(join(folder, program), platform);
    return 'yes';
  } catch (error) {
    if (error instanceof Unavailable) return error.message;
    throw error;
  }
}

/** The packages for npm and PyPI. */
async function packClients(output: string): Promise<string[]> {
  const scratch = await mkdtemp(join(output, '.client-'));
  const folders = { client: join(scratch, 'client'), n8n: join(scratch, 'n8n') };
  try {
    await writeClientPackage(folders.client);
    await writeN8nPackage(folders.n8n);
    const files: string[] = [];
    for (const folder of [root, ...Object.values(folders)]) {
      // The build has run already.
      const words = ['pack', '--silent', '--ignore-scripts', '--pack-destination', output, folder];
      const { stdout } = await execa('npm', words, { cwd: root });
      files.push(join(output, stdout.trim()));
    }
    const client = join(root, 'clients/python');
    const script = join(root, 'scripts/release/wheel.py');
    const { stdout: wheel } = await execa('python3', [
      script,
      client,
      join(root, 'LICENSE'),
      output,
      await releaseTime(),
    ]);
    return [...files, wheel];
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function makeImage(output: string, version: string): Promise<Outcome> {
  const artifact = `svc-${version}-image.tar`;
  const { failed } = await execa('docker', ['info'], { reject: false });
  if (failed) return { artifact, reason: 'no Docker daemon runs here. The release workflow builds the image.' };
  const image = `ghcr.io/svc-memory/svc:${version}`;
  await execa('docker', ['build', '--tag', image, root]);
  await execa('docker', ['save', '--output', join(output, artifact), image]);
  return outcomeOf(join(output, artifact));
}

/** Notes, the bill of materials, checksums and provenance, in this order: the last two cover what is there. */
async function writeDocuments(output: string, { tag, builder = 'local' }: ReleaseOptions): Promise<void> {
  const { version } = await readManifest();
  const json = (value: object) => `${JSON.stringify(value, null, 2)}\n`;
  await copyFile(join(root, 'scripts/install.sh'), join(output, 'install.sh'));
  await writeFile(join(output, 'NOTES.md'), releaseNotes(await readChangelog(), version));
  await writeFile(join(output, 'sbom.cdx.json'), json(await billOfMaterials(await licensesIn(output))));
  const names = (await readdir(output)).filter((name) => !name.endsWith('.sha256') && !name.startsWith('.')).sort();
  const files = [];
  for (const name of names) files.push({ name, sha256: await checksumOf(join(output, name)) });
  await writeFile(join(output, 'SHA256SUMS'), files.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join(''));
  await writeFile(
    join(output, 'provenance.json'),
    json(await provenance(files, { tag: tag ?? `v${version}`, builder })),
  );
}

/** The licenses of all that an archive contains, as it lists them. */
async function licensesIn(output: string): Promise<string> {
  const archive = (await readdir(output)).find((name) => name.endsWith('.tar.gz'));
  if (archive === undefined) throw new Error('No archive could be made, so there is nothing to release.');
  const words = ['-xzOf', join(output, archive), '--wildcards', '*/dist/licenses.txt'];
  return (await execa('tar', words, { maxBuffer: 64 * 1024 * 1024 })).stdout;
}

async function outcomeOf(file: string, isQuick?: boolean): Promise<Outcome> {
  return { artifact: basename(file), bytes: await checkArtifact(file, { isQuick }) };
}
