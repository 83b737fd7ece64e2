import { access, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { inject, vi } from 'vitest';

const MAX_INSTALL_MS = 300_000;

/** Installs packages from npm once for all test files of a run, which may ask at the same time. */
export async function installPackages(name: string, packages: readonly string[]): Promise<void> {
  const folder = folderOf(name);
  const isInstalled = join(folder, 'installed');
  const isFirst = await mkdir(folder).then(
    () => true,
    () => false,
  );
  if (!isFirst) return vi.waitFor(() => access(isInstalled), { timeout: MAX_INSTALL_MS, interval: 200 });
  try {
    await execa('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', ...packages]);
    await writeFile(isInstalled, '');
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** The folder with the packages that were installed under a name. */
export const packagesOf = (name: string): string => join(folderOf(name), 'node_modules');

/** The folder with their commands. */
export const commandsOf = (name: string): string => join(packagesOf(name), '.bin');

const folderOf = (name: string): string => join(inject('packagesFolder'), name);
