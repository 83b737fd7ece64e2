import { readFile } from 'node:fs/promises';
import type { Environment } from '../settings.ts';
import type { Assistant, DesiredEntry, Scope, SpelledEntry } from './assistant.ts';
import { asFault, backupsOf, readConfigFile, refuseReadOnly } from './config-file.ts';
import { ConfigFault } from './editing/document.ts';
import { addEntry, readEntry, removeEntry, writeEntry } from './write-entry.ts';

/** What one change would do to one file. Nothing is written before `applyChange`. */
export interface ChangePlan {
  client: Assistant;
  scope: Scope;
  /** The file as the client names it; `target` is where its bytes are. */
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

const MARK = '\ufeff';

/** The file of a client: the one that has the entry, else the first that exists, else where a new one belongs. */
export async function findFile(client: Assistant, scope: Scope, environment: Environment): Promise<string | undefined> {
  const paths = client.files[scope]?.(environment) ?? [];
  if (paths.length < 2) return paths[0];
  const texts = await Promise.all(paths.map(async (path) => (await readConfigFile(path)).text));
  const holds = texts.findIndex((text) => text !== undefined && holdsEntry(client, text));
  const exists = texts.findIndex((text) => text !== undefined);
  return paths[holds !== -1 ? holds : Math.max(exists, 0)];
}

function holdsEntry(client: Assistant, text: string): boolean {
  try {
    return readEntry(client, withoutMark(text).body).server !== undefined;
  } catch {
    return false;
  }
}

/**
 * Works out what `desired` means for the client's file. Throws `ConfigFault`, its message naming the file, where the
 * file must be left alone: it cannot be parsed, read or written, or the rest of it would not stay the same.
 */
export async function planChange(
  client: Assistant,
  scope: Scope,
  desired: DesiredEntry | 'remove',
  environment: Environment,
): Promise<ChangePlan> {
  const path = await findFile(client, scope, environment);
  if (path === undefined) throw new ConfigFault(`${client.title} has no file for a ${scope}`);
  return planFile(client, scope, path, (text) =>
    desired === 'remove' ? undefined : writeEntry(client, scope, text, desired),
  );
}

/** Plans any change of one file: `edit` gives the text afterwards, `undefined` to remove the entry. */
export async function planFile(
  client: Assistant,
  scope: Scope,
  path: string,
  edit: (text: string) => string | undefined,
): Promise<ChangePlan> {
  try {
    const { target, text: before } = await readConfigFile(path);
    const { mark, body } = withoutMark(before ?? '');
    const edited = before === undefined ? edit('') : edit(body);
    const after = edited === undefined ? await removal(client, scope, target, before) : mark + edited;
    const changed = after !== before;
    if (changed) await refuseReadOnly(target);
    const present = before !== undefined && readEntry(client, body).server !== undefined;
    const action = !changed ? 'none' : edited === undefined ? 'remove' : present ? 'change' : 'add';
    return {
      client,
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
    const fault = asFault(error);
    throw fault instanceof ConfigFault ? new ConfigFault(`${path}: ${fault.message}`) : fault;
  }
}

function withoutMark(text: string): { mark: string; body: string } {
  return text.startsWith(MARK) ? { mark: MARK, body: text.slice(1) } : { mark: '', body: text };
}

/**
 * The text without our entry. Where the file is, byte for byte, what svc made of a backup or of nothing, that is what
 * it becomes again; otherwise the entry is cut out.
 */
async function removal(
  client: Assistant,
  scope: Scope,
  target: string,
  text: string | undefined,
): Promise<string | undefined> {
  if (text === undefined) return undefined;
  const { mark, body } = withoutMark(text);
  const entry = readEntry(client, body) as Partial<SpelledEntry>;
  if (entry.server === undefined && entry.question === undefined) return text;
  for (const path of (await backupsOf(target)).paths.reverse()) {
    const backup = await readFile(path, 'utf8');
    if (madeFrom(client, scope, backup, entry) === text) return backup;
  }
  if (madeFrom(client, scope, '', entry) === text) return undefined;
  return mark + removeEntry(client, body);
}

function madeFrom(
  client: Assistant,
  scope: Scope,
  text: string,
  { server, question }: Partial<SpelledEntry>,
): string | undefined {
  const { mark, body } = withoutMark(text);
  try {
    if (server === undefined || readEntry(client, body).server !== undefined) return undefined;
    return mark + addEntry(client, scope, body, { server, ...(question && { question }) });
  } catch {
    return undefined;
  }
}
