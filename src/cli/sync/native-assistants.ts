import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { inEnvFolder } from '../assistants/config-paths.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import { projectRoot } from '../hook/project-name.ts';
import { readState } from '../hook/state-file.ts';
import type { Environment } from '../settings.ts';

interface NativeAssistant {
  folder(project: string, environment: Environment): Promise<string>;
  /** Subfolders, in lower case, with Markdown files that are not notes. */
  otherFolders: readonly string[];
}

export type NativeName = 'claude-code' | 'gemini-cli';

/** Assistants whose own memory files can be synced. */
export const NATIVE_ASSISTANTS: Record<NativeName, NativeAssistant> = {
  'claude-code': { folder: claudeCodeFolder, otherFolders: [] },
  // Drafts that wait for `/memory inbox`.
  'gemini-cli': { folder: geminiFolder, otherFolders: ['skills'] },
};

/**
 * Returns the folder in which an assistant keeps what it notes about a project. Throws `CommandFailure` if the project does
 * not exist, or the assistant has no folder for it.
 */
export function nativeFolder(assistant: NativeName, project: string, environment: Environment): Promise<string> {
  return NATIVE_ASSISTANTS[assistant].folder(project, environment);
}

/** Past this length, Claude Code names the folder of a project in another way. */
const MAX_FOLDER_NAME = 200;

/** Claude Code has a folder for each git repository, which worktrees share, named after its path. */
async function claudeCodeFolder(project: string, environment: Environment): Promise<string> {
  const root = await existing(await projectRoot(project), project);
  const name = root.replace(/[^a-zA-Z0-9]/g, '-');
  if (name.length > MAX_FOLDER_NAME) throw new CommandFailure(EXIT.usage, `The path ${root} is too long.`);
  return join(inEnvFolder(environment, 'CLAUDE_CONFIG_DIR', '.claude', 'projects'), name, 'memory');
}

/**
 * Gemini CLI has a folder for each folder that it was started in. It chooses the name at the first start, lists it in
 * `projects.json`, and writes into the named folder whose it is; a listed name without that may be given to another project.
 */
async function geminiFolder(project: string, { env, home, platform }: Environment): Promise<string> {
  const root = await existing(project, project);
  const key = platform === 'win32' ? root.toLowerCase() : root;
  const settings = join(env.GEMINI_CLI_HOME || home, '.gemini');
  const listed: { projects?: Record<string, unknown> } = {};
  const { projects } = await readState(join(settings, 'projects.json'), listed).catch(() => listed);
  const name = projects?.[key];
  if (typeof name === 'string' && /^[a-z0-9-]+$/.test(name)) {
    const folder = join(settings, 'tmp', name);
    const owner = await fs.readFile(join(folder, '.project_root'), 'utf8').catch(() => '');
    if (owner.trim() === key) return join(folder, 'memory');
  }
  throw new CommandFailure(EXIT.failed, `Gemini CLI was not started in ${root} yet. Start it there once, then sync.`);
}

function existing(path: string, project: string): Promise<string> {
  return fs.realpath(path).catch(() => {
    throw new CommandFailure(EXIT.usage, `${project} does not exist. Name the folder of a project.`);
  });
}
