import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../processes.ts';
import type { Contestant } from './system.ts';

/** Installs the packages of a contestant with npm and returns their folder, which later runs use again. */
export async function installPackages({ packages }: Contestant): Promise<string> {
  const [first] = Object.keys(packages);
  if (first === undefined) return ROOT;
  const folder = join(ROOT, '.cache/beside', first.split('/').at(-1)!);
  if (await isInstalled(folder, packages)) return folder;
  await mkdir(folder, { recursive: true });
  // The driver of SQLite is compiled where no binary fits.
  const manifest = { private: true, dependencies: packages, allowScripts: { 'better-sqlite3': true } };
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund'], { cwd: folder });
  return folder;
}

async function isInstalled(folder: string, packages: Contestant['packages']): Promise<boolean> {
  const installed = await Promise.all(
    Object.entries(packages).map(async ([name, version]) => {
      const manifest = await readFile(join(folder, 'node_modules', name, 'package.json'), 'utf8').catch(() => '{}');
      return (JSON.parse(manifest) as { version?: string }).version === version;
    }),
  );
  return installed.every(Boolean);
}
