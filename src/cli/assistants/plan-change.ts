import { readFile } from 'node:fs/promises';
import type { Environment } from '../settings.ts';
import type { Assistant, DesiredEntry, RenderedEntry, Scope } from './assistant.ts';
import { assertWritable, listBackups, readConfigFile, toConfigFileError } from './config-file.ts';
import { ConfigFileError } from './editing/document.ts';
import { addEntry, readEntry, removeEntry, writeEntry } from './write-entry.ts';

/** A planned change of one file. Planning does not write anything; `applyChange` does. */
export interface ChangePlan {
  assistant: Assistant;
  scope: Scope;
  /** The file as the assistant names it; `target` is the same path with symbolic links resolved. */
  path: string;
  target: string;
  action: 'add' | 'change' | 'remove' | 'none';
  /** Whether the file has the entry, or the part that is planned, now. */
  present: boolean;
  /** The whole text before (`undefined`: no file) and after (`undefined`: the file is deleted). */
  before: string | undefined;
  after: string | undefined;
  changed: boolean;
  created: boolean;
  /** Returns what the change would make of another text of the file. Throws `ConfigFileError`. */
  revise(text: string | undefined): Promise<string | undefined>;
  /** Plans the same change for the current content of the file. */
  replan(): Promise<ChangePlan>;
}

/** A part of a file that svc owns. Its functions throw `ConfigFileError` if the text is invalid. */
export interface OwnedPart {
  contains(text: string): boolean;
  /** Removes the part. Returns the text unchanged if there is none. */
  remove(text: string): string;
  /** Adds the part of `text` to `base`, which has none. */
  addTo(base: string, text: string): string;
}

const BYTE_ORDER_MARK = '\ufeff';

/** Picks the assistant's file: the one with the entry, else the first that exists, else the first candidate. */
export async function findFile(
  assistant: Assistant,
  scope: Scope,
  environment: Environment,
): Promise<string | undefined> {
  const paths = assistant.files[scope]?.(environment) ?? [];
  if (paths.length < 2) return paths[0];
  const texts = await Promise.all(paths.map(async (path) => (await readConfigFile(path)).text));
  const withEntry = texts.findIndex((text) => text !== undefined && containsEntry(assistant, text));
  const existing = texts.findIndex((text) => text !== undefined);
  return paths[withEntry !== -1 ? withEntry : Math.max(existing, 0)];
}

function containsEntry(assistant: Assistant, text: string): boolean {
  try {
    return readEntry(assistant, splitByteOrderMark(text).body).server !== undefined;
  } catch {
    return false;
  }
}

/**
 * Plans the change that brings the assistant's file to the desired state. Throws `ConfigFileError`, with the path in
 * its message, if the file cannot be read, parsed or written, or if other settings would change.
 */
export async function planChange(
  assistant: Assistant,
  scope: Scope,
  desired: DesiredEntry | 'remove',
  environment: Environment,
): Promise<ChangePlan> {
  const path = await findFile(assistant, scope, environment);
  if (path === undefined) throw new ConfigFileError(`${assistant.title} does not support --scope ${scope}`);
  return planFile(assistant, scope, path, (text) =>
    desired === 'remove' ? undefined : writeEntry(assistant, scope, text, desired),
  );
}

/** Plans a change of one file. `edit` returns the new text, or `undefined` to remove the part, by default the entry. */
export async function planFile(
  assistant: Assistant,
  scope: Scope,
  path: string,
  edit: (text: string) => string | undefined,
  part = entryPart(assistant, scope),
): Promise<ChangePlan> {
  try {
    const { target, text: before } = await readConfigFile(path);
    const revise = async (text: string | undefined) => {
      const { mark, body } = splitByteOrderMark(text ?? '');
      const edited = edit(body);
      return edited === undefined ? textWithoutPart(part, target, text) : mark + edited;
    };
    const after = await revise(before);
    const changed = after !== before;
    if (changed) await assertWritable(target);
    const contains = (text: string | undefined) => text !== undefined && part.contains(splitByteOrderMark(text).body);
    const present = contains(before);
    const action = !changed ? 'none' : !contains(after) ? 'remove' : present ? 'change' : 'add';
    return {
      assistant,
      scope,
      path,
      target,
      action,
      present,
      before,
      after,
      changed,
      created: before === undefined && changed,
      revise,
      replan: () => planFile(assistant, scope, path, edit, part),
    };
  } catch (error) {
    const cause = toConfigFileError(error);
    throw cause instanceof ConfigFileError ? new ConfigFileError(`${path}: ${cause.message}`) : cause;
  }
}

function splitByteOrderMark(text: string): { mark: string; body: string } {
  return text.startsWith(BYTE_ORDER_MARK) ? { mark: BYTE_ORDER_MARK, body: text.slice(1) } : { mark: '', body: text };
}

function entryPart(assistant: Assistant, scope: Scope): OwnedPart {
  return {
    contains: (text) => readEntry(assistant, text).server !== undefined,
    remove: (text) => removeEntry(assistant, text),
    addTo: (base, text) => addEntry(assistant, scope, base, readEntry(assistant, text) as RenderedEntry),
  };
}

/**
 * Returns the text without the part. If a backup, or no file at all, differs from the current text only by the part,
 * returns that backup or `undefined`; otherwise cuts out the part.
 */
async function textWithoutPart(part: OwnedPart, target: string, text: string | undefined): Promise<string | undefined> {
  if (text === undefined) return undefined;
  for (const path of (await listBackups(target)).paths.reverse()) {
    const backup = await readFile(path, 'utf8');
    if (differsOnlyBy(part, backup, text)) return backup;
  }
  if (differsOnlyBy(part, '', text)) return undefined;
  const { mark, body } = splitByteOrderMark(text);
  return mark + part.remove(body);
}

/** Whether adding the part to `base` gives `text`, apart from the layout of the part itself. */
function differsOnlyBy(part: OwnedPart, base: string, text: string): boolean {
  const [before, after] = [splitByteOrderMark(base), splitByteOrderMark(text)];
  try {
    if (before.mark !== after.mark || part.contains(before.body) || !part.contains(after.body)) return false;
    return part.remove(part.addTo(before.body, after.body)) === part.remove(after.body);
  } catch {
    return false;
  }
}
