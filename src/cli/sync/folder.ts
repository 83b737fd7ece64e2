import type { Dirent, Stats } from 'node:fs';
import type * as fileSystem from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncFolder, writeNewFile } from '../../lib/atomic-file.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import type { FileFormat } from './file-format.ts';
import { pathKey } from './file-name.ts';
import type { FolderContent, NoteFile, ProblemFile } from './plan.ts';

/** The functions of `node:fs/promises` that syncing uses. Tests let them fail. */
export type FileSystem = Pick<
  typeof fileSystem,
  'link' | 'lstat' | 'mkdir' | 'open' | 'readdir' | 'readFile' | 'realpath' | 'rename' | 'rm' | 'unlink'
>;

/** Holds the state, the lock and drafts. Editors ignore it, like every name with a dot in front. */
export const STATE_FOLDER = '.svc';
/** The log of the state, in its folder. */
export const STATE_FILE = 'sync.ndjson';

/** More than the longest memory takes. */
const MAX_FILE_BYTES = 1024 * 1024;
/** What iCloud leaves in the place of a file whose text is not on this disk. */
const IN_CLOUD = /^\.(.+\.md)\.icloud$/i;
/** A file that changed so recently may change again within the resolution of its times. */
const UNSETTLED_MS = 2000;

export type Folder = ReturnType<typeof createFolder>;

/** This file cannot be written: it is in use, or its folder is read-only. */
export class FileRefusal extends Error {
  override readonly name = 'FileRefusal';
}

interface Seen {
  stamp: string;
  found: NoteFile | ProblemFile;
}

/**
 * The Markdown files of a folder and its subfolders. Links, other files, subfolders that are synced on their own and
 * everything with a dot in front are ignored. Writes replace a file at once, and only if it still has the text that was read.
 */
