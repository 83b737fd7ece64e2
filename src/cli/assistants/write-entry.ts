import {
  type Assistant,
  type DesiredEntry,
  editorFor,
  type RenderedEntry,
  renderEntry,
  type Scope,
} from './assistant.ts';
import {
  ConfigFileError,
  isObject,
  type JsonObject,
  type Path,
  sameData,
  valueAt,
  without,
} from './editing/document.ts';
import { CREDENTIAL_KEYS, HTTP_KEYS, STDIO_KEYS, USER_KEYS } from './entry-formats.ts';

/** What stands in `text` of ours (`undefined` where nothing does). */
export function readEntry(assistant: Assistant, text: string): { server: unknown; question: unknown } {
  const data = editorFor(assistant).read(text);
  return { server: valueAt(data, assistant.entry), question: assistant.question && valueAt(data, assistant.question) };
}

/** `text` with the entry in a place where none is yet; a whole new file where there is no text. */
export function addEntry(
  assistant: Assistant,
  scope: Scope,
  text: string,
  { server, question }: RenderedEntry,
): string {
  const editor = editorFor(assistant);
  const skeleton = text.trim() === '' ? assistant.newFile?.[scope] : undefined;
  const added = editor.set(skeleton ? editor.set('', [], skeleton) : text, assistant.entry, server);
  return assistant.question && question ? editor.set(added, assistant.question, question) : added;
}

/**
 * `text` with the entry as wanted. An entry that stands already is changed key by key: what its owner added, and
 * whether it is switched on, stays. Throws `ConfigFileError` where the rest of the file would not stay the same.
 */
export function writeEntry(assistant: Assistant, scope: Scope, text: string, entry: DesiredEntry): string {
  const spelled = renderEntry(assistant, entry);
  if (spelled === undefined) throw new ConfigFileError(`${assistant.title} starts processes only and takes no address`);
  const { server, question } = readEntry(assistant, text);
  const after =
    server === undefined
      ? addEntry(assistant, scope, text, spelled)
      : changeEntry(assistant, text, server, entry, spelled);
  const final = server === undefined || !assistant.question ? after : updateInput(assistant, after, question, spelled);
  if (text.trim() !== '') assertNothingElseChanged(assistant, text, final);
  return final;
}

/** `text` without the entry; throws `ConfigFileError` where the rest would not stay the same. */
export function removeEntry(assistant: Assistant, text: string): string {
  const editor = editorFor(assistant);
  const removed = editor.remove(text, assistant.entry);
  const after = assistant.question ? editor.remove(removed, assistant.question) : removed;
  assertNothingElseChanged(assistant, text, after);
  return after;
}

function changeEntry(
  assistant: Assistant,
  text: string,
  current: unknown,
  entry: DesiredEntry,
  spelled: RenderedEntry,
): string {
  if (!isObject(current)) return editorFor(assistant).set(text, assistant.entry, spelled.server);
  const others = [...(entry.transport === 'http' ? STDIO_KEYS : HTTP_KEYS), ...CREDENTIAL_KEYS, 'type'];
  const dropped = others.filter((key) => key in current && !(key in spelled.server));
  const kept = Object.entries(spelled.server).filter(([key]) => !(USER_KEYS.includes(key) && key in current));
  const editor = editorFor(assistant);
  const rest = dropped.reduce((changed, key) => editor.remove(changed, [...assistant.entry, key]), text);
  return setKeys(assistant, rest, assistant.entry, current, Object.fromEntries(kept));
}

function setKeys(
  assistant: Assistant,
  text: string,
  path: Path,
  current: Record<string, unknown>,
  wanted: JsonObject,
): string {
  const editor = editorFor(assistant);
  return Object.entries(wanted).reduce((changed, [key, value]) => {
    const old = current[key];
    if (isObject(old) && isObject(value)) return setKeys(assistant, changed, [...path, key], old, value as JsonObject);
    const double = Object.keys(current).find((other) => other !== key && other.toLowerCase() === key.toLowerCase());
    const single = double === undefined ? changed : editor.remove(changed, [...path, double]);
    return sameData(old, value) ? single : editor.set(single, [...path, key], value);
  }, text);
}

function updateInput(assistant: Assistant, text: string, current: unknown, { question }: RenderedEntry): string {
  const path = assistant.question!;
  if (question === undefined) return editorFor(assistant).remove(text, path);
  return current === undefined ? editorFor(assistant).set(text, path, question) : text;
}

/** The last look before anything is written: both texts must parse, and to the same data but for what is ours. */
function assertNothingElseChanged(assistant: Assistant, before: string, after: string): void {
  const editor = editorFor(assistant);
  const rest = (text: string) => {
    const data = without(editor.read(text) ?? {}, assistant.entry);
    return assistant.question ? without(data, assistant.question) : data;
  };
  const change = new ConfigFileError('its layout is one that svc cannot change without touching other settings');
  try {
    if (!sameData(rest(before), rest(after))) throw change;
  } catch (error) {
    throw error instanceof ConfigFileError && error === change ? error : change;
  }
}
