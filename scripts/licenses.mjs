import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { root } from './build-options.mjs';

/** Writes the licenses of the packages among the inputs of esbuild's metafiles to a file, as most of them demand. */
export async function writeLicenses(metafiles, file) {
  const inputs = metafiles.flatMap(({ inputs }) => Object.keys(inputs));
  const folders = new Set(inputs.map((path) => path.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0]).filter(Boolean));
  const entries = await Promise.all([...folders].map(licenseOf));
  await writeFile(file, `svc contains the following packages.\n\n${entries.sort().join('\n')}`);
}

/** Name, version and license text of the package in a folder. */
export async function licenseOf(folder) {
  const path = resolve(root, folder);
  const { name, version, license } = JSON.parse(await readFile(join(path, 'package.json'), 'utf8'));
  const file = (await readdir(path)).find((entry) => /^licen[cs]e(\.|-mit|$)/i.test(entry));
  const text = file ? await readFile(join(path, file), 'utf8') : `${license} license\n`;
  return `${'-'.repeat(80)}\n${name} ${version} (${license})\n\n${text.trim()}\n`;
}
