import type { Memory } from '../../contract/memories.ts';
import { pathKey } from './file-name.ts';
import { hashPart, type Note, type NotePart, normalizeContent } from './note.ts';

/** What a memory and its file looked like when both sides were last settled. */
export interface SyncedEntry {
  id: string;
  path: string;
  /** `hashPart` of the file, and of the memory: different if svc stored something else, such as a masked password. */
  file: string;
  memory: string;
  /** The version of the memory; missing in records of an earlier svc. Versions only grow, unless svc was restored from a backup. */
  version?: number;
}

/** A file that can be a memory. */
export interface NoteFile {
  /** Relative to the folder, with `/`. */
  path: string;
  text: string;
  note: Note;
}

/** A file that is left alone, and why. */
export interface ProblemFile {
  path: string;
  problem: string;
  id?: string | undefined;
}

export interface FolderContent {
  notes: NoteFile[];
  problems: ProblemFile[];
  /** Files and subfolders that are not read, and why; a file that was there is not known to be deleted. */
  ignored: ProblemFile[];
  /** A part of the folder could not be read, so that a missing file is not known to be deleted. */
  isPartial: boolean;
}

/** The memories that the folder is about, and those that were asked for by id. */
export interface RemoteContent {
  current: ReadonlyMap<string, Memory>;
  /** Superseded, outdated or expired. */
  closed: ReadonlyMap<string, Memory>;
  /** Of another user or project. */
  elsewhere: ReadonlyMap<string, Memory>;
}

export type Action =
  | { kind: 'create'; file: NoteFile }
  | { kind: 'change'; file: NoteFile; memory: Memory }
  | { kind: 'erase'; path: string; memory: Memory }
  | { kind: 'write'; file: NoteFile | undefined; memory: Memory }
  | { kind: 'remove'; file: NoteFile; id: string }
  /** The text of the file goes into a separate file; `memory` is `undefined` if it is gone. */
  | { kind: 'conflict'; file: NoteFile; id: string; memory: Memory | undefined }
  /** Both sides are equal. */
  | { kind: 'adopt'; file: NoteFile; memory: Memory }
  | { kind: 'forget'; id: string };

export interface Plan {
  actions: Action[];
  problems: ProblemFile[];
  /** Unresolved conflicts: paths of the files that keep the other side. */
  conflicts: string[];
  /** Deletions that wait for `--confirm-deletions`: of memories, and of files. */
  held: { memories: number; files: number };
  /** Deleted files whose memories stay until every file can be read. */
  undecided: number;
}

export interface PlanOptions {
  project: string | undefined;
  confirmsDeletions: boolean;
}

const MAX_UNCONFIRMED = 10;
const MAX_UNCONFIRMED_SHARE = 0.2;

/** Compares both sides with what they were when last settled, and decides what to do for each memory. */
export function planSync(
  entries: ReadonlyMap<string, SyncedEntry>,
  folder: FolderContent,
  remote: RemoteContent,
  { project, confirmsDeletions }: PlanOptions,
): Plan {
  const problems = [...folder.problems];
  const scoped = scopedNotes(folder.notes, project, problems);
  const { held, fresh, conflicts } = sortNotes(scoped, entries, remote, problems);
  problems.push(...ignoredFiles(folder.ignored, entries, held));
  const blocked = blockedIds(problems, entries);
  const actions: Action[] = [];
  const wasRestored = [...entries.values()].some((entry) => isBefore(entry, remote.current.get(entry.id)));
  for (const id of new Set([...entries.keys(), ...held.keys(), ...remote.current.keys()])) {
    if (blocked.has(id)) continue;
    const file = held.get(id);
    if (file && !entries.has(id) && remote.elsewhere.has(id)) {
      problems.push({ path: file.path, problem: describeElsewhere(remote.elsewhere.get(id)!) });
      continue;
    }
    const action = decide(id, entries.get(id), file, { ...remote, wasRestored });
    const isEmptied = action?.kind === 'change' && isEmpty(action.file.note);
    if (isEmptied) problems.push({ path: action.file.path, problem: 'it is empty; delete it to erase its memory' });
    else if (action?.kind === 'create') {
      held.delete(id);
      fresh.push(action.file);
    } else if (action) actions.push(action);
  }
  actions.push(...createsOf(fresh, held, remote, problems));
  const erased = actions.filter(({ kind }) => kind === 'erase').length;
  const removed = actions.filter(({ kind }) => kind === 'remove').length;
  const holdsMemories = !confirmsDeletions && isMany(erased, entries.size);
  const holdsFiles = !confirmsDeletions && isMany(removed, entries.size);
  const isHeld = ({ kind }: Action) =>
    (kind === 'erase' && (folder.isPartial || holdsMemories)) || (kind === 'remove' && holdsFiles);
  return {
    actions: actions.filter((action) => !isHeld(action)),
    problems,
    conflicts,
    held: { memories: holdsMemories ? erased : 0, files: holdsFiles ? removed : 0 },
    undecided: folder.isPartial && !holdsMemories ? erased : 0,
  };
}

