import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
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
 * For each translation in the folder `words` there is another page, `index.de.html`, with scripts of its own.
 */
export async function buildDashboard(outdir, { words = source('words') } = {}) {
  const assets = `${outdir}/assets`;
  await rm(outdir, { recursive: true, force: true });
  await mkdir(assets, { recursive: true });
  const buildApp = (plugins = []) =>
    build({
      ...shared,
      entryPoints: [source('app.tsx'), source('styles/app.css')],
      entryNames: '[name]-[hash]',
      chunkNames: '[name]-[hash]',
      outdir: assets,
      format: 'esm',
      splitting: true,
      jsx: 'automatic',
      jsxImportSource: 'preact',
      plugins,
    });
  const app = await buildApp();
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
  const html = (await readFile(source('index.html'), 'utf8')).replaceAll(/<!--.*?-->\n?/g, '');
  const page = (names) => html.replaceAll(/\{\{(.+?)\}\}/g, (_, name) => `/dashboard/assets/${names[name]}`);
  await writeFile(`${outdir}/index.html`, page(names));
  const translations = {};
  for (const language of await translationsIn(words)) {
    const translated = await buildApp([await inWordsOf(join(words, `${language}.json`))]);
    const text = page({ ...names, ...namesOf(translated) }).replace('<html lang="en">', `<html lang="${language}">`);
    await writeFile(`${outdir}/index.${language}.html`, text);
    translations[language] = translated.metafile;
  }
  await copyFile(source('favicon.svg'), `${outdir}/favicon.svg`);
  await Promise.all([outdir, assets].map(compressFiles));
  return { app: app.metafile, assets, translations };
}

/** The languages that a folder has words of, beside English, which the sources are written in. */
async function translationsIn(words) {
  const names = (await readdir(words)).filter((name) => name.endsWith('.json') && name !== 'en.json');
  return names.map((name) => basename(name, '.json')).sort();
}

/** Lets the bundler read sources in the words of a file. What it lacks stays English. */
async function inWordsOf(file) {
  const words = JSON.parse(await readFile(file, 'utf8'));
  const { inOtherWords } = await import('./page-words.mjs');
  return {
    name: 'words',
    setup({ onLoad }) {
      onLoad({ filter: /\/src\/dashboard\/.*\.tsx?$/ }, async ({ path }) => ({
        contents: inOtherWords(await readFile(path, 'utf8'), path, (message) => words[message] ?? message),
        loader: path.endsWith('x') ? 'tsx' : 'ts',
      }));
    },
  };
}

/** File names with their hashes, by the names of their entry points. */
function namesOf({ metafile }) {
  return Object.fromEntries(
    Object.entries(metafile.outputs)
      .filter(([, output]) => output.entryPoint)
      .map(([path]) => [basename(path).replace(/-[^-.]+(\.\w+)$/, '$1'), basename(path)]),
  );
}
