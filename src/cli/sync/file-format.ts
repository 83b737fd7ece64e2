import type { Memory, NewMemory } from '../../contract/memories.ts';
import { fileNameOf } from './file-name.ts';
import { asConflict, claimedId, type Note, parseNote, renderNote, type UnreadableNote, withId } from './note.ts';
import type { NoteFile, RemoteContent, SyncedEntry } from './plan.ts';

/** How the memories of a scope are files. */
export interface FileFormat {
  /** Whether a subfolder contains something else than notes. */
  isForeign(folder: string): boolean;
  parse(path: string, text: string): Note | UnreadableNote;
  /** The id that an unreadable file seems to have. */
  claimedId(text: string): string | undefined;
  /** Returns the text of a memory's file, given the `previous` one. */
  render(memory: Memory, previous?: string): string;
  withId(text: string, id: string): string;
  asConflict(text: string, id: string): string;
  /** Names the file of a memory that has none yet. */
  pathOf(memory: Memory, isTaken: (path: string) => boolean): string;
  /** What a file that was written for a memory says. */
  ofMemory(note: Note, memory: Memory): Note;
  /** Finds the memories of files that do not tell it themselves. */
  identify(notes: NoteFile[], entries: ReadonlyMap<string, SyncedEntry>, remote: RemoteContent): NoteFile[];
  /** Fields of a new memory that are not in the text of its file. */
  created(path: string): Pick<NewMemory, 'externalId' | 'origin'>;
  /** Which memories are files, beside those of the user and project. */
  tag: string | undefined;
  includes(memory: Memory): boolean;
  /** Fields of a memory that its file can express, so that other changes make no difference. */
  seen<T extends Memory>(memory: T): T;
}

/** Files whose properties tell the id, tags and project of a memory, and whose names are their owner's. */
export const markdownFormat: FileFormat = {
  isForeign: () => false,
  parse: (_, text) => parseNote(text),
  claimedId,
  render: renderNote,
  withId,
  asConflict,
  pathOf: fileNameOf,
  ofMemory: (note, { project }) => ({ ...note, project }),
  identify: (notes) => notes,
  created: () => ({ origin: 'person' }),
  tag: undefined,
  includes: () => true,
  seen: (memory) => memory,
};