function isMany(count: number, all: number): boolean {
  return count > MAX_UNCONFIRMED && count > all * MAX_UNCONFIRMED_SHARE;
}

/** In the folder of a project a file without one belongs to it, and one of another project is left alone. */
function scopedNotes(notes: NoteFile[], project: string | undefined, problems: ProblemFile[]): NoteFile[] {
  if (project === undefined) return notes;
  return notes.flatMap((file) => {
    const { note, path } = file;
    if (note.project === null) return [{ ...file, note: { ...note, project } }];
    if (note.project === project || note.conflictOf !== undefined) return [file];
    const problem = `it belongs to the project “${note.project}”, and this folder to “${project}”`;
    problems.push({ path, problem, id: note.id });
    return [];
  });
}

/** Separates the files of memories, by id, from new files and from those that keep the other side of a conflict. */
function sortNotes(
  notes: NoteFile[],
  entries: ReadonlyMap<string, SyncedEntry>,
  remote: RemoteContent,
  problems: ProblemFile[],
) {
  const held = new Map<string, NoteFile>();
  const unmarked: NoteFile[] = [];
  const conflicts: string[] = [];
  const isAtItsPlace = ({ path, note }: NoteFile) =>
    pathKey(entries.get(note.id ?? '')?.path ?? '') === pathKey(path) ? 0 : 1;
  const ordered = notes.toSorted((a, b) => isAtItsPlace(a) - isAtItsPlace(b) || (a.path < b.path ? -1 : 1));
  for (const file of ordered) {
    const { note, path } = file;
    if (note.conflictOf !== undefined) conflicts.push(path);
    else if (note.id === undefined) unmarked.push(file);
    else if (held.has(note.id)) {
      const first = held.get(note.id)!.path;
      problems.push({ path, problem: `it has the id of ${first}; remove its id to make it a separate memory` });
    } else held.set(note.id, file);
  }
  const idsByPath = new Map([...entries.values()].map(({ id, path }) => [pathKey(path), id]));
  const fresh: NoteFile[] = [];
  for (const file of unmarked) {
    const id = idsByPath.get(pathKey(file.path));
    // An editor, or a person, took the properties away.
    if (id === undefined || held.has(id)) fresh.push(file);
    else held.set(id, withoutProperties(file, remote.current.get(id)));
  }
  return { held, fresh, conflicts };
}

function withoutProperties(file: NoteFile, memory: Memory | undefined): NoteFile {
  if (file.note.hasFrontMatter || !memory) return file;
  return { ...file, note: { ...file.note, tags: memory.tags, project: memory.project } };
}

/** Files of memories that are not read any more, unless they were moved. */
function ignoredFiles(
  ignored: ProblemFile[],
  entries: ReadonlyMap<string, SyncedEntry>,
  held: ReadonlyMap<string, NoteFile>,
): ProblemFile[] {
  if (ignored.length === 0) return [];
  const problems = new Map(ignored.map(({ path, problem }) => [pathKey(path), problem]));
  const missing = [...entries.values()].filter(({ id }) => !held.has(id));
  return missing.flatMap(({ path }) => {
    const names = pathKey(path).split('/');
    const above = names.map((_, index) => names.slice(0, index + 1).join('/'));
    const at = above.find((one) => problems.has(one));
    return at === undefined ? [] : [{ path, problem: problems.get(at)! }];
  });
}

/** Ids about which nothing can be decided, because their file cannot be read. */
function blockedIds(problems: ProblemFile[], entries: ReadonlyMap<string, SyncedEntry>): Set<string> {
  const paths = new Set(problems.map(({ path }) => pathKey(path)));
  const atPath = [...entries.values()].filter(({ path }) => paths.has(pathKey(path))).map(({ id }) => id);
  return new Set([...problems.flatMap(({ id }) => id ?? []), ...atPath]);
}

