/** A file to import, made from what was dropped or chosen. */
export interface ImportFile {
  name: string;
  content: Blob;
}

/** Bytes of a file that are read to detect its format. */
export const HEAD_BYTES = 256 * 1024;

/**
 * Returns the file to import: the file itself, or for Markdown notes a line of JSON for each with its path. Throws an
 * `ImportFileError` for several files that are not notes.
 */
export async function importFileOf(files: readonly DroppedFile[]): Promise<ImportFile> {
  const notes = files.filter(({ path }) => /\.md$/i.test(path));
  const [first] = files;
  if (first && files.length === 1 && notes.length === 0) return { name: first.path, content: first.file };
  if (notes.length === 0) {
    throw new ImportFileError(
      files.length === 0 ? 'There is nothing to import in it.' : 'Import one file at a time, or a folder of notes.',
    );
  }
  const lines: Blob[] = [];
  for (const { path, file } of notes) {
    lines.push(new Blob([`${JSON.stringify({ path, content: await file.text() })}\n`]));
  }
  const name = notes.length === 1 ? notes[0]!.path : `${notes.length} notes.md`;
  return { name, content: new Blob(lines) };
}

/** Why files cannot be imported, for the reader. */
export class ImportFileError extends Error {
  override readonly name = 'ImportFileError';
}

/** A file with its path below the folder that was dropped. */
export interface DroppedFile {
  path: string;
  file: File;
}

/** Lists what was dropped, with the files of folders. Hidden files, which belong to editors or the trash, are left out. */
export async function droppedFiles(transfer: DataTransfer): Promise<DroppedFile[]> {
  // Entries can only be read before the first wait.
  const entries = [...transfer.items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  const found: DroppedFile[] = [];
  for (const entry of entries) {
    if (isFile(entry)) await collect(entry, '', found);
    else await collectFolder(entry as FileSystemDirectoryEntry, '', found);
  }
  return found;
}

async function collect(entry: FileSystemEntry, folder: string, found: DroppedFile[]): Promise<void> {
  if (entry.name.startsWith('.')) return;
  if (!isFile(entry)) return collectFolder(entry as FileSystemDirectoryEntry, `${folder}${entry.name}/`, found);
  const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject));
  found.push({ path: folder + entry.name, file });
}

async function collectFolder(entry: FileSystemDirectoryEntry, folder: string, found: DroppedFile[]): Promise<void> {
  const reader = entry.createReader();
  // A reader returns a folder in portions, until one is empty.
  for (;;) {
    const children = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (children.length === 0) return;
    for (const child of children) await collect(child, folder, found);
  }
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}
