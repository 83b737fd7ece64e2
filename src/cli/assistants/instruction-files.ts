import type { Environment } from '../settings.ts';
import type { Scope } from './assistant.ts';
import { config, home, inEnvFolder, inXdgConfig, project } from './config-paths.ts';
import { readInstructions, removeInstructions, writeInstructions } from './editing/edit-instructions.ts';
import type { Extra } from './extra.ts';

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

/** A block of Markdown that tells the assistant when to use the memory. */
export const INSTRUCTIONS: Extra = {
  part: 'instructions',
  option: 'instructions',
  explain: ({ title }) => `Tells ${title} in ten lines when to recall and what to store.`,
  path: ({ id }, scope, environment) => INSTRUCTION_FILES[id]?.[scope]?.(environment)[0],
  owned: () => ({
    contains: (text) => readInstructions(text) !== undefined,
    remove: removeInstructions,
    addTo: (base, text) => writeInstructions(base, readInstructions(text)),
  }),
  writer: async () => (text) => writeInstructions(text),
};