/** The three-way decision about one memory: what was, the file, the memory. */
function decide(
  id: string,
  entry: SyncedEntry | undefined,
  file: NoteFile | undefined,
  remote: RemoteContent & { wasRestored: boolean },
): Action | undefined {
  const memory = remote.current.get(id);
  if (!file) {
    if (!memory) return { kind: 'forget', id };
    // What changed there outweighs what was deleted here.
    const isDeleted = entry && hashPart(memory) === entry.memory;
    return isDeleted ? { kind: 'erase', path: entry.path, memory } : { kind: 'write', file, memory };
  }
  const fileHash = hashPart(file.note);
  if (!memory) return decideGone(id, entry, file, remote, fileHash);
  const memoryHash = hashPart(memory);
  if (fileHash === memoryHash) {
    const isSettled = entry?.file === fileHash && entry.memory === memoryHash && entry.path === file.path;
    return isSettled && file.note.id ? undefined : { kind: 'adopt', file, memory };
  }
  if (!entry) return { kind: 'conflict', file, id, memory };
  const isFileChanged = fileHash !== entry.file;
  const isMemoryChanged = memoryHash !== entry.memory;
  if (!isFileChanged && !isMemoryChanged) {
    return entry.path === file.path && file.note.id ? undefined : { kind: 'adopt', file, memory };
  }
  // What the file says is newer than a restored memory.
  if (!isMemoryChanged || (isBefore(entry, memory) && !isEmpty(file.note))) return { kind: 'change', file, memory };
  // Only one side has what was masked or refused by the other.
  const wereEqual = entry.file === entry.memory;
  // The same version with other words: svc was restored from a backup, and the memory changed anew.
  const wasEditedAfterRestore = memory.version === entry.version;
  return (!isFileChanged && wereEqual && !wasEditedAfterRestore) || isEmpty(file.note)
    ? { kind: 'write', file, memory }
    : { kind: 'conflict', file, id, memory };
}

/** Whether a memory is older than it was when it was last settled, because svc was restored from a backup. */
function isBefore({ version }: SyncedEntry, memory: Memory | undefined): boolean {
  return memory !== undefined && version !== undefined && memory.version < version;
}

/** The memory was erased, superseded or moved to another project, or svc was restored from a backup that is older. */
function decideGone(
  id: string,
  entry: SyncedEntry | undefined,
  file: NoteFile,
  remote: RemoteContent & { wasRestored: boolean },
  fileHash: string,
): Action | undefined {
  const last = entry ? (entry.file === entry.memory ? entry.file : undefined) : lastHash(id, remote);
  const isUnknown = !remote.closed.has(id) && !remote.elsewhere.has(id);
  if ((!entry && last === undefined) || (remote.wasRestored && isUnknown))
    return isEmpty(file.note) ? undefined : { kind: 'create', file };
  if (fileHash === last || isEmpty(file.note)) return { kind: 'remove', file, id };
  return { kind: 'conflict', file, id, memory: undefined };
}

function lastHash(id: string, { closed }: RemoteContent): string | undefined {
  const memory = closed.get(id);
  return memory && hashPart(memory);
}

function isEmpty({ content }: NotePart): boolean {
  return content.trim() === '';
}

/** New files become memories, but for empty ones and those whose text another file has. */
function createsOf(
  fresh: NoteFile[],
  held: ReadonlyMap<string, NoteFile>,
  remote: RemoteContent,
  problems: ProblemFile[],
): Action[] {
  const paths = new Map<string, string>();
  for (const [id, { path, note }] of held) {
    paths.set(folded(note), path);
    const memory = remote.current.get(id);
    if (memory) paths.set(folded(memory), path);
  }
  return fresh.flatMap((file): Action[] => {
    if (isEmpty(file.note)) return [];
    const text = folded(file.note);
    const other = paths.get(text);
    if (other === undefined) {
      paths.set(text, file.path);
      return [{ kind: 'create', file }];
    }
    problems.push({ path: file.path, problem: `it has the same text as ${other}` });
    return [];
  });
}

/** svc takes texts that differ in case or spaces only for the same. */
function folded({ content }: Pick<NotePart, 'content'>): string {
  return normalizeContent(content).normalize('NFC').trim().replace(/\s+/g, ' ').toLowerCase();
}

function describeElsewhere({ user, project }: Memory): string {
  return `its memory belongs to ${project === null ? `the user “${user}”, without a project` : `the project “${project}” of the user “${user}”`}`;
}
