import type { Environment } from '../settings.ts';
import type { Assistant, Scope } from './assistant.ts';
import { readConfigFile } from './config-file.ts';
import { config, home, inEnvFolder, inXdgConfig, project } from './config-paths.ts';
import { ConfigFileError } from './editing/document.ts';
import { readInstructions, removeInstructions, writeInstructions } from './editing/edit-instructions.ts';
import { type ChangePlan, type OwnedPart, planFile } from './plan-change.ts';

const AGENTS_MD = project('AGENTS.md');
const GEMINI_MD = home('.gemini', 'GEMINI.md');

/** The Markdown file that an assistant reads at the start of a session, by assistant and scope. Some share a file. */
const INSTRUCTION_FILES: Record<string, Partial<Record<Scope, (environment: Environment) => string[]>>> = {
  'claude-code': {
    user: (environment) => [inEnvFolder(environment, 'CLAUDE_CONFIG_DIR', '.claude', 'CLAUDE.md')],
    project: project('CLAUDE.md'),
  },
  codex: { user: (environment) => [inEnvFolder(environment, 'CODEX_HOME', '.codex', 'AGENTS.md')], project: AGENTS_MD },
  gemini: { user: GEMINI_MD, project: project('GEMINI.md') },
  copilot: {
    user: (environment) => [inEnvFolder(environment, 'COPILOT_HOME', '.copilot', 'copilot-instructions.md')],
    project: AGENTS_MD,
  },
  opencode: { user: (environment) => [inXdgConfig(environment, 'opencode', 'AGENTS.md')], project: AGENTS_MD },
  qwen: { user: home('.qwen', 'QWEN.md'), project: project('QWEN.md') },
  amp: { user: config(['amp', 'AGENTS.md'], ['amp', 'AGENTS.md']), project: AGENTS_MD },
  devin: { user: config(['devin', 'AGENTS.md'], ['devin', 'AGENTS.md']), project: AGENTS_MD },
  antigravity: { user: GEMINI_MD, project: AGENTS_MD },
  cursor: { project: AGENTS_MD },
  zed: { project: AGENTS_MD },
};

const INSTRUCTIONS_PART: OwnedPart = {
  contains: (text) => readInstructions(text) !== undefined,
  remove: removeInstructions,
  addTo: (base, text) => writeInstructions(base, readInstructions(text)),
};

/** Returns the path of the assistant's instructions, or `undefined` if svc knows none for the scope. */
export function instructionsPath({ id }: Assistant, scope: Scope, environment: Environment): string | undefined {
  return INSTRUCTION_FILES[id]?.[scope]?.(environment)[0];
}

/** Plans to write the block of instructions to `path`, or to remove it. Throws `ConfigFileError`. */
export function planInstructions(
  assistant: Assistant,
  scope: Scope,
  path: string,
  change: 'write' | 'remove',
): Promise<ChangePlan> {
  const edit = (text: string) => (change === 'remove' ? undefined : writeInstructions(text));
  return planFile(assistant, scope, path, edit, INSTRUCTIONS_PART);
}

/** Lists the files of the assistant that contain the block. Skips unreadable files. */
export async function findInstructions(
  assistant: Assistant,
  environment: Environment,
): Promise<{ scope: Scope; path: string }[]> {
  const candidates = (['user', 'project'] as const).flatMap((scope) => {
    const path = instructionsPath(assistant, scope, environment);
    return path === undefined ? [] : [{ scope, path }];
  });
  const present = await Promise.all(candidates.map(({ path }) => hasInstructions(path)));
  return candidates.filter((_, index) => present[index]);
}

async function hasInstructions(path: string): Promise<boolean> {
  try {
    return readInstructions((await readConfigFile(path)).text ?? '') !== undefined;
  } catch (error) {
    if (error instanceof ConfigFileError) return false;
    throw error;
  }
}