export function createFolder(root: string, fs: FileSystem, nowMs: () => number, format: FileFormat) {
  let seen = new Map<string, Seen>();
  let taken = new Set<string>();
  let drafts = 0;
  /** The disk of the record: without it, this is another folder, such as that below a disk which is not mounted any more. */
  let record: number | undefined;
  const inside = (path: string) => join(root, ...path.split('/'));

  /** Reads the folder; of files that look unchanged, only their times. */
  async function read(): Promise<FolderContent> {
    const next = new Map<string, Seen>();
    const names = new Set<string>();
    const content: FolderContent = { notes: [], problems: [], ignored: [], isPartial: false };
    const fail = (path: string, error: unknown) => {
      // It went away after it was listed.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
      content.problems.push({ path, problem: `it cannot be read: ${(error as Error).message}` });
      content.isPartial = true;
    };
    const readEntry = async (path: string, entry: Dirent): Promise<void> => {
      names.add(pathKey(path));
      if (entry.isDirectory()) return format.isForeign(path) ? undefined : readFolder(path);
      if (entry.isSymbolicLink()) content.ignored.push({ path, problem: 'there is a link in its place' });
      if (!entry.isFile() || !/\.md$/i.test(path)) return;
      try {
        const found = await readNote(path, next);
        if ('note' in found) content.notes.push(found);
        else content.problems.push(found);
      } catch (error) {
        fail(path, error);
      }
    };
    const readFolder = async (path: string): Promise<void> => {
      const entries = await fs.readdir(inside(path), { withFileTypes: true }).catch((error) => fail(path, error));
      const below = (name: string) => (path === '' ? name : `${path}/${name}`);
      // The ids in it may be those of another account.
      if (path !== '' && entries?.some(({ name }) => name === STATE_FOLDER)) {
        content.ignored.push({ path, problem: `${path} is synced on its own` });
        return;
      }
      for (const entry of entries ?? []) {
        const [, inCloud] = IN_CLOUD.exec(entry.name) ?? [];
        if (inCloud) content.ignored.push({ path: below(inCloud), problem: 'it is in iCloud and not on this disk' });
        if (!entry.name.startsWith('.')) await readEntry(below(entry.name), entry);
      }
    };
    await requireSame();
    await readFolder('');
    seen = next;
    taken = names;
    return content;
  }

  /** Throws `CommandFailure` if the folder, or its record, is gone or was replaced since it was first read. */
  async function requireSame(): Promise<void> {
    const found = await fs.lstat(root).catch(() => undefined);
    const current = (await fs.lstat(join(root, STATE_FOLDER, STATE_FILE)).catch(() => undefined))?.dev;
    if (!found?.isDirectory() || (record !== undefined && current !== record)) {
      throw new CommandFailure(EXIT.failed, `${root} is not there any more. Nothing was deleted.`);
    }
    record = current;
  }

  async function readNote(path: string, next: Map<string, Seen>): Promise<NoteFile | ProblemFile> {
    const stats = await fs.lstat(inside(path));
    const stamp = stampOf(stats);
    const before = seen.get(path);
    const isSettled = nowMs() - Math.max(stats.mtimeMs, stats.ctimeMs) > UNSETTLED_MS;
    const found = before?.stamp === stamp ? before.found : await parse(path, stats);
    if (isSettled) next.set(path, { stamp, found });
    return found;
  }

  async function parse(path: string, { size }: Stats): Promise<NoteFile | ProblemFile> {
    const bytes = await fs.readFile(inside(path));
    const id = () => format.claimedId(bytes.toString('latin1'));
    if (Math.max(size, bytes.length) > MAX_FILE_BYTES) return { path, problem: 'it is larger than 1 MiB', id: id() };
    let text: string;
    try {
      text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch {
      return { path, problem: 'it is not UTF-8 text', id: id() };
    }
    const note = format.parse(path, text);
    return 'problem' in note ? { path, ...note } : { path, text, note };
  }

  /** Writes a draft that survives a power failure, on the same disk as the folder. */
  async function draft(text: string, mode: number): Promise<string> {
    drafts += 1;
    const path = join(root, STATE_FOLDER, `draft-${drafts}`);
    await fs.rm(path, { force: true });
    await writeNewFile(path, text, { mode }, fs);
    return path;
  }

  /** Makes the subfolders of a file. Throws `FileRefusal` if something else, such as a link, is in their place. */
  async function makeParents(path: string): Promise<void> {
    const names = path.split('/').slice(0, -1);
    for (const [index] of names.entries()) {
      const at = inside(names.slice(0, index + 1).join('/'));
      let found = await fs.lstat(at).catch(() => undefined);
      if (!found) {
        // Another file of the same pass may have made it by now.
        await fs.mkdir(at, { mode: 0o700 }).catch((error) => error.code === 'EEXIST' || throwRefusal(error));
        found = await fs.lstat(at);
      }
      if (!found.isDirectory()) throw new FileRefusal(`there is no folder for it: ${at} is something else`);
    }
  }

  /** Whether a file still has this text, and no link leads out of the folder. */
  async function isUnchanged({ path, text }: NoteFile): Promise<boolean> {
    const parent = await fs.realpath(dirname(inside(path))).catch(() => undefined);
    if (parent !== dirname(join(await fs.realpath(root), ...path.split('/')))) return false;
    const stats = await fs.lstat(inside(path)).catch(() => undefined);
    if (!stats?.isFile()) return false;
    return (await fs.readFile(inside(path))).equals(Buffer.from(text));
  }

  return {
    root,
    read,
    /** Whether a name is taken, on a system that ignores case too. */
    isTaken: (path: string) => taken.has(pathKey(path)),
    /** Replaces the text of a file. Returns whether it did: not if the file changed since it was read. */
    async replace(file: NoteFile, text: string): Promise<boolean> {
      const stats = await fs.lstat(inside(file.path)).catch(() => undefined);
      const path = await draft(text, (stats?.mode ?? 0o600) & 0o777);
      const isReplaced = await isUnchanged(file);
      if (isReplaced) await fs.rename(path, inside(file.path)).catch(throwRefusal);
      else await fs.rm(path, { force: true });
      return isReplaced;
    },
    /** Creates a file. Returns whether it did: not if the name is taken. */
    async create(path: string, text: string): Promise<boolean> {
      taken.add(pathKey(path));
      await makeParents(path);
      const from = await draft(text, 0o600);
      try {
        // Unlike a rename, it never replaces a file.
        await fs.link(from, inside(path));
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code === 'EEXIST') return false;
        if (await fs.lstat(inside(path)).catch(() => undefined)) return false;
        // Some disks, such as memory cards, have no links.
        await fs.rename(from, inside(path)).catch(throwRefusal);
      } finally {
        await fs.rm(from, { force: true });
      }
      return true;
    },
    /** Removes a file. Returns whether it did: not if the file changed since it was read. */
    async remove(file: NoteFile): Promise<boolean> {
      const isRemoved = await isUnchanged(file);
      if (isRemoved) await fs.unlink(inside(file.path)).catch(throwRefusal);
      return isRemoved;
    },
    /** Makes names durable, before the state relies on them. */
    async settle(paths: readonly string[]): Promise<void> {
      for (const folder of new Set(paths.map((path) => dirname(inside(path))))) await syncFolder(folder, fs);
    },
  };
}

function throwRefusal(error: NodeJS.ErrnoException): never {
  // Names that one system allows can be too long, or not allowed, on another.
  if (!['EACCES', 'EBUSY', 'EPERM', 'ENAMETOOLONG', 'EINVAL', 'EILSEQ'].includes(error.code ?? '')) throw error;
  throw new FileRefusal(`it cannot be written: ${error.message}`, { cause: error });
}

function stampOf({ mtimeMs, ctimeMs, size, ino }: Stats): string {
  return `${mtimeMs} ${ctimeMs} ${size} ${ino}`;
}
