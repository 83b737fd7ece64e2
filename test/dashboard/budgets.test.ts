import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Metafile } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildDashboard } from '../../scripts/build-dashboard.mjs';

const FIRST_LOAD_BYTES = 60 * 1024;
const VIEW_BYTES = 25 * 1024;

let folder: string;
let built: { app: Metafile; assets: string };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-budgets-'));
  built = await buildDashboard(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A script and everything that it imports before it runs. */
function chunksOf(entry: string, found = new Set<string>()): Set<string> {
  if (found.has(entry)) return found;
  found.add(entry);
  for (const { path, kind } of built.app.outputs[entry]!.imports) {
    if (kind === 'import-statement') chunksOf(path, found);
  }
  return found;
}

async function gzipBytes(paths: Iterable<string>): Promise<number> {
  const sizes = await Promise.all([...paths].map((path) => stat(join(built.assets, `${basename(path)}.gz`))));
  return sizes.reduce((sum, { size }) => sum + size, 0);
}

const outputOf = (source: string) =>
  Object.entries(built.app.outputs).find(([, { entryPoint }]) => entryPoint?.endsWith(source))![0];

describe('the built web app', () => {
  test('loads at most 60 KB before it shows anything', async () => {
    const first = [...chunksOf(outputOf('dashboard/app.tsx')), outputOf('styles/app.css')];
    const page = (await stat(join(folder, 'index.html.gz'))).size;
    expect(page + (await gzipBytes(first))).toBeLessThanOrEqual(FIRST_LOAD_BYTES);
  });

  test('loads at most 25 KB more for each view', async () => {
    const first = chunksOf(outputOf('dashboard/app.tsx'));
    const views = Object.entries(built.app.outputs).filter(([, { entryPoint }]) => entryPoint?.includes('/views/'));
    expect(views).toHaveLength(13);
    for (const [path, { entryPoint }] of views) {
      const more = [...chunksOf(path)].filter((chunk) => !first.has(chunk));
      expect(await gzipBytes(more), entryPoint).toBeLessThanOrEqual(VIEW_BYTES);
    }
  });
});
