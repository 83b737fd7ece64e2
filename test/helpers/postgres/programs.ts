import { execFileSync } from 'node:child_process';
import { accessSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const DEBIAN = '/usr/lib/postgresql';

/** Returns the folder of PostgreSQL's programs. Throws an Error that says what to install if there is none. */
export function findPrograms(): string {
  const folders = [...debianFolders(), ...(process.env.PATH ?? '').split(delimiter)];
  const found = folders.find((folder) => exists(join(folder, 'initdb')) && exists(join(folder, 'postgres')));
  if (found === undefined) {
    throw new Error('The tests need PostgreSQL 15 or newer: apt-get install -y --no-install-recommends postgresql');
  }
  return found;
}

/** The user that runs the server, since PostgreSQL refuses to run as root; empty for oneself. */
export function serverUser(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  return { uid: idOf('-u'), gid: idOf('-g') };
}

function idOf(option: '-u' | '-g'): number {
  return Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }));
}

/** Newest version first. */
function debianFolders(): string[] {
  if (!exists(DEBIAN)) return [];
  const versions = readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a));
  return versions.map((version) => join(DEBIAN, version, 'bin'));
}

function exists(path: string): boolean {
  try {
    accessSync(path);
    return true;
  } catch {
    return false;
  }
}
