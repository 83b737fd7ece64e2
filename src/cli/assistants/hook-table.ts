import type { HookEventName } from '../hook/hook-event.ts';
import type { Environment } from '../settings.ts';
import type { Scope } from './assistant.ts';
import { home, inEnvFolder, project } from './config-paths.ts';
import { createHookEditor, type HookEditor } from './editing/edit-hooks.ts';

/** Where an assistant declares hooks, and how. */
export interface HookFile {
  files: Record<Scope, (environment: Environment) => string[]>;
  editor: HookEditor;
  /** The events of svc by the assistant's names for them. */
  events: Record<string, HookEventName>;
  /** Read-only tools that the same file allows without asking. */
  allowed: readonly string[];
  /** The assistant runs commands with PowerShell on Windows. */
  powershell?: true;
}

/** The tools that change nothing, which assistants may call without asking. */
export const READ_ONLY_TOOLS = ['memory_search', 'memory_context', 'memory_get', 'memory_list'];

export const ALLOWS_READING = 'Lets it call the tools that only read without asking.';

const ALLOWED = READ_ONLY_TOOLS.map((name) => `mcp__svc__${name}`);

const GROUPS = { grouped: true, fields: { type: 'command' } };

const CLAUDE_EVENTS: Record<string, HookEventName> = {
  SessionStart: 'session-start',
  UserPromptSubmit: 'prompt',
  Stop: 'stop',
  PreCompact: 'pre-compact',
  SessionEnd: 'session-end',
};

/** The files of hooks by assistant. opencode has a plugin instead. */
export const HOOK_TABLE: Record<string, HookFile> = {
  'claude-code': {
    files: {
      user: (environment) => [inEnvFolder(environment, 'CLAUDE_CONFIG_DIR', '.claude', 'settings.json')],
      project: project('.claude', 'settings.json'),
    },
    editor: createHookEditor({ ...GROUPS, comments: false }),
    events: CLAUDE_EVENTS,
    allowed: ALLOWED,
  },
  codex: {
    files: {
      user: (environment) => [inEnvFolder(environment, 'CODEX_HOME', '.codex', 'hooks.json')],
      project: project('.codex', 'hooks.json'),
    },
    editor: createHookEditor({ ...GROUPS, comments: false }),
    events: CLAUDE_EVENTS,
    allowed: [],
  },
  gemini: {
    files: { user: home('.gemini', 'settings.json'), project: project('.gemini', 'settings.json') },
    editor: createHookEditor({ ...GROUPS, comments: true }),
    events: {
      SessionStart: 'session-start',
      BeforeAgent: 'prompt',
      AfterAgent: 'stop',
      PreCompress: 'pre-compact',
      SessionEnd: 'session-end',
    },
    allowed: [],
    powershell: true,
  },
  qwen: {
    files: { user: home('.qwen', 'settings.json'), project: project('.qwen', 'settings.json') },
    editor: createHookEditor({ ...GROUPS, comments: true }),
    events: CLAUDE_EVENTS,
    allowed: ALLOWED,
  },
  cursor: {
    files: { user: home('.cursor', 'hooks.json'), project: project('.cursor', 'hooks.json') },
    editor: createHookEditor({ grouped: false, fields: {}, newFile: { version: 1 }, comments: true }),
    events: {
      sessionStart: 'session-start',
      beforeSubmitPrompt: 'prompt',
      afterAgentResponse: 'stop',
      preCompact: 'pre-compact',
      sessionEnd: 'session-end',
    },
    allowed: [],
    powershell: true,
  },
  copilot: {
    files: {
      user: (environment) => [inEnvFolder(environment, 'COPILOT_HOME', '.copilot', 'hooks', 'svc.json')],
      project: project('.github', 'hooks', 'svc.json'),
    },
    editor: createHookEditor({
      grouped: false,
      fields: { type: 'command' },
      newFile: { version: 1 },
      comments: false,
    }),
    events: {
      sessionStart: 'session-start',
      userPromptTransformed: 'prompt',
      agentStop: 'stop',
      preCompact: 'pre-compact',
      sessionEnd: 'session-end',
    },
    allowed: [],
    powershell: true,
  },
};
