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
  /** Whether the file has an svc entry now. */
  present: boolean;
  /** The whole text before (`undefined`: no file) and after (`undefined`: the file is deleted). */
  before: string | undefined;
  after: string | undefined;
  changed: boolean;
  created: boolean;
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

/** Plans a change of one file. `edit` returns the new text, or `undefined` to remove the entry. */
export async function planFile(
  assistant: Assistant,
  scope: Scope,
  path: string,
  edit: (text: string) => string | undefined,
): Promise<ChangePlan> {
  try {
    const { target, text: before } = await readConfigFile(path);
    const { mark, body } = splitByteOrderMark(before ?? '');
    const edited = before === undefined ? edit('') : edit(body);
    const after = edited === undefined ? await textWithoutEntry(assistant, scope, target, before) : mark + edited;
    const changed = after !== before;
    if (changed) await assertWritable(target);
    const present = before !== undefined && readEntry(assistant, body).server !== undefined;
    const action = !changed ? 'none' : edited === undefined ? 'remove' : present ? 'change' : 'add';
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
    };
  } catch (error) {
    const cause = toConfigFileError(error);
    throw cause instanceof ConfigFileError ? new ConfigFileError(`${path}: ${cause.message}`) : cause;
  }
}

function splitByteOrderMark(text: string): { mark: string; body: string } {
  return text.startsWith(BYTE_ORDER_MARK) ? { mark: BYTE_ORDER_MARK, body: text.slice(1) } : { mark: '', body: text };
}

/**
 * Returns the text without the svc entry. If adding the entry to a backup, or to no file at all, yields exactly the
 * current text, returns that backup or `undefined`; otherwise cuts out the entry.
 */
async function textWithoutEntry(
  assistant: Assistant,
  scope: Scope,
  target: string,
  text: string | undefined,
): Promise<string | undefined> {
  if (text === undefined) return undefined;
  const { mark, body } = splitByteOrderMark(text);
  const entry = readEntry(assistant, body) as Partial<RenderedEntry>;
  if (entry.server === undefined && entry.input === undefined) return text;
  for (const path of (await listBackups(target)).paths.reverse()) {
    const backup = await readFile(path, 'utf8');
    if (reconstructFrom(assistant, scope, backup, entry) === text) return backup;
  }
  if (reconstructFrom(assistant, scope, '', entry) === text) return undefined;
  return mark + removeEntry(assistant, body);
}

function reconstructFrom(
  assistant: Assistant,
  scope: Scope,
  text: string,
  { server, input }: Partial<RenderedEntry>,
): string | undefined {
  const { mark, body } = splitByteOrderMark(text);
  try {
    if (server === undefined || readEntry(assistant, body).server !== undefined) return undefined;
    return mark + addEntry(assistant, scope, body, { server, ...(input && { input }) });
  } catch {
    return undefined;
  }
}
