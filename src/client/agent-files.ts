import { contentOf, groupTag, hasCode, LONGEST_NAME, MOST_GROUPS, textOf } from '../contract/named-items.ts';
import type { Client, Memory } from './client.ts';
import { sha256 } from './sha256.ts';

export interface SvcMemoryStoreOptions {
  client: Client;
  /** The person whose files they are, `default` unless given. */
  user?: string;
  /** Keeps the files of several agents of one person apart, `sandbox` unless given. */
  name?: string;
}

/** How many code points of a text fit into one memory, with its title: each can take two of its 100,000 characters. */
const LONGEST_PART = 49_000;
const LARGEST_PAGE = 200;

/** In the metadata of the memory that stores the beginning of a file. */
interface FileInfo {
  /** External ids of the memories with the rest. */
  rest: string[];
  isBase64: boolean;
}

/**
 * A store for the memory of the OpenAI Agents SDK's sandbox agents. Each file is a memory with a version for each write, and
 * so searchable; the rest of a file with more than 49,000 characters is in further memories. Files come back as they were
 * written, except that svc masks credentials.
 */
export class SvcMemoryStore {
  readonly #client: Client;
  readonly #user: string;
  readonly #root: string;

  constructor({ client, user = 'default', name = 'sandbox' }: SvcMemoryStoreOptions) {
    this.#client = client;
    this.#user = user;
    this.#root = name;
  }

  async read(path: string): Promise<Uint8Array | null> {
    const name = this.#nameOf(path);
    for (let before: string | undefined; ; ) {
      const first = await this.#get(name);
      if (!first) return null;
      const { rest, isBase64 } = infoOf(first);
      const others = await Promise.all(rest.map((part) => this.#get(part)));
      // Another write has removed the parts of what was read first. What a person has removed stays missing.
      const isOutdated = others.includes(undefined) && before !== rest.join('\n');
      before = rest.join('\n');
      if (isOutdated) continue;
      const text = [first, ...others].map((part) => (part ? textOf(part.externalId ?? '', part.content) : '')).join('');
      return isBase64 ? Uint8Array.from(atob(text), (byte) => byte.charCodeAt(0)) : new TextEncoder().encode(text);
    }
  }

  async write(path: string, data: Uint8Array): Promise<void> {
    const name = this.#nameOf(path);
    const { text, isBase64 } = encoded(data);
    const [first = '', ...others] = text.match(new RegExp(`[\\s\\S]{1,${LONGEST_PART}}`, 'gu')) ?? [];
    const hash = (await sha256(text)).slice(0, 12);
    const rest = others.map((_, index) => `${name}#${hash}.${index + 2}`);
    const before = await this.#get(name);
    for (const [index, part] of others.entries()) await this.#put(rest[index]!, part, []);
    // The file changes with its first part.
    await this.#put(name, first, groupsOf(name), { rest, isBase64 });
    await this.#remove(before ? infoOf(before).rest.filter((part) => !rest.includes(part)) : []);
  }

  async delete(path: string): Promise<void> {
    const name = this.#nameOf(path);
    const first = await this.#get(name);
    if (first) await this.#remove([name, ...infoOf(first).rest]);
  }

  async list(prefix: string): Promise<string[]> {
    const group = this.#nameOf(prefix);
    const paths: string[] = [];
    const filter = { user: this.#user, tag: groupTag(group, this.#user), limit: LARGEST_PAGE };
    for await (const { externalId } of this.#client.memories.list(filter)) {
      if (externalId?.startsWith(`${group}/`)) paths.push(externalId.slice(this.#root.length + 1));
    }
    return paths;
  }

  async #get(name: string): Promise<Memory | undefined> {
    return this.#client.memories.external.get(name, { user: this.#user }).catch((error) => {
      if (hasCode(error, 'not_found')) return undefined;
      throw error;
    });
  }

  async #put(name: string, text: string, groups: string[], file?: FileInfo): Promise<void> {
    const user = this.#user;
    const tags = groups.map((group) => groupTag(group, user));
    const memory = { content: contentOf(name, text), user, tags, origin: 'program' as const };
    await this.#client.memories.external.put(name, { ...memory, metadata: file ? { file } : {} });
  }

  async #remove(names: string[]): Promise<void> {
    for (const name of names) {
      await this.#client.memories.external.delete(name, { user: this.#user }).catch((error) => {
        if (!hasCode(error, 'not_found')) throw error;
      });
    }
  }

  /** Returns the external id of a path. Throws if it leads out of the files or is too long. */
  #nameOf(path: string): string {
    const names = path.split('/').filter((each) => each !== '' && each !== '.');
    if (names.includes('..')) throw new Error(`The path ${path} leads out of the files of the agent`);
    const name = [this.#root, ...names].join('/');
    // A part has a suffix.
    if (name.length > LONGEST_NAME - 20 || names.length >= MOST_GROUPS) throw new Error(`The path ${path} is too long`);
    return name;
  }
}

function infoOf({ metadata }: Memory): FileInfo {
  const { rest = [], isBase64 = false } = (metadata.file ?? {}) as Partial<FileInfo>;
  return { rest, isBase64 };
}

/** Returns the directories of a file. */
function groupsOf(name: string): string[] {
  const names = name.split('/');
  return names.slice(0, -1).map((_, index) => names.slice(0, index + 1).join('/'));
}

/** Returns bytes as text: unchanged if they are UTF-8 that can be stored, else in base64. */
function encoded(data: Uint8Array): { text: string; isBase64: boolean } {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(data);
    if (!text.includes('\0')) return { text, isBase64: false };
  } catch {
    // Falls through to base64.
  }
  return { text: btoa(Array.from(data, (byte) => String.fromCharCode(byte)).join('')), isBase64: true };
}
