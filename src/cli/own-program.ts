import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Program } from './assistants/bridge-command.ts';

/** The running program by paths that an upgrade does not change, for what other programs are to start. */
export function ownProgram(): Program {
  // `dist` is beside `bin`.
  return stableProgram(process.execPath, fileURLToPath(new URL('../bin/svc', import.meta.url)));
}

/**
 * A download is installed into a folder named after its version, beside the link `current`. Node resolves links, so it
 * reports paths in the folder, which a later upgrade removes.
 */
export function stableProgram(node: string, script: string): Program {
  const folder = dirname(dirname(script));
  const current = join(dirname(folder), 'current');
  if (!leadsTo(current, folder)) return { node, script };
  const throughLink = (path: string) => (path.startsWith(`${folder}/`) ? current + path.slice(folder.length) : path);
  return { node: throughLink(node), script: throughLink(script) };
}

function leadsTo(link: string, folder: string): boolean {
  if (basename(folder) === basename(link)) return false;
  try {
    return realpathSync(link) === folder;
  } catch {
    return false;
  }
}
