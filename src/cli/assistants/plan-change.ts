import { readFile } from 'node:fs/promises';
import type { Environment } from '../settings.ts';
import type { Assistant, DesiredEntry, RenderedEntry, Scope } from './assistant.ts';
import { assertWritable, listBackups, readConfigFile, toConfigFileError } from './config-file.ts';
import { ConfigFileError } from './editing/document.ts';
import { addEntry, readEntry, removeEntry, writeEntry } from './write-entry.ts';

/** What one change would do to one file. Nothing is written before `applyChange`. */
export interface ChangePlan {
  assistant: Assistant;
  scope: Scope;
  /** The file as the assistant names it; `target` is where its bytes are. */
  path: string;
  target: string;
  action: 'add' | 'change' | 'remove' | 'none';
  /** An entry of ours stands in the file now. */
  present: boolean;
  /** The whole text now (`undefined`: no file) and then (`undefined`: the file, which was ours alone, goes). */
  before: string | undefined;
  after: string | undefined;
  changed: boolean;
  created: boolean;
}

const BYTE_ORDER_MARK = '\ufeff';

/** The file of a assistant: the one that has the entry, else the first that exists, else where a new one belongs. */
export async function findFile(
  assistant: Assistant,
  scope: Scope,
  environment: Environment,
): Promise<string | undefined> {
  const paths = assistant.files[scope]?.(environment) ?? [];
  if (paths.length < 2) return paths[0];
  const texts = await Promise.all(paths.map(async (path) => (await readConfigFile(path)).text));
  const holds = texts.findIndex((text) => text !== undefined && containsEntry(assistant, text));
  const exists = texts.findIndex((text) => text !== undefined);
  return paths[holds !== -1 ? holds : Math.max(exists, 0)];
}

function containsEntry(assistant: Assistant, text: string): boolean {
  try {
    return readEntry(assistant, splitByteOrderMark(text).body).server !== undefined;
  } catch {
    return false;
  }
}

/**
 * Works out what `desired` means for the assistant's file. Throws `ConfigFileError`, its message naming the file, where the
 * file must be left alone: it cannot be parsed, read or written, or the rest of it would not stay the same.
 */
export async function planChange(
  assistant: Assistant,
  scope: Scope,
  desired: DesiredEntry | 'remove',
  environment: Environment,
): Promise<ChangePlan> {
  const path = await findFile(assistant, scope, environment);
  if (path === undefined) throw new ConfigFileError(`${assistant.title} has no file for a ${scope}`);
  return planFile(assistant, scope, path, (text) =>
    desired === 'remove' ? undefined : writeEntry(assistant, scope, text, desired),
  );
}

/** Plans any change of one file: `edit` gives the text afterwards, `undefined` to remove the entry. */
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
    const fault = toConfigFileError(error);
    throw fault instanceof ConfigFileError ? new ConfigFileError(`${path}: ${fault.message}`) : fault;
  }
}

function splitByteOrderMark(text: string): { mark: string; body: string } {
  return text.startsWith(BYTE_ORDER_MARK) ? { mark: BYTE_ORDER_MARK, body: text.slice(1) } : { mark: '', body: text };
}

/**
 * The text without our entry. Where the file is, byte for byte, what svc made of a backup or of nothing, that is what
 * it becomes again; otherwise the entry is cut out.
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
  if (entry.server === undefined && entry.question === undefined) return text;
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
  { server, question }: Partial<RenderedEntry>,
): string | undefined {
  const { mark, body } = splitByteOrderMark(text);
  try {
    if (server === undefined || readEntry(assistant, body).server !== undefined) return undefined;
    return mark + addEntry(assistant, scope, body, { server, ...(question && { question }) });
  } catch {
    return undefined;
  }
}
