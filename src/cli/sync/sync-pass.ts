import { ApiError } from '../../client/errors.ts';
import type { AddedMemory, Memory, NewMemory } from '../../contract/memories.ts';
import type { FileFormat } from './file-format.ts';
import { conflictNameOf, pathKey } from './file-name.ts';
import { FileRefusal, type Folder } from './folder.ts';
import { hashPart, normalizeContent } from './note.ts';
import { type Action, type FolderContent, type NoteFile, type Plan, planSync, type SyncedEntry } from './plan.ts';
import type { Remote } from './remote.ts';
import type { PendingCreate, SyncScope, SyncState } from './state.ts';

/** Something that was done, or would be in a dry run. */
export interface Change {
  /** Where. */
  in: 'memories' | 'files';
  change: 'created' | 'changed' | 'deleted' | 'conflict';
  path: string;
  id?: string;
  /** The file that keeps the other side of a conflict. */
  keptAs?: string;
  /** How many credentials svc masked in what it stored. */
  masked?: number;
}

export interface PassReport extends Pick<Plan, 'problems' | 'conflicts' | 'held' | 'undecided'> {
  changes: Change[];
  /** Files in the folder that are memories. */
  files: number;
}

export interface PassOptions {
  confirmsDeletions: boolean;
  dryRun: boolean;
}

export interface SyncParts {
  folder: Folder;
  state: SyncState;
  remote: Remote;
  scope: SyncScope;
  format: FileFormat;
  /** Today, for the names of conflicts. */
  day(): string;
  newKey(): string;
  /** Waits until an editor that replaces a file, or a move, has had the time to end. */
  pause(): Promise<void>;
  onProgress(done: number, total: number): void;
}

type Erasure = Extract<Action, { kind: 'erase' }>;

/** While either side changes under way, what is left to the next pass. */
const MAX_ROUNDS = 4;
/** Files written at once, and recorded in the state together. */
const PORTION = 32;

const ORDER: Action['kind'][] = ['adopt', 'create', 'change', 'conflict', 'write', 'forget', 'remove', 'erase'];

/** Creates the function that compares both sides once and settles what differs. */
export function createSyncPass(parts: SyncParts) {
  /** What svc refused, by path; tried again when either side changes. */
  const refused = new Map<string, { about: string; problem: string }>();
  return async (options: PassOptions): Promise<PassReport> => {
    const changes: Change[] = [];
    for (let round = 1; ; round += 1) {
      const found = await parts.folder.read();
      await lookUp(found, parts);
      // A memory of the file's name may be another machine's.
      if (!options.dryRun) changes.push(...(await finishCreates(found, parts)));
      const content = identified(found, parts);
      const planOf = (found: FolderContent) =>
        planSync(parts.state.entries, found, parts.remote.content, {
          project: parts.scope.project ?? undefined,
          confirmsDeletions: options.confirmsDeletions,
        });
      const plan = planOf(content);
      const pass = createPass(content, parts, refused, planOf);
      if (options.dryRun) changes.push(...plan.actions.flatMap((action) => foretell(action, parts) ?? []));
      else await pass.apply(plan.actions);
      changes.push(...pass.changes);
      if (pass.isStale() && round < MAX_ROUNDS) continue;
      const { conflicts, held, undecided } = plan;
      const problems = [...plan.problems, ...pass.problems].toSorted((a, b) => (a.path < b.path ? -1 : 1));
      return { changes, problems, conflicts, held, undecided, files: parts.state.entries.size };
    }
  };
}

/** Finds the memories of files that do not tell it themselves. */
function identified(content: FolderContent, { state, remote, format }: SyncParts): FolderContent {
  return { ...content, notes: format.identify(content.notes, state.entries, remote.content) };
}

