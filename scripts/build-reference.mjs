import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { daemonBuild, root } from './build-options.mjs';
import { compressFiles } from './compress-files.mjs';

const source = `${root}src/reference`;

/**
 * Builds the API reference into a folder: a page rendered from the OpenAPI document of this program, a script and a
 * style sheet.
 */
export async function buildReference(outdir) {
  await mkdir(outdir, { recursive: true });
  const renderer = `${root}.cache/reference/render.js`;
  await build({
    ...daemonBuild,
    entryPoints: [`${source}/render.ts`],
    outdir: undefined,
    splitting: false,
    outfile: renderer,
  });
  const { renderReference } = await import(pathToFileURL(renderer).href);
  await writeFile(`${outdir}/reference.html`, await renderReference(await readFile(`${root}docs/client.md`, 'utf8')));
  await build({
    entryPoints: [`${source}/browser/reference.ts`, `${source}/browser/reference.css`],
    outdir,
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'warning',
  });
  await compressFiles(outdir);
}
