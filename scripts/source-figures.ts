import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transform } from 'esbuild';
import { folderOf, printTable } from './source-folders.ts';

/**
 * Prints the files, lines and statements of each folder of `src`, and on how many other folders and packages it depends,
 * types aside. Statements are counted as esbuild prints them, one on a line. `node --import tsx scripts/source-figures.ts`
 */

const ROOT = fileURLToPath(new URL('..', import.meta.url));

interface Figures {
  files: number;
  lines: number;
  statements: number;
  folders: Set<string>;
  packages: Set<string>;
}

const figures = new Map<string, Figures>();

for (const name of await readdir(join(ROOT, 'src'), { recursive: true })) {
  if (/\.(ts|tsx|css|html)$/.test(name)) await add(join('src', name));
}
const rows = [...figures].sort(([one], [other]) => one.localeCompare(other));
const sum = (of: 'files' | 'lines' | 'statements') => rows.reduce((total, [, row]) => total + row[of], 0);
printTable(
  ['folder', 'files', 'lines', 'statements', 'folders', 'packages'],
  [
    ...rows.map(([folder, { files, lines, statements, folders, packages }]) => [
      folder,
      files,
      lines,
      statements,
      folders.size,
      packages.size,
    ]),
    [
      'all',
      sum('files'),
      sum('lines'),
      sum('statements'),
      '',
      new Set(rows.flatMap(([, row]) => [...row.packages])).size,
    ],
  ],
);

async function add(path: string): Promise<void> {
  const text = await readFile(join(ROOT, path), 'utf8');
  const folder = folderOf(path);
  const row = figures.get(folder) ?? { files: 0, lines: 0, statements: 0, folders: new Set(), packages: new Set() };
  figures.set(folder, row);
  row.files += 1;
  row.lines += text.split('\n').length - 1;
  if (!/\.tsx?$/.test(path)) return;
  const { code } = await transform(text, { loader: path.endsWith('x') ? 'tsx' : 'ts', jsx: 'automatic' });
  row.statements +=
    code.match(/;$|^\s*(export )?(async )?(if|for|while|do|switch|try|function|class)\b.*\{$/gm)?.length ?? 0;
  for (const [, from, dynamic] of code.matchAll(/\bfrom "([^"]+)"|\bimport\("([^"]+)"\)/g)) {
    const target = from ?? dynamic!;
    const local = target.startsWith('.') ? folderOf(normalize(join(dirname(path), target))) : undefined;
    if (local !== undefined && local !== folder) row.folders.add(local);
    const name = /^(@[^/]+\/)?[^/]+/.exec(target)![0];
    if (local === undefined && !target.startsWith('node:')) row.packages.add(name);
  }
}