/** Asks for the memories that the list did not have: they may be superseded, of another project, or gone. */
async function lookUp({ notes }: FolderContent, { state, remote }: SyncParts): Promise<void> {
  const { current, closed, elsewhere } = remote.content;
  const ids = new Set([...state.entries.keys(), ...notes.flatMap(({ note }) => note.id ?? [])]);
  await remote.refresh([...ids].filter((id) => !current.has(id) && !closed.has(id) && !elsewhere.has(id)));
}

/** Ends what a crash left between the request for a memory and the id in its file. */
async function finishCreates({ notes }: FolderContent, { state, remote }: SyncParts): Promise<Change[]> {
  const changes: Change[] = [];
  for (const pending of [...state.pending.values()]) {
    const { path, key, body } = pending;
    const file = notes.find((note) => pathKey(note.path) === pathKey(path));
    const sent = hashPart({ content: body.content, tags: body.tags ?? [], project: body.project ?? null });
    if (file?.note.id !== undefined) {
      const { id } = file.note;
      if (!state.entries.has(id) && remote.content.current.has(id)) {
        await state.set({ id, path, file: sent, memory: sent, version: 1 });
      }
    } else {
      const answer = await remote.create(pending).catch((error: unknown) => {
        if (isRefusal(error)) return undefined;
        throw error;
      });
      const isOwn = answer && (!answer.data.duplicate || file);
      if (isOwn && !state.entries.has(answer.data.id)) {
        const { id, duplicate } = answer.data;
        const memory = hashPart(answer.data);
        await state.set({ id, path, file: duplicate ? memory : sent, memory, version: answer.data.version });
        changes.push({ in: 'memories', change: 'created', path, id });
      }
    }
    await state.end(key);
  }
  return changes;
}

