import { isObject } from '../../lib/is-object.ts';
import {
  type Assistant,
  type DesiredEntry,
  KEY_FIELDS,
  type RenderedEntry,
  renderEntry,
  type Scope,
} from './assistant.ts';
import { ConfigFileError, deepEqual, type JsonObject, omit, type Path, valueAt } from './editing/document.ts';
import { editorFor, variantFor } from './editors.ts';
import { CREDENTIAL_KEYS, HTTP_KEYS, STDIO_KEYS, USER_KEYS } from './entry-formats.ts';

/** Reads the svc entry from `text`; its parts are `undefined` if absent. */
export function readEntry(assistant: Assistant, text: string): { server: unknown; input: unknown } {
  const data = editorFor(assistant).read(text);
  const { entry, input } = { ...assistant, ...assistant.variant?.(data) };
  return { server: valueAt(data, entry), input: input && valueAt(data, input) };
}

/** Adds an entry to a text that does not have one. An empty text becomes a complete new file. */
export function addEntry(assistant: Assistant, scope: Scope, text: string, { server, input }: RenderedEntry): string {
  const editor = editorFor(assistant);
  const skeleton = text.trim() === '' ? assistant.newFile?.[scope] : undefined;
  const path = variantFor(assistant, text).entry;
  const added = editor.set(skeleton ? editor.set('', [], skeleton) : text, path, server);
  return assistant.input && input ? editor.set(added, assistant.input, input) : added;
}

/**
 * Adds or updates the entry in `text`. Updates an existing entry key by key, preserving what its owner added and
 * whether it is enabled. Throws `ConfigFileError` if other settings would change.
 */
export function writeEntry(standard: Assistant, scope: Scope, text: string, entry: DesiredEntry): string {
  const assistant = variantFor(standard, text);
  const rendered = renderEntry(assistant, entry);
  if (rendered === undefined) throw new ConfigFileError(`${assistant.title} supports only stdio servers`);
  const { server, input } = readEntry(assistant, text);
  const after =
    server === undefined
      ? addEntry(assistant, scope, text, rendered)
      : changeEntry(assistant, text, server, entry, rendered);
  const final = server === undefined || !assistant.input ? after : updateInput(assistant, after, input, rendered);
  if (text.trim() !== '') assertNothingElseChanged(assistant, text, final);
  return final;
}

/** Removes the entry from `text`. Throws `ConfigFileError` if other settings would change. */
export function removeEntry(standard: Assistant, text: string): string {
  const assistant = variantFor(standard, text);
  const editor = editorFor(assistant);
  const removed = editor.remove(text, assistant.entry);
  const after = assistant.input ? editor.remove(removed, assistant.input) : removed;
  assertNothingElseChanged(assistant, text, after);
  return after;
}

function changeEntry(
  assistant: Assistant,
  text: string,
  current: unknown,
  entry: DesiredEntry,
  rendered: RenderedEntry,
): string {
  if (!isObject(current)) return editorFor(assistant).set(text, assistant.entry, rendered.server);
  const ofOthers = { stdio: HTTP_KEYS, http: STDIO_KEYS, oauth: [...STDIO_KEYS, ...KEY_FIELDS] }[entry.transport];
  const obsolete = [...ofOthers, ...CREDENTIAL_KEYS, 'type', 'transport'];
  const dropped = obsolete.filter((key) => key in current && !(key in rendered.server));
  const updated = Object.entries(rendered.server).filter(([key]) => !(USER_KEYS.includes(key) && key in current));
  const editor = editorFor(assistant);
  const rest = dropped.reduce((changed, key) => editor.remove(changed, [...assistant.entry, key]), text);
  return setKeys(assistant, rest, assistant.entry, current, Object.fromEntries(updated));
}

function setKeys(
  assistant: Assistant,
  text: string,
  path: Path,
  current: Record<string, unknown>,
  desired: JsonObject,
): string {
  const editor = editorFor(assistant);
  return Object.entries(desired).reduce((changed, [key, value]) => {
    const old = current[key];
    if (isObject(old) && isObject(value)) return setKeys(assistant, changed, [...path, key], old, value as JsonObject);
    const duplicate = Object.keys(current).find((other) => other !== key && other.toLowerCase() === key.toLowerCase());
    const deduplicated = duplicate === undefined ? changed : editor.remove(changed, [...path, duplicate]);
    return deepEqual(old, value) ? deduplicated : editor.set(deduplicated, [...path, key], value);
  }, text);
}

function updateInput(assistant: Assistant, text: string, current: unknown, { input }: RenderedEntry): string {
  const path = assistant.input!;
  if (input === undefined) return editorFor(assistant).remove(text, path);
  return current === undefined ? editorFor(assistant).set(text, path, input) : text;
}

/** Final check before writing: both texts must parse, to the same data apart from the svc entry. */
function assertNothingElseChanged(assistant: Assistant, before: string, after: string): void {
  const editor = editorFor(assistant);
  const rest = (text: string) => {
    const data = omit(editor.read(text) ?? {}, assistant.entry);
    return assistant.input ? omit(data, assistant.input) : data;
  };
  const unsafe = new ConfigFileError('svc cannot edit this layout without changing other settings');
  try {
    if (!deepEqual(rest(before), rest(after))) throw unsafe;
  } catch (error) {
    throw error instanceof ConfigFileError && error === unsafe ? error : unsafe;
  }
}
