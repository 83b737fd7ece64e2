import { existsSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';

/** What `install.sh` has made: a folder with one folder for each version, and the link `current` to one of them. */
export interface Installation {
  folder: string;
  /** The name of the folder that `current` leads to: a version, with `+` for each time it was repaired. */
  current: string;
}

/** The version in the name of a folder. */
export function versionOf(name: string): string {
  return name.replace(/\++$/, '');
}

/**
 * Finds the installation of a program by the path of its `bin/svc`. Throws `CommandFailure` with the command that upgrades
 * it where something else installed it.
 */
export function findInstallation(script: string): Installation {
  const program = dirname(dirname(realpathSync(script)));
  const folder = dirname(program);
  const link = linkIn(folder);
  if (link === undefined || !/^\d/.test(basename(program))) throw new CommandFailure(EXIT.failed, otherWay(program));
  const current = basename(link);
  if (current === basename(program)) return { folder, current };
  const advice = `Run ${join(folder, 'current', 'svc')} upgrade.`;
  throw new CommandFailure(EXIT.failed, `This is not the installed svc, which is ${versionOf(current)}. ${advice}`);
}

function linkIn(folder: string): string | undefined {
  try {
    return readlinkSync(join(folder, 'current'));
  } catch {
    return undefined;
  }
}

/** Which command upgrades a program that is not in a folder of `install.sh`. */
function otherWay(program: string): string {
  if (/[\\/]node_modules[\\/]/.test(program)) {
    return 'npm installed this svc. Upgrade it with: npm install -g svc-memory@latest';
  }
  if (program === '/usr/lib/svc') {
    const command = 'sudo apt install ./svc-memory_VERSION_ARCHITECTURE.deb';
    return `This svc is the Debian package svc-memory. Download the newer one and upgrade with: ${command}`;
  }
  if (program === '/opt/svc') {
    const command = 'docker compose pull && docker compose up -d';
    return `This svc is part of a container image. Use the newer image instead: ${command}`;
  }
  if (existsSync(join(program, 'package-lock.json'))) {
    return 'This svc runs from its source. Upgrade it with: git pull && npm ci && npm run build';
  }
  const command = 'sh install.sh svc-VERSION-PLATFORM.tar.gz';
  return `This svc runs from an unpacked archive. Install the newer one with: ${command}`;
}
