import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { inEnvFolder } from '../assistants/config-paths.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import { projectRoot } from '../hook/project-name.ts';
import type { Environment } from '../settings.ts';

/** Assistants whose own memory files can be synced. */
export const NATIVE_ASSISTANTS = ['claude-code'] as const;

/** Past this length, Claude Code names the folder of a project in another way. */
const MAX_FOLDER_NAME = 200;

/**
 * Returns the folder in which Claude Code keeps what it notes about a project: that of the git repository, which its
 * worktrees share. Throws `CommandFailure` if the project does not exist.
 */
export async function nativeFolder(project: string, environment: Environment): Promise<string> {
  const root = await fs.realpath(await projectRoot(project)).catch(() => {
    throw new CommandFailure(EXIT.usage, `${project} does not exist. Name the folder of a project.`);
  });
  const name = root.replace(/[^a-zA-Z0-9]/g, '-');
  if (name.length > MAX_FOLDER_NAME) throw new CommandFailure(EXIT.usage, `The path ${root} is too long.`);
  return join(inEnvFolder(environment, 'CLAUDE_CONFIG_DIR', '.claude', 'projects'), name, 'memory');
}