function createPass(
  { notes }: FolderContent,
  parts: SyncParts,
  refused: Map<string, { about: string; problem: string }>,
  planAgain: (found: FolderContent) => Plan,
) {
  const { folder, state, remote, scope, format, day, newKey, pause, onProgress } = parts;
  const changes: Change[] = [];
  const problems: Plan['problems'] = [];
  /** Files of memories, as far as this pass has seen them. */
  const paths = new Map(notes.flatMap(({ path, note }) => (note.id === undefined ? [] : [[note.id, path]])));
  let isStale = false;
  /** Why nothing more can be created. */
  let usedUp: string | undefined;

  const entryOf = (id: string, { path, note }: NoteFile, memory: Memory): SyncedEntry => {
    return { id, path, file: hashPart(note), memory: hashPart(memory), version: memory.version };
  };

  /** Runs a request about a file. What svc refuses is reported, and the file left alone. */
  async function ifAccepted<T>(file: NoteFile, about: string, work: () => Promise<T>): Promise<T | undefined> {
    const before = refused.get(file.path);
    if (before?.about === about) {
      problems.push({ path: file.path, problem: before.problem });
      return undefined;
    }
    try {
      const result = await work();
      refused.delete(file.path);
      return result;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      const { code, message } = error;
      if (code === 'quota_exceeded') usedUp = message;
      else refused.set(file.path, { about, problem: message });
      problems.push({ path: file.path, problem: message });
      return undefined;
    }
  }

  async function create(file: NoteFile): Promise<void> {
    const { content, tags, project } = file.note;
    if (usedUp !== undefined) {
      problems.push({ path: file.path, problem: usedUp });
      return;
    }
    const made = format.created(file.path);
    const body: NewMemory = { content, user: scope.user, tags, ...(project !== null && { project }), ...made };
    const pending: PendingCreate = { path: file.path, key: newKey(), body };
    const answer = await ifAccepted(file, hashPart(file.note), async () => {
      await state.begin(pending);
      return remote.create(pending);
    });
    if (answer) await link(file, answer.data);
    if (state.pending.has(pending.key)) await state.end(pending.key);
  }

  /** Makes a new file that of the memory which was created for it, or found. */
  async function link(file: NoteFile, memory: AddedMemory): Promise<void> {
    const { id } = memory;
    const other = paths.get(id);
    if (other !== undefined || !remote.content.current.has(id)) {
      const problem =
        other === undefined
          ? `its text is already the memory ${id}, which this folder does not hold`
          : `it has the same text as ${other}`;
      refused.set(file.path, { about: hashPart(file.note), problem });
      problems.push({ path: file.path, problem });
      // Its tags are the memory's now.
      isStale = true;
      return;
    }
    const { duplicate, redacted } = memory;
    const entry = entryOf(id, file, memory);
    // A memory that had the text before keeps its tags, and gets the spelling of the file.
    await state.set(duplicate ? { ...entry, file: entry.memory } : entry);
    paths.set(id, file.path);
    const { content } = file.note;
    const text = duplicate ? format.render({ ...memory, content }, file.text) : format.withId(file.text, id);
    if (!(await rewrite(file, text)) || (duplicate && normalizeContent(memory.content) !== content)) isStale = true;
    changes.push({ in: 'memories', change: 'created', path: file.path, id, ...(redacted && { masked: redacted }) });
  }

  async function change(file: NoteFile, memory: Memory): Promise<void> {
    const about = `${hashPart(file.note)} ${hashPart(memory)}`;
    const done = await ifAccepted(file, about, async () => (await remote.change(memory, file.note)) ?? 'stale');
    if (done === undefined) return;
    if (done === 'stale' || !(await identify(file, memory.id))) isStale = true;
    if (done === 'stale') return;
    await state.set(entryOf(memory.id, file, done));
    const masked = done.redacted && { masked: done.redacted };
    changes.push({ in: 'memories', change: 'changed', path: file.path, id: memory.id, ...masked });
  }

  /** Writes the id into a file that lost it. */
  async function identify(file: NoteFile, id: string): Promise<boolean> {
    return file.note.id === id || rewrite(file, format.withId(file.text, id));
  }

  async function rewrite(file: NoteFile, text: string): Promise<boolean> {
    return text === file.text || folder.replace(file, text);
  }

  async function conflict(file: NoteFile, id: string, memory: Memory | undefined): Promise<void> {
    const text = format.asConflict(file.text, id);
    // A crash may have come after it was written.
    const kept = notes.find(({ note, text: other }) => note.conflictOf === id && other === text)?.path;
    const keptAs = kept ?? conflictNameOf(file.path, day(), folder.isTaken);
    if (kept === undefined && !(await folder.create(keptAs, text))) {
      isStale = true;
      return;
    }
    await folder.settle([keptAs]);
    const rendered = memory && format.render(memory, file.text);
    const isDone = rendered === undefined ? await folder.remove(file) : await folder.replace(file, rendered);
    if (!isDone) {
      isStale = true;
      return;
    }
    await folder.settle([file.path]);
    if (memory) await state.set(writtenEntry(memory, file.path, rendered!, format));
    else await state.drop(id);
    changes.push({ in: 'files', change: 'conflict', path: file.path, id, keptAs });
  }

  /** Writes a file and returns what the state is to be told of it. */
  async function write(file: NoteFile | undefined, memory: Memory): Promise<SyncedEntry | undefined> {
    const path = file?.path ?? format.pathOf(memory, folder.isTaken);
    const text = format.render(memory, file?.text);
    if (!(file ? await folder.replace(file, text) : await folder.create(path, text))) {
      isStale = true;
      return undefined;
    }
    changes.push({ in: 'files', change: file ? 'changed' : 'created', path, id: memory.id });
    return writtenEntry(memory, path, text, format);
  }

  /** Erases the memories of deleted files, as far as the folder still says so after a pause. */
  async function erase(actions: readonly Erasure[]): Promise<void> {
    const isAdopted = ({ memory }: Erasure) => paths.has(memory.id);
    const ids = new Set(actions.filter((action) => !isAdopted(action)).map(({ memory }) => memory.id));
    if (ids.size === 0) return;
    await pause();
    const again = planAgain(identified(await folder.read(), parts)).actions.filter((action) => action.kind === 'erase');
    if (again.length < ids.size) isStale = true;
    for (const { memory, path } of again.filter(({ memory }) => ids.has(memory.id))) {
      if (await remote.erase(memory)) {
        await state.drop(memory.id);
        changes.push({ in: 'memories', change: 'deleted', path, id: memory.id });
      } else isStale = true;
    }
  }

  async function applyOne(action: Action): Promise<SyncedEntry | undefined> {
    if (action.kind === 'write') return write(action.file, action.memory);
    if (action.kind === 'create') await create(action.file);
    else if (action.kind === 'change') await change(action.file, action.memory);
    else if (action.kind === 'conflict') await conflict(action.file, action.id, action.memory);
    else if (action.kind === 'forget') await state.drop(action.id);
    else if (action.kind === 'adopt') {
      const { file, memory } = action;
      if (await identify(file, memory.id)) return entryOf(memory.id, file, memory);
      isStale = true;
    } else if (action.kind === 'remove') {
      if (!(await folder.remove(action.file))) isStale = true;
      else {
        await folder.settle([action.file.path]);
        await state.drop(action.id);
        changes.push({ in: 'files', change: 'deleted', path: action.file.path, id: action.id });
      }
    }
    return undefined;
  }

  return {
    changes,
    problems,
    isStale: () => isStale,
    async apply(actions: readonly Action[]): Promise<void> {
      let done = 0;
      const step = async (action: Action) => {
        const entry = await applyOne(action).catch((error: unknown) => {
          if (!(error instanceof FileRefusal)) throw error;
          problems.push({ path: pathOf(action), problem: error.message });
        });
        done += 1;
        onProgress(done, actions.length);
        return entry ?? [];
      };
      for (const kind of ORDER) {
        const some = actions.filter((action) => action.kind === kind);
        if (kind === 'erase') await erase(some as Erasure[]);
        else if (kind === 'write' || kind === 'adopt') {
          for (let start = 0; start < some.length; start += PORTION) {
            const entries = (await Promise.all(some.slice(start, start + PORTION).map(step))).flat();
            if (entries.length > 0) await folder.settle(entries.map(({ path }) => path));
            await state.set(...entries);
          }
        } else for (const action of some) await step(action);
      }
    },
  };
}

