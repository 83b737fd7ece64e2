import { type Assistant, type DesiredEntry, editorOf, type Scope, type SpelledEntry, spell } from './assistant.ts';
import { ConfigFault, isObject, type JsonObject, type Path, sameData, valueAt, without } from './editing/document.ts';
import { HTTP_KEYS, KEY_KEYS, OWNERS_KEYS, STDIO_KEYS } from './entry-spellings.ts';

/** What stands in `text` of ours (`undefined` where nothing does). */
export function readEntry(client: Assistant, text: string): { server: unknown; question: unknown } {
  const data = editorOf(client).read(text);
  return { server: valueAt(data, client.entry), question: client.question && valueAt(data, client.question) };
}

/** `text` with the entry in a place where none is yet; a whole new file where there is no text. */
export function addEntry(client: Assistant, scope: Scope, text: string, { server, question }: SpelledEntry): string {
  const editor = editorOf(client);
  const skeleton = text.trim() === '' ? client.newFile?.[scope] : undefined;
  const added = editor.set(skeleton ? editor.set('', [], skeleton) : text, client.entry, server);
  return client.question && question ? editor.set(added, client.question, question) : added;
}

/**
 * `text` with the entry as wanted. An entry that stands already is changed key by key: what its owner added, and
 * whether it is switched on, stays. Throws `ConfigFault` where the rest of the file would not stay the same.
 */
export function writeEntry(client: Assistant, scope: Scope, text: string, entry: DesiredEntry): string {
  const spelled = spell(client, entry);
  if (spelled === undefined) throw new ConfigFault(`${client.title} starts processes only and takes no address`);
  const { server, question } = readEntry(client, text);
  const after =
    server === undefined ? addEntry(client, scope, text, spelled) : changeEntry(client, text, server, entry, spelled);
  const final = server === undefined || !client.question ? after : placeQuestion(client, after, question, spelled);
  if (text.trim() !== '') refuseOtherChanges(client, text, final);
  return final;
}

/** `text` without the entry; throws `ConfigFault` where the rest would not stay the same. */
export function removeEntry(client: Assistant, text: string): string {
  const editor = editorOf(client);
  const removed = editor.remove(text, client.entry);
  const after = client.question ? editor.remove(removed, client.question) : removed;
  refuseOtherChanges(client, text, after);
  return after;
}

function changeEntry(
  client: Assistant,
  text: string,
  current: unknown,
  entry: DesiredEntry,
  spelled: SpelledEntry,
): string {
  if (!isObject(current)) return editorOf(client).set(text, client.entry, spelled.server);
  const others = [...(entry.transport === 'http' ? STDIO_KEYS : HTTP_KEYS), ...KEY_KEYS, 'type'];
  const dropped = others.filter((key) => key in current && !(key in spelled.server));
  const kept = Object.entries(spelled.server).filter(([key]) => !(OWNERS_KEYS.includes(key) && key in current));
  const editor = editorOf(client);
  const rest = dropped.reduce((changed, key) => editor.remove(changed, [...client.entry, key]), text);
  return setKeys(client, rest, client.entry, current, Object.fromEntries(kept));
}

function setKeys(
  client: Assistant,
  text: string,
  path: Path,
  current: Record<string, unknown>,
  wanted: JsonObject,
): string {
  const editor = editorOf(client);
  return Object.entries(wanted).reduce((changed, [key, value]) => {
    const old = current[key];
    if (isObject(old) && isObject(value)) return setKeys(client, changed, [...path, key], old, value as JsonObject);
    const double = Object.keys(current).find((other) => other !== key && other.toLowerCase() === key.toLowerCase());
    const single = double === undefined ? changed : editor.remove(changed, [...path, double]);
    return sameData(old, value) ? single : editor.set(single, [...path, key], value);
  }, text);
}

function placeQuestion(client: Assistant, text: string, current: unknown, { question }: SpelledEntry): string {
  const path = client.question!;
  if (question === undefined) return editorOf(client).remove(text, path);
  return current === undefined ? editorOf(client).set(text, path, question) : text;
}

/** The last look before anything is written: both texts must parse, and to the same data but for what is ours. */
function refuseOtherChanges(client: Assistant, before: string, after: string): void {
  const editor = editorOf(client);
  const rest = (text: string) => {
    const data = without(editor.read(text) ?? {}, client.entry);
    return client.question ? without(data, client.question) : data;
  };
  const change = new ConfigFault('its layout is one that svc cannot change without touching other settings');
  try {
    if (!sameData(rest(before), rest(after))) throw change;
  } catch (error) {
    throw error instanceof ConfigFault && error === change ? error : change;
  }
}
