import { join } from 'node:path';
import type { NewMemory } from '../../contract/memories.ts';
import { replaceFile } from '../../lib/atomic-file.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import { type FileSystem, STATE_FILE, STATE_FOLDER } from './folder.ts';
import type { SyncedEntry } from './plan.ts';

/** Whose memories a folder holds. */
export interface SyncScope {
  tenantId: string;
  user: string;
  project: string | null;
  /** The assistant whose own files they are. */
  native?: string;
}

/** A memory that is being created for a file: known before the request, so that a crash creates no second one. */
export interface PendingCreate {
  path: string;
  key: string;
  body: NewMemory;
}

type StateLine =
  | { format: 1; scope: SyncScope }
  | { set: SyncedEntry }
  | { drop: string }
  | { pending: PendingCreate }
  | { created: string };

export interface SyncState {
  entries: ReadonlyMap<string, SyncedEntry>;
  pending: ReadonlyMap<string, PendingCreate>;
  set(...entries: SyncedEntry[]): Promise<void>;
  drop(id: string): Promise<void>;
  begin(create: PendingCreate): Promise<void>;
  /** Ends a pending creation, by its key. */
  end(key: string): Promise<void>;
}

/**
 * Opens the state of a folder: a log of lines, of which a crash can lose only the last, rewritten when it is opened. With
 * `readOnly` nothing is written. Throws `CommandFailure` if the folder holds the memories of another scope.
 */
export async function openState(
  root: string,
  scope: SyncScope,
  fs: FileSystem,
  { readOnly = false } = {},
): Promise<SyncState> {
  const folder = join(root, STATE_FOLDER);
  const path = join(folder, STATE_FILE);
  const { entries, pending, found } = replay(await fs.readFile(path, 'utf8').catch(emptyIfMissing));
  if (found && JSON.stringify(found) !== JSON.stringify(scope)) throw otherScope(root, found, scope);
  const add = async (...lines: StateLine[]) => {
    if (!readOnly && lines.length > 0) await append(fs, path, lines);
  };
  if (!readOnly) {
    for (const name of await fs.readdir(folder)) {
      if (name.startsWith('draft-')) await fs.rm(join(folder, name), { force: true });
    }
    const lines: StateLine[] = [{ format: 1, scope }];
    for (const entry of entries.values()) lines.push({ set: entry });
    for (const create of pending.values()) lines.push({ pending: create });
    await replaceFile(path, textOf(lines), { mode: 0o600 }, fs);
  }
  return {
    entries,
    pending,
    async set(...added) {
      await add(...added.map((entry) => ({ set: entry })));
      for (const entry of added) entries.set(entry.id, entry);
    },
    async drop(id) {
      await add({ drop: id });
      entries.delete(id);
    },
    async begin(create) {
      await add({ pending: create });
      pending.set(create.key, create);
    },
    async end(key) {
      await add({ created: key });
      pending.delete(key);
    },
  };
}

async function append(fs: FileSystem, path: string, lines: StateLine[]): Promise<void> {
  const handle = await fs.open(path, 'a', 0o600);
  try {
    // A line that a crash tore is ended first.
    await handle.writeFile(`\n${textOf(lines)}`);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function textOf(lines: StateLine[]): string {
  return `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`;
}

function emptyIfMissing(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return '';
  throw new CommandFailure(EXIT.failed, `Cannot read what was synced before: ${error.message}`);
}

function replay(text: string) {
  const entries = new Map<string, SyncedEntry>();
  const pending = new Map<string, PendingCreate>();
  let found: SyncScope | undefined;
  for (const line of text.split('\n')) {
    const read = parseLine(line);
    if (!read) continue;
    if ('scope' in read) found = read.scope;
    else if ('set' in read) entries.set(read.set.id, read.set);
    else if ('drop' in read) entries.delete(read.drop);
    else if ('pending' in read) pending.set(read.pending.key, read.pending);
    else pending.delete(read.created);
  }
  return { entries, pending, found };
}

/** A line that is not whole says nothing: what it would have said is found out again. */
function parseLine(line: string): StateLine | undefined {
  try {
    return line === '' ? undefined : (JSON.parse(line) as StateLine);
  } catch {
    return undefined;
  }
}

function otherScope(root: string, found: SyncScope, scope: SyncScope): CommandFailure {
  const differs =
    found.tenantId !== scope.tenantId
      ? 'of another account'
      : found.user !== scope.user
        ? `of the user “${found.user}”`
        : found.project === null
          ? 'of all projects'
          : `of the project “${found.project}”${found.native === scope.native ? '' : ', in another form'}`;
  return new CommandFailure(
    EXIT.usage,
    `${root} holds the memories ${differs}. Choose another folder, or the same account, --user and --project.`,
  );
}
