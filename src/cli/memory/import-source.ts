import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ImportFormat } from '../../contract/portability.ts';
import type { CommandInput } from '../command-context.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';

/** The bytes to import. */
export interface ImportSource {
  open(): AsyncIterable<Uint8Array>;
  /** Size, if known. */
  bytes: number | undefined;
  /** Whether it can be read again from the beginning. */
  repeatable: boolean;
}

/** Opens a file, `-` for standard input, or a folder of notes. Throws `CommandFailure` with advice otherwise. */
export async function importSource(path: string, format: ImportFormat, input: CommandInput): Promise<ImportSource> {
  if (path === '-') return { open: () => input.stream, bytes: undefined, repeatable: false };
  const found = await stat(path).catch(unreadable(path));
  if (found.isDirectory()) return folderSource(path, format);
  if (/\.zip$/i.test(path)) {
    const advice = 'Unpack it and import its conversations.json, memories.json or folder of notes.';
    throw new CommandFailure(EXIT.usage, `${path} is an archive. ${advice}`);
  }
  if (format === 'basic-memory' && /\.md$/i.test(path)) {
    throw new CommandFailure(EXIT.usage, `${path} is a single note. Import the folder that contains it.`);
  }
  if (/\.gz$/i.test(path)) {
    throw new CommandFailure(EXIT.usage, `${path} is compressed. Unpack it: gunzip -c ${path} | svc import -`);
  }
  const open = () => readable(path, createReadStream(path));
  return { open, bytes: found.isFile() ? found.size : undefined, repeatable: found.isFile() };
}

async function folderSource(folder: string, format: ImportFormat): Promise<ImportSource> {
  if (format !== 'basic-memory') {
    const advice = 'Name a file in it, or use --format basic-memory for a folder of notes.';
    throw new CommandFailure(EXIT.usage, `${folder} is a folder. ${advice}`);
  }
  const notes: string[] = [];
  let bytes = 0;
  for (const name of (await readdir(folder, { recursive: true }).catch(unreadable(folder))).sort()) {
    const path = name.replaceAll('\\', '/');
    if (!NOTE.test(path)) continue;
    const found = await stat(join(folder, path)).catch(unreadable(join(folder, path)));
    if (!found.isFile()) continue;
    notes.push(path);
    bytes += found.size;
  }
  return { open: () => readable(folder, noteLines(folder, notes)), bytes, repeatable: true };
}

/** Excludes hidden files and folders, which belong to editors or the trash. */
const NOTE = /^(?:[^./][^/]*\/)*[^./][^/]*\.md$/i;

function unreadable(path: string) {
  return (error: Error): never => {
    throw new CommandFailure(EXIT.failed, `Cannot read ${path}: ${error.message}`);
  };
}

/** Passes the bytes through; a read error names the path. */
async function* readable(path: string, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } catch (error) {
    unreadable(path)(error as Error);
  }
}

/** Yields each note as a line of JSON with its path in the folder. */
async function* noteLines(folder: string, paths: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const path of paths) {
    const bytes = await readFile(join(folder, path));
    const note = isUtf8(bytes)
      ? { path, content: bytes.toString('utf8') }
      : { path, problem: 'The note is not UTF-8 text.' };
    yield Buffer.from(`${JSON.stringify(note)}\n`);
  }
}
