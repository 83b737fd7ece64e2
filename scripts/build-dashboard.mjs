import { copyFile, mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const source = (file) => fileURLToPath(new URL(`../src/dashboard/${file}`, import.meta.url));

/**
 * Builds the web page into a folder: two scripts, one style sheet, the markup and the icon, five files that need
 * nothing else. The scripts are plain (not modules), because the first must run before the page is drawn.
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
}
