import { isObject, type Path, type Segment, valueAt } from './document.ts';
import { jsoncEditor } from './edit-jsonc.ts';

/** The hooks of svc in a file: their commands by the assistant's name of the event, and the tools allowed without asking. */
export interface Hooks {
  commands: Record<string, string>;
  allowed: readonly string[];
}

const EDITOR = jsoncEditor(true);
const ALLOWED: Path = ['permissions', 'allow'];
const OWN_COMMAND = /svc[\w.-]*["']? hook [a-z-]+ --client /;
const OWN_TOOL = /^mcp__svc__/;

const isOwnHook = (hook: unknown) =>
  isObject(hook) && typeof hook.command === 'string' && OWN_COMMAND.test(hook.command);
const isOwnGroup = (group: unknown) => isObject(group) && Array.isArray(group.hooks) && group.hooks.some(isOwnHook);
const OWN_HOOK: Segment = { label: 'the hook of svc', matches: isOwnHook };
const OWN_GROUP: Segment = { label: 'the hook of svc', matches: isOwnGroup };

/** Reads the hooks of svc. Throws `ConfigFileError` if the text is not JSON. */
export function readHooks(text: string): Hooks {
  const data = EDITOR.read(text);
  const commands = eventsOf(data).flatMap((event) => {
    const command = valueAt(data, commandPath(event));
    return typeof command === 'string' ? [[event, command]] : [];
  });
  return { commands: Object.fromEntries(commands), allowed: ownTools(data) };
}

/** Adds hooks after those that are there, or updates their commands. */
export function writeHooks(text: string, { commands, allowed }: Hooks): string {
  const withHooks = Object.entries(commands).reduce((changed, [event, command]) => {
    const current = valueAt(EDITOR.read(changed), commandPath(event));
    if (current === command) return changed;
    if (current !== undefined) return EDITOR.set(changed, commandPath(event), command);
    return EDITOR.set(changed, ['hooks', event, OWN_GROUP], { hooks: [{ type: 'command', command }] });
  }, text);
  return allowed.reduce((changed, tool) => {
    const path = [...ALLOWED, itemEqualTo(tool)];
    return valueAt(EDITOR.read(changed), path) === undefined ? EDITOR.set(changed, path, tool) : changed;
  }, withHooks);
}

/** Removes the hooks of svc, and the lists and objects that this leaves empty. */
export function removeHooks(text: string): string {
  const withoutHooks = eventsOf(EDITOR.read(text)).reduce((changed, event) => {
    const group: Path = ['hooks', event, OWN_GROUP];
    const hooks = valueAt(EDITOR.read(changed), [...group, 'hooks']);
    if (!Array.isArray(hooks)) return changed;
    if (hooks.length > 1) return EDITOR.remove(changed, [...group, 'hooks', OWN_HOOK]);
    return removeEmpty(EDITOR.remove(changed, group), ['hooks', event]);
  }, text);
  return ownTools(EDITOR.read(withoutHooks)).reduce(
    (changed, tool) => removeEmpty(EDITOR.remove(changed, [...ALLOWED, itemEqualTo(tool)]), ALLOWED),
    withoutHooks,
  );
}

function removeEmpty(text: string, path: Path): string {
  const value = valueAt(EDITOR.read(text), path);
  if (path.length === 0 || typeof value !== 'object' || value === null || Object.keys(value).length > 0) return text;
  return removeEmpty(EDITOR.remove(text, path), path.slice(0, -1));
}

function commandPath(event: string): Path {
  return ['hooks', event, OWN_GROUP, 'hooks', OWN_HOOK, 'command'];
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
