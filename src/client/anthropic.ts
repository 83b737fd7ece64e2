import type { MemoryToolHandlers } from '@anthropic-ai/sdk/helpers/beta/memory';
import { ROOT } from '../contract/memory-paths.ts';
import type { Client } from './client.ts';
import { type Edit, fileCalls, type Listed, locate, missing } from './memory-files.ts';

export interface MemoryFilesOptions {
  client: Client;
  /** The person whose files they are, `default` unless given. */
  user?: string;
}

const LONGEST_LISTING = 1000;
const LINE_NUMBER_WIDTH = 6;
const UNITS = ['B', 'K', 'M'];
/** What a small directory takes on a disk, and what the SDK's handlers say. */
const DIRECTORY_SIZE = '4K';

/**
 * Returns handlers for Claude's memory tool (`memory_20250818`), to be passed to `betaMemoryTool` of the Anthropic SDK.
 * Each file below `/memories` is one memory of the user, with a version for each edit. The answers are those of the SDK's
 * handlers for a local folder; a directory exists as long as it has files. Throws what the model should read.
 */
export function memoryFiles({ client, user = 'default' }: MemoryFilesOptions): MemoryToolHandlers {
  const files = fileCalls(client, user);
  const exists = async (at: string) => (await files.find(at)) !== undefined || (await files.isDirectory(at));
  return {
    async view({ path, view_range }) {
      const at = locate(path);
      const file = await files.find(at);
      if (file) return `Here's the content of ${path} with line numbers:\n${viewOf(file.text, view_range)}`;
      const found = await files.below(at, LONGEST_LISTING + 1);
      if (found.length === 0 && at !== ROOT) throw missing(path);
      return listing(path, at, found);
    },
    async create({ path, file_text }) {
      const at = locate(path);
      requireTexts({ file_text });
      await files.requireNoFileAbove(at);
      if (!(await files.isDirectory(at)) && (await files.create(at, file_text))) {
        return `File created successfully at: ${path}`;
      }
      throw new Error(`File ${path} already exists`);
    },
    str_replace({ path, old_str, new_str }) {
      requireTexts({ old_str, new_str });
      return files.edit(path, (text) => replaced(text, { path, old_str, new_str }));
    },
    insert({ path, insert_line, insert_text }) {
      requireTexts({ insert_text });
      return files.edit(path, (text) => {
        const lines = text.split('\n');
        if (!(insert_line >= 0 && insert_line <= lines.length)) {
          const range = `It should be within the range of lines of the file: [0, ${lines.length}]`;
          throw new Error(`Invalid \`insert_line\` parameter: ${insert_line}. ${range}`);
        }
        lines.splice(insert_line, 0, insert_text.replace(/\n$/, ''));
        return { text: lines.join('\n'), answer: `The file ${path} has been edited.` };
      });
    },
    async delete({ path }) {
      const at = locate(path);
      if (at === ROOT) throw new Error('Cannot delete the /memories directory itself');
      if (!(await files.remove(at))) throw new Error(`The path ${path} does not exist`);
      return `Successfully deleted ${path}`;
    },
    async rename({ old_path, new_path }) {
      const [from, to] = [locate(old_path), locate(new_path)];
      if (from === ROOT) throw new Error('Cannot rename the /memories directory itself');
      if (await exists(to)) throw new Error(`The destination ${new_path} already exists`);
      await files.requireNoFileAbove(to);
      const moved = (await files.find(from)) ? [from] : (await files.below(from)).map((file) => file.path);
      if (moved.length === 0) throw new Error(`The path ${old_path} does not exist`);
      if (to.startsWith(`${from}/`)) throw new Error(`Cannot move ${old_path} into itself`);
      const moves = moved.map((path) => [path, locate(to + path.slice(from.length))] as const);
      for (const [path, target] of moves) await files.move(path, target);
      return `Successfully renamed ${old_path} to ${new_path}`;
    },
  };
}

/** Numbers the lines of a file, or those from the first to the last of `range`; -1 is the end. */
function viewOf(text: string, range: number[] | undefined): string {
  const lines = text.split('\n');
  if (range?.length !== 2) return numbered(lines, 1);
  const [first, last] = range as [number, number];
  const start = Math.max(1, first) - 1;
  return numbered(lines.slice(start, last === -1 ? lines.length : last), start + 1);
}

function numbered(lines: string[], first: number): string {
  return lines.map((line, index) => `${String(first + index).padStart(LINE_NUMBER_WIDTH)}\t${line}`).join('\n');
}

/** Replaces what is in exactly one line. Like the SDK's handlers, finds no text of several lines. */
function replaced(text: string, { path, old_str, new_str }: { path: string; old_str: string; new_str: string }): Edit {
  const matching = text.split('\n').flatMap((line, index) => (line.includes(old_str) ? [index] : []));
  const [line] = matching;
  if (line === undefined) {
    const reason = `old_str \`${old_str}\` did not appear verbatim in ${path}.`;
    throw new Error(`No replacement was performed, ${reason}`);
  }
  if (matching.length > 1) {
    const where = `in lines: ${matching.map((index) => index + 1).join(', ')}. Please ensure it is unique`;
    throw new Error(`No replacement was performed. Multiple occurrences of old_str \`${old_str}\` ${where}`);
  }
  const changed = text.replace(old_str, () => new_str);
  const start = Math.max(0, line - 2);
  const snippet = numbered(changed.split('\n').slice(start, line + 3), start + 1);
  const heading = 'The memory file has been edited. Here is the snippet showing the change (with line numbers):';
  return { text: changed, answer: `${heading}\n${snippet}` };
}

function listing(path: string, at: string, found: Listed[]): string {
  const files = found.slice(0, LONGEST_LISTING).map((file) => ({ ...file, path: file.path.slice(at.length + 1) }));
  const lines = linesOf(files, `${path}/`, 1);
  const rest = found.length > LONGEST_LISTING ? [`Only the ${LONGEST_LISTING} newest files are listed.`] : [];
  const heading = `Here're the files and directories up to 2 levels deep in ${path}, excluding hidden items and node_modules:`;
  return [heading, `${DIRECTORY_SIZE}\t${path}`, ...lines, ...rest].join('\n');
}

/** Lists what is in a directory, by name. The paths of `files` are relative to it. */
function linesOf(files: Pick<Listed, 'path' | 'size'>[], prefix: string, level: number): string[] {
  const names = [...new Set(files.map(({ path }) => path.split('/')[0]!))].sort();
  return names.flatMap((name) => {
    if (name.startsWith('.') || name === 'node_modules') return [];
    const file = files.find(({ path }) => path === name);
    const inside = files.filter(({ path }) => path.startsWith(`${name}/`));
    const lines = file ? [`${shownSize(file.size)}\t${prefix}${name}`] : [];
    if (inside.length === 0) return lines;
    const rest = inside.map(({ path, size }) => ({ path: path.slice(name.length + 1), size }));
    const below = level < 2 ? linesOf(rest, `${prefix}${name}/`, level + 1) : [];
    return [...lines, `${DIRECTORY_SIZE}\t${prefix}${name}/`, ...below];
  });
}

function shownSize(bytes: number): string {
  const exponent = bytes === 0 ? 0 : Math.floor(Math.log(bytes) / Math.log(1024));
  const size = bytes / 1024 ** exponent;
  return (size % 1 === 0 ? size.toString() : size.toFixed(1)) + UNITS[exponent];
}

function requireTexts(texts: Record<string, unknown>): void {
  const [name] = Object.entries(texts).find(([, text]) => typeof text !== 'string') ?? [];
  if (name !== undefined) throw new Error(`\`${name}\` must be a string`);
}