function writtenEntry(memory: Memory, path: string, text: string, format: FileFormat): SyncedEntry {
  const note = format.parse(path, text);
  const hash = hashPart(memory);
  return {
    id: memory.id,
    path,
    file: 'problem' in note ? hash : hashPart(format.ofMemory(note, memory)),
    memory: hash,
    version: memory.version,
  };
}

function pathOf(action: Action): string {
  if ('file' in action && action.file) return action.file.path;
  return 'path' in action ? action.path : '.';
}

/** Says what an action would change. */
function foretell(action: Action, { folder, format, day }: SyncParts): Change | undefined {
  switch (action.kind) {
    case 'create':
      return { in: 'memories', change: 'created', path: action.file.path };
    case 'change':
      return { in: 'memories', change: 'changed', path: action.file.path, id: action.memory.id };
    case 'erase':
      return { in: 'memories', change: 'deleted', path: action.path, id: action.memory.id };
    case 'write': {
      const { file, memory } = action;
      const path = file?.path ?? format.pathOf(memory, folder.isTaken);
      return { in: 'files', change: file ? 'changed' : 'created', path, id: memory.id };
    }
    case 'remove':
      return { in: 'files', change: 'deleted', path: action.file.path, id: action.id };
    case 'conflict': {
      const keptAs = conflictNameOf(action.file.path, day(), folder.isTaken);
      return { in: 'files', change: 'conflict', path: action.file.path, id: action.id, keptAs };
    }
    default:
      return undefined;
  }
}

/** Whether svc refused this one request, rather than all of them. */
function isRefusal(error: unknown): error is ApiError {
  const others = ['unauthenticated', 'forbidden', 'rate_limited', 'unavailable', 'internal', 'storage_full'];
  return error instanceof ApiError && !others.includes(error.code);
}
