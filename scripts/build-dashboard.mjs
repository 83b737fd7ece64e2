import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { root } from './build-options.mjs';
import { compressFiles } from './compress-files.mjs';

const source = (file) => fileURLToPath(new URL(`../src/dashboard/${file}`, import.meta.url));

const shared = {
  absWorkingDir: root,
  bundle: true,
  minify: true,
  target: 'es2022',
  sourcemap: false,
  charset: 'utf8',
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
};

/**
 * Builds the web app into a folder: the page and, in `assets`, its scripts and style sheet. Their names contain a hash of
 * their content, so that browsers may keep them forever. Each file that compresses has a `.br` and a `.gz` beside it.
 */
export async function buildDashboard(outdir) {
  const assets = `${outdir}/assets`;
  await rm(outdir, { recursive: true, force: true });
  await mkdir(assets, { recursive: true });
  const app = await build({
    ...shared,
    entryPoints: [source('app.tsx'), source('styles/app.css')],
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    outdir: assets,
    format: 'esm',
    splitting: true,
    jsx: 'automatic',
    jsxImportSource: 'preact',
  });
  // Classic scripts, because the one of the page must run before anything renders.
  const scripts = await build({
    ...shared,
    entryPoints: ['credential.ts', 'code-page.ts', 'consent-page.ts', 'styles/pages.css'].map(source),
    entryNames: '[name]-[hash]',
    outdir: assets,
    format: 'iife',
  });
  const names = { ...namesOf(app), ...namesOf(scripts) };
  for (const name of ['code-page.js', 'consent-page.js', 'pages.css']) {
    await copyFile(`${assets}/${names[name]}`, `${outdir}/${name}`);
    await rm(`${assets}/${names[name]}`);
  }
  const html = await readFile(source('index.html'), 'utf8');
  const page = html.replaceAll(/\{\{(.+?)\}\}/g, (_, name) => `/dashboard/assets/${names[name]}`);
  await writeFile(`${outdir}/index.html`, page.replaceAll(/<!--.*?-->\n?/g, ''));
  await copyFile(source('favicon.svg'), `${outdir}/favicon.svg`);
  await Promise.all([outdir, assets].map(compressFiles));
  return { app: app.metafile, assets };
}

/** File names with their hashes, by the names of their entry points. */
function namesOf({ metafile }) {
  return Object.fromEntries(
    Object.entries(metafile.outputs)
      .filter(([, output]) => output.entryPoint)
      .map(([path]) => [basename(path).replace(/-[^-.]+(\.\w+)$/, '$1'), basename(path)]),
  );
}
