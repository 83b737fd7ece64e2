import type { HookEventName } from '../hook/hook-event.ts';
import type { Environment } from '../settings.ts';
import type { Assistant, Scope } from './assistant.ts';
import { buildBridgeEntry, type Program } from './bridge-command.ts';
import { inEnvFolder, project } from './config-paths.ts';
import { type Hooks, readHooks, removeHooks, writeHooks } from './editing/edit-hooks.ts';
import type { Extra } from './extra.ts';

const EVENTS: Record<string, HookEventName> = {
  SessionStart: 'session-start',
  UserPromptSubmit: 'prompt',
  Stop: 'stop',
  PreCompact: 'pre-compact',
};

interface HookFiles {
  files: Record<Scope, (environment: Environment) => string[]>;
  /** The events of svc by the assistant's names for them. */
  events: Record<string, HookEventName>;
  /** Read-only tools that the assistant calls without asking. */
  allowed: readonly string[];
}

const HOOK_FILES: Record<string, HookFiles> = {
  'claude-code': {
    files: {
      user: (environment) => [inEnvFolder(environment, 'CLAUDE_CONFIG_DIR', '.claude', 'settings.json')],
      project: project('.claude', 'settings.json'),
    },
    events: { ...EVENTS, SessionEnd: 'session-end' },
    allowed: ['search', 'context', 'get', 'list'].map((name) => `mcp__svc__memory_${name}`),
  },
  codex: {
    files: {
      user: (environment) => [inEnvFolder(environment, 'CODEX_HOME', '.codex', 'hooks.json')],
      project: project('.codex', 'hooks.json'),
    },
    events: EVENTS,
    allowed: [],
  },
};

/** Hooks, with which the assistant reports events to `svc hook`. */
export const HOOKS: Extra = {
  part: 'hooks',
  path: ({ id }, scope, environment) => HOOK_FILES[id]?.files[scope](environment)[0],
  owned: {
    contains: (text) => Object.keys(readHooks(text).commands).length > 0,
    remove: removeHooks,
    addTo: (base, text) => writeHooks(base, readHooks(text)),
  },
  writer: async (assistant, scope, context) => {
    const hooks = await buildHooks(assistant, scope, context.environment, context.program);
    return (text) => writeHooks(text, hooks);
  },
  notes: {
    codex: 'Codex skips hooks that you have not trusted, without a message: type /hooks in Codex and trust them.',
  },
};

async function buildHooks(
  assistant: Assistant,
  scope: Scope,
  environment: Environment,
  program: Program,
): Promise<Hooks> {
  const { command, args } = await buildBridgeEntry(assistant, scope, environment, program, undefined);
  const start = [command, ...args.slice(0, -1)].map(quote).join(' ');
  const { events, allowed } = HOOK_FILES[assistant.id]!;
  const commands = Object.entries(events).map(([name, event]) => [
    name,
    `${start} hook ${event} --client ${assistant.id}`,
  ]);
  return { commands: Object.fromEntries(commands), allowed };
}

/** Quotes a word for POSIX shells and for Windows. */
function quote(word: string): string {
  return /^[\w@%+=:,./\\-]+$/.test(word) && !word.includes('\\') ? word : `"${word.replaceAll(/["$`]/g, '\\$&')}"`;
}
