import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';

/** Fills a folder for `PATH` with links to those of the programs that are installed. */
export async function linkPrograms(folder: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const { stdout, failed } = await execa('which', [name], { reject: false });
    if (!failed) await symlink(stdout, join(folder, name));
  }
}
