import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import { expect, test } from 'vitest';
import { METAFILE } from '../helpers/build-all.ts';

/** Packages that a daemon may never need; parsing the sender of mails does not count. */
const LAZY = /node_modules\/(undici|@modelcontextprotocol|zod|knex|lodash|nodemailer(?!\/.*addressparser))\//;

/** The files that are read when `output` is imported. */
function inputsOf({ outputs }: Metafile, output: string, seen: Set<string> = new Set()): Set<string> {
  const { inputs, imports } = outputs[output]!;
  for (const input of Object.keys(inputs)) seen.add(input);
  for (const { path, kind } of imports) {
    const isRead = kind === 'import-statement' && outputs[path] !== undefined && !seen.has(path);
    if (isRead) inputsOf({ outputs } as Metafile, path, seen.add(path));
  }
  return seen;
}

test('a daemon starts without the packages that it may never need', async () => {
  const metafile = JSON.parse(await readFile(METAFILE, 'utf8')) as Metafile;
  const [serve] = Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === 'src/daemon/serve.ts')!;
  const inputs = [...inputsOf(metafile, serve)];
  expect(inputs).toContain('src/daemon/compose.ts');
  expect(inputs.filter((input) => LAZY.test(input))).toEqual([]);
});

test('a hook is one file, and finds beside it what it loads lazily', async () => {
  const dist = join(import.meta.dirname, '../../dist');
  const text = await readFile(join(dist, 'hook.cjs'), 'utf8');
  const needed = [...text.matchAll(/\brequire\("([^"]+)"\)/g)].map(([, name]) => name!);
  expect(needed.filter((name) => !name.startsWith('node:'))).toEqual([]);
  const lazy = [...text.matchAll(/\bimport\("(\.[^"]+)"\)/g)].map(([, path]) => path!);
  const [conf, ...others] = lazy;
  expect(others).toEqual([]);
  expect(await import(join(dist, conf!))).toHaveProperty('default.name', 'Conf');
});
