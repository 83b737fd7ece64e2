import { copyFile, mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { compressFiles } from './compress-files.mjs';

const source = (file) => fileURLToPath(new URL(`../src/dashboard/${file}`, import.meta.url));

/**
 * Builds the dashboard into a folder: two scripts, a style sheet, the HTML page and an icon, without further
 * dependencies. The scripts are not modules, because the first one must run before the page is rendered.
 */
export async function buildDashboard(outdir) {
  await mkdir(outdir, { recursive: true });
  await build({
    entryPoints: [source('dashboard.ts'), source('code-page.ts'), source('dashboard.css')],
    outdir,
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    sourcemap: false,
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'warning',
  });
  for (const file of ['dashboard.html', 'favicon.svg']) await copyFile(source(file), `${outdir}/${file}`);
  await compressFiles(outdir);
}
