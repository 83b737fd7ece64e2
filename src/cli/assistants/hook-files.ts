import type { Environment } from '../settings.ts';
import type { Assistant, Scope } from './assistant.ts';
import { buildBridgeEntry, type Program } from './bridge-command.ts';
import { commandLine } from './command-words.ts';
import { inProject, inXdgConfig } from './config-paths.ts';
import type { Hooks } from './editing/edit-hooks.ts';
import type { Extra } from './extra.ts';
import { ALLOWS_READING, HOOK_TABLE, type HookFile } from './hook-table.ts';
import { OPENCODE_PLUGIN, opencodePluginWriter } from './opencode-plugin.ts';
import type { OwnedPart } from './plan-change.ts';

/** Hooks, with which the assistant reports events to `svc hook`. */
export const HOOKS: Extra = {
  part: 'hooks',
  option: 'hooks',
  explain: ({ id, title }) => {
    const reports = `Recalls and stores without being asked: ${title} reports prompts and answers to svc hook.`;
    return HOOK_TABLE[id]?.allowed.length ? `${reports} ${ALLOWS_READING}` : reports;
  },
  path: ({ id }, scope, environment) =>
    id === 'opencode' ? pluginPath(scope, environment) : HOOK_TABLE[id]?.files[scope](environment)[0],
  owned: ({ id }) => (id === 'opencode' ? OPENCODE_PLUGIN : ownedHooks(HOOK_TABLE[id]!)),
  writer: async (assistant, scope, { environment, program }) => {
    const words = await hookCommand(assistant, scope, environment, program);
    if (assistant.id === 'opencode') return opencodePluginWriter(words);
    const file = HOOK_TABLE[assistant.id]!;
    const hooks = buildHooks(
      assistant,
      file,
      commandLine(words, { powershell: file.powershell && environment.platform === 'win32' }),
    );
    return (text) => file.editor.write(text, hooks);
  },
  notes: {
    codex: 'Codex skips hooks that you have not trusted, without a message: type /hooks in Codex and trust them.',
  },
};

function pluginPath(scope: Scope, environment: Environment): string {
  return scope === 'project'
    ? inProject(environment, '.opencode', 'plugins', 'svc.js')
    : inXdgConfig(environment, 'opencode', 'plugins', 'svc.js');
}

function ownedHooks({ editor }: HookFile): OwnedPart {
  return {
    contains: (text) => Object.keys(editor.read(text).commands).length > 0,
    remove: (text) => editor.remove(text),
    addTo: (base, text) => editor.write(base, editor.read(text)),
  };
}

/** Returns the words that start `svc hook`, without event and client. */
async function hookCommand(
  assistant: Assistant,
  scope: Scope,
  environment: Environment,
  program: Program,
): Promise<string[]> {
  const { command, args } = await buildBridgeEntry(assistant, scope, environment, program);
  return [command, ...args.slice(0, -1), 'hook'];
}

function buildHooks({ id }: Assistant, { events, allowed }: HookFile, start: string): Hooks {
  const commands = Object.entries(events).map(([name, event]) => [name, `${start} ${event} --client ${id}`]);
  return { commands: Object.fromEntries(commands), allowed };
}
