import { isObject } from '../../../lib/is-object.ts';
import { type Editor, type Json, type JsonObject, type Path, type Segment, valueAt } from './document.ts';
import { jsoncEditor } from './edit-jsonc.ts';

/** The hooks of svc in a file: their commands by the assistant's name of the event, and the tools allowed without asking. */
export interface Hooks {
  commands: Record<string, string>;
  allowed: readonly string[];
}

/** How an assistant's file contains hooks. */
export interface HookLayout {
  /** Whether an event has groups of hooks (`{"hooks": […]}`), as in Claude Code, instead of hooks. */
  grouped: boolean;
  /** Fields of a hook beside its command. */
  fields: JsonObject;
  /** Fields that a new file needs beside its hooks. */
  newFile?: JsonObject;
  /** Whether the file may contain comments. */
  comments: boolean;
}

/** Edits the hooks of svc in a text. All functions throw `ConfigFileError` if it cannot be parsed. */
export interface HookEditor {
  read(text: string): Hooks;
  /** Adds hooks after those that are there, or updates their commands. */
  write(text: string, hooks: Hooks): string;
  /** Removes the hooks of svc, and the lists and objects that this leaves empty. */
  remove(text: string): string;
}

const ALLOWED: Path = ['permissions', 'allow'];
const OWN_COMMAND = /svc[\w.-]*["']? hook [a-z-]+ --client /;
const OWN_TOOL = /^mcp__svc__/;

const isOwnHook = (hook: unknown) =>
  isObject(hook) && typeof hook.command === 'string' && OWN_COMMAND.test(hook.command);
const isOwnGroup = (group: unknown) => isObject(group) && Array.isArray(group.hooks) && group.hooks.some(isOwnHook);
const OWN_HOOK: Segment = { label: 'the hook of svc', matches: isOwnHook };
const OWN_GROUP: Segment = { label: 'the hook of svc', matches: isOwnGroup };

export function createHookEditor({ grouped, fields, newFile, comments }: HookLayout): HookEditor {
  const editor = jsoncEditor(!comments);
  const hookPath = (event: string): Path =>
    grouped ? ['hooks', event, OWN_GROUP, 'hooks', OWN_HOOK] : ['hooks', event, OWN_HOOK];
  const commandAt = (data: unknown, event: string) => valueAt(data, [...hookPath(event), 'command']);

  function writeCommand(text: string, event: string, command: string): string {
    const current = commandAt(editor.read(text), event);
    if (current === command) return text;
    if (current !== undefined) return editor.set(text, [...hookPath(event), 'command'], command);
    const hook: Json = { ...fields, command };
    return editor.set(text, hookPath(event).slice(0, 3), grouped ? { hooks: [hook] } : hook);
  }

  function removeCommand(text: string, event: string): string {
    if (commandAt(editor.read(text), event) === undefined) return text;
    const group = valueAt(editor.read(text), ['hooks', event, OWN_GROUP, 'hooks']);
    const item = Array.isArray(group) && group.length > 1 ? hookPath(event) : hookPath(event).slice(0, 3);
    return removeCommand(removeEmpty(editor, editor.remove(text, item), ['hooks', event]), event);
  }

  return {
    read(text) {
      const data = editor.read(text);
      const commands = eventsOf(data).flatMap((event) => {
        const command = commandAt(data, event);
        return typeof command === 'string' ? [[event, command]] : [];
      });
      return { commands: Object.fromEntries(commands), allowed: ownTools(data) };
    },
    write(text, { commands, allowed }) {
      const start = text.trim() === '' && newFile ? editor.set('', [], newFile) : text;
      const written = Object.entries(commands).reduce((changed, [event, command]) => {
        return writeCommand(changed, event, command);
      }, start);
      return allowTools(editor, written, allowed);
    },
    remove: (text) => removeTools(editor, eventsOf(editor.read(text)).reduce(removeCommand, text)),
  };
}

function allowTools(editor: Editor, text: string, tools: readonly string[]): string {
  return tools.reduce((changed, tool) => {
    const path = [...ALLOWED, itemEqualTo(tool)];
    return valueAt(editor.read(changed), path) === undefined ? editor.set(changed, path, tool) : changed;
  }, text);
}

function removeTools(editor: Editor, text: string): string {
  return ownTools(editor.read(text)).reduce(
    (changed, tool) => removeEmpty(editor, editor.remove(changed, [...ALLOWED, itemEqualTo(tool)]), ALLOWED),
    text,
  );
}

function removeEmpty(editor: Editor, text: string, path: Path): string {
  const value = valueAt(editor.read(text), path);
  if (path.length === 0 || typeof value !== 'object' || value === null || Object.keys(value).length > 0) return text;
  return removeEmpty(editor, editor.remove(text, path), path.slice(0, -1));
}

function eventsOf(data: unknown): string[] {
  const hooks = valueAt(data, ['hooks']);
  return isObject(hooks) ? Object.keys(hooks) : [];
}

function ownTools(data: unknown): string[] {
  const allowed = valueAt(data, ALLOWED);
  return Array.isArray(allowed) ? allowed.filter((tool) => typeof tool === 'string' && OWN_TOOL.test(tool)) : [];
}

function itemEqualTo(tool: string): Segment {
  return { label: tool, matches: (item) => item === tool };
}
