import { isObject } from '../../lib/is-object.ts';
import type { Assistant, Scope } from '../assistants/assistant.ts';
import { commandWords } from '../assistants/command-words.ts';
import { readConfigFile } from '../assistants/config-file.ts';
import { ConfigFileError, valueAt } from '../assistants/editing/document.ts';
import { jsoncEditor } from '../assistants/editing/edit-jsonc.ts';
import { HOOKS } from '../assistants/hook-files.ts';
import { HOOK_TABLE } from '../assistants/hook-table.ts';
import { opencodePluginCommand, opencodePluginWriter } from '../assistants/opencode-plugin.ts';
import type { Environment } from '../settings.ts';

/** The hooks of svc in one file. */
export interface DeclaredHooks {
  scope: Scope;
  path: string;
  /** The words of each different command line. */
  commands: string[][];
  /** The assistant's names of the events, each with the position of the hook: `UserPromptSubmit`, `1:0`. */
  positions: [event: string, position: string][];
  /** Why the assistant does not run them, if the file says so. */
  disabledBy: string | undefined;
  /** The file was written by another version of svc. */
  isOutdated: boolean;
}

/** A file that could not be read. */
export interface UnreadableHooks {
  scope: Scope;
  path: string;
  error: string;
}

/** Reads the hooks of svc in the assistant's files, user and project, which can be the same. */
export async function readDeclaredHooks(
  assistant: Assistant,
  environment: Environment,
): Promise<(DeclaredHooks | UnreadableHooks)[]> {
  const paths = new Map<string, Scope>();
  for (const scope of ['project', 'user'] as const) {
    const path = HOOKS.path(assistant, scope, environment);
    if (path !== undefined) paths.set(path, scope);
  }
  const read = await Promise.all([...paths].map(([path, scope]) => readOne(assistant, scope, path)));
  return read.flatMap((declared) => declared ?? []).reverse();
}

async function readOne(
  assistant: Assistant,
  scope: Scope,
  path: string,
): Promise<DeclaredHooks | UnreadableHooks | undefined> {
  try {
    const text = ((await readConfigFile(path)).text ?? '').replace(/^\ufeff/, '');
    if (!HOOKS.owned(assistant).contains(text)) return undefined;
    const declared = assistant.id === 'opencode' ? pluginHooks(text) : fileHooks(assistant, text);
    return { scope, path, ...declared };
  } catch (error) {
    if (error instanceof ConfigFileError) return { scope, path, error: error.message };
    throw error;
  }
}

function pluginHooks(text: string): Omit<DeclaredHooks, 'scope' | 'path'> {
  const words = opencodePluginCommand(text);
  const isOutdated = opencodePluginWriter(words)('') !== text;
  return { commands: [words], positions: [], disabledBy: undefined, isOutdated };
}

function fileHooks({ id }: Assistant, text: string): Omit<DeclaredHooks, 'scope' | 'path'> {
  const { commands } = HOOK_TABLE[id]!.editor.read(text);
  const data = jsoncEditor(false).read(text);
  const lines = new Set(Object.values(commands).map((line) => line.replace(/ hook \S+ --client .*$/s, '')));
  return {
    commands: [...lines].map(commandWords),
    positions: Object.entries(commands).map(([event, line]) => [event, positionOf(data, event, line)]),
    disabledBy: ['disableAllHooks', 'hooksConfig.enabled'].find((name) => isSwitchedOff(data, name)),
    isOutdated: false,
  };
}

/** Returns the numbers of the group and of the hook in it. */
function positionOf(data: unknown, event: string, line: string): string {
  const groups = valueAt(data, ['hooks', event]);
  for (const [index, group] of Array.isArray(groups) ? groups.entries() : []) {
    const hooks: unknown[] = isObject(group) && Array.isArray(group.hooks) ? group.hooks : [group];
    const at = hooks.findIndex((hook) => isObject(hook) && hook.command === line);
    if (at !== -1) return `${index}:${at}`;
  }
  return '';
}

function isSwitchedOff(data: unknown, name: string): boolean {
  const value = valueAt(data, name.split('.'));
  return name === 'disableAllHooks' ? value === true : value === false;
}
