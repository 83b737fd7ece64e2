import { directoriesAbove, ROOT } from '../contract/memory-paths.ts';
import {
  contentOf,
  groupTag,
  hasCode,
  isUnstorable,
  LONGEST_NAME,
  MOST_GROUPS,
  textOf,
} from '../contract/named-items.ts';
import type { Client, Memory, MemoryChange } from './client.ts';
import { sleep } from './retries.ts';

const LARGEST_PAGE = 200;
/** How often an edit is tried again after another edit of the same file came first. */
const EDIT_ATTEMPTS = 20;
/** How long and how often a busy daemon is waited for, as in other calls. */
const LONGEST_WAIT_SECONDS = 30;
const MOST_WAITS = 3;

/** The new text of a file, and what the model reads. */
export interface Edit {
  text: string;
  answer: string;
}

/** A file without its text. */
export interface Listed {
  id: string;
  path: string;
  size: number;
}

type Stored = Pick<Memory, 'origin'> & { text: string };

/**
 * Calls for the files of one user, each stored as a memory with its path as name and its directories as tags. All but
 * `edit` take paths that `locate` has checked.
 */
export function fileCalls(client: Client, user: string) {
  const tagsOf = (at: string) => directoriesAbove(at).map((directory) => groupTag(directory, user));

  async function find(at: string) {
    const { data, response } = await client.memories.external
      .get(at, { user })
      .withResponse()
      .catch((error) => {
        if (hasCode(error, 'not_found')) return { data: undefined, response: undefined };
        throw error;
      });
    return data && { id: data.id, origin: data.origin, text: textOf(at, data.content), ifMatch: response.etag };
  }

  async function below(at: string, most = Number.POSITIVE_INFINITY): Promise<Listed[]> {
    const found: Listed[] = [];
    const filter = { user, tag: groupTag(at, user), limit: Math.min(most, LARGEST_PAGE) };
    for await (const { id, externalId: path, content } of client.memories.list(filter)) {
      if (path?.startsWith(`${at}/`)) found.push({ id, path, size: sizeOf(textOf(path, content)) });
      if (found.length === most) break;
    }
    return found;
  }

  const isDirectory = async (at: string) => at === ROOT || (await below(at, 1)).length > 0;

  /** Changes a file, again if something else changed it meanwhile. Returns `undefined` if there is no file. */
  async function change<T extends { change: MemoryChange }>(at: string, changeOf: (file: Stored) => T) {
    for (let attempt = 1; attempt <= EDIT_ATTEMPTS; attempt += 1) {
      const file = await find(at);
      if (!file) return undefined;
      const changed = changeOf(file);
      // After a lost connection the change may have been applied, and must not be applied twice.
      const options = { ifMatch: file.ifMatch, retries: 0 };
      try {
        await client.memories.update(file.id, changed.change, options);
        return changed;
      } catch (error) {
        if (!hasCode(error, 'precondition_failed') && !hasCode(error, 'not_found')) await waitToRetry(error, attempt);
      }
    }
    throw new Error(`The file ${at} keeps changing. View it and try again.`);
  }

  return {
    find,
    /** Lists the files below a directory, newest first. */
    below,
    isDirectory,
    /** Throws if the path leads through a file. */
    async requireNoFileAbove(at: string): Promise<void> {
      const above = directoriesAbove(at).slice(1);
      const found = await Promise.all(above.map(async (path) => ((await find(path)) ? path : undefined)));
      const file = found.find((path) => path !== undefined);
      if (file !== undefined) throw new Error(`${file} is a file, so there is no ${at}`);
    },
    /** Returns false if the file exists. */
    async create(at: string, text: string): Promise<boolean> {
      const file = {
        externalId: at,
        content: contentOf(at, text),
        user,
        tags: tagsOf(at),
        origin: 'assistant',
      } as const;
      const created = await client.memories.create(file).catch((error) => {
        if (hasCode(error, 'conflict')) return { duplicate: true };
        throw error;
      });
      return created.duplicate !== true;
    },
    async edit(path: string, editOf: (text: string) => Edit): Promise<string> {
      const at = locate(path);
      const edited = await change(at, ({ text }) => {
        const edit = editOf(text);
        return { ...edit, change: { content: contentOf(at, edit.text), origin: 'assistant' } };
      });
      if (edited) return edited.answer;
      throw (await isDirectory(at)) ? new Error(`The path ${path} is not a file.`) : missing(path);
    },
    /** Returns false if there is neither a file nor a directory. */
    async remove(at: string): Promise<boolean> {
      const file = await find(at);
      const ids = file ? [file.id] : (await below(at)).map(({ id }) => id);
      for (let start = 0; start < ids.length; start += LARGEST_PAGE) {
        await client.memories.deleteMany({ ids: ids.slice(start, start + LARGEST_PAGE) });
      }
      return ids.length > 0;
    },
    async move(from: string, to: string): Promise<void> {
      const [before, after] = [tagsOf(from), tagsOf(to)];
      const place = {
        externalId: to,
        removeTags: before.filter((tag) => !after.includes(tag)),
        addTags: after.filter((tag) => !before.includes(tag)),
      };
      await change(from, ({ text, origin }) => ({ change: { ...place, content: contentOf(to, text), origin } })).catch(
        (error) => {
          throw hasCode(error, 'conflict') ? new Error(`The destination ${to} already exists`) : error;
        },
      );
    },
  };
}

/** Checks a path of the model and returns it without empty and `.` segments. */
export function locate(path: string): string {
  const isBelow = typeof path === 'string' && /^\/memories(\/|$)/.test(path);
  if (!isBelow) throw new Error(`Path must start with /memories, got: ${path}`);
  // Percent-encoding has no meaning here, but may have one where files are exported to.
  const decoded = path
    .replace(/%(25)*2e/gi, '.')
    .replace(/%(25)*(2f|5c)|\\/gi, '/')
    .replace(/%(25)*00/g, '\0');
  if (decoded.split('/').includes('..')) throw new Error(`Path ${path} would escape /memories directory`);
  if (isUnstorable(decoded)) throw new Error(`Path ${JSON.stringify(path)} contains a control character`);
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  const at = `/${names.join('/')}`;
  if (at.length <= LONGEST_NAME && names.length <= MOST_GROUPS) return at;
  throw new Error(`Path ${path} is too long: ${LONGEST_NAME} characters and ${MOST_GROUPS} levels are allowed`);
}

/** Waits as long as a busy daemon asks for. Throws any other error. */
async function waitToRetry(error: unknown, attempt: number): Promise<void> {
  const isBusy = hasCode(error, 'rate_limited') || hasCode(error, 'unavailable');
  const { retryAfterSeconds = 1 } = error as { retryAfterSeconds?: number };
  if (!isBusy || retryAfterSeconds > LONGEST_WAIT_SECONDS || attempt > MOST_WAITS) throw error;
  await sleep(retryAfterSeconds * 1000);
}

/** Returns the error for a path where nothing is. */
export function missing(path: string): Error {
  return new Error(`The path ${path} does not exist. Please provide a valid path.`);
}

function sizeOf(text: string): number {
  return new TextEncoder().encode(text).length;
}
