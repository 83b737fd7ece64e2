import { AppError } from '../../contract/errors.ts';
import type { Memory } from '../../contract/memories.ts';
import { directoriesAbove, ROOT } from '../../contract/memory-paths.ts';
import {
  MAX_FULL_ITEMS,
  type MemoryFile,
  type MemoryFileChange,
  type MemoryFilePage,
  type MemoryFilePrefix,
  type MemoryFilesQuery,
  type NewMemoryFile,
} from '../../contract/memory-stores.ts';
import { groupTag } from '../../contract/named-items.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import type { Claim, Created } from '../idempotency/idempotency.ts';
import { toMemory } from '../memories/memories.ts';
import { type PreparedTerms, writeWithTerms } from '../text/prepared-terms.ts';
import { digestOf, externalIdOf, fileIn, storedFile, tagsOf } from './file-content.ts';
import { type FoundFile, findNamed, listFiles } from './memory-stores-store.ts';
import { noFile, pathTaken, preconditionFailed } from './store-conflicts.ts';
import { versionIdOf } from './store-ids.ts';
import type { MemoryStoresParts, StoreCaller } from './store-parts.ts';
import type { StoreRecords } from './store-records.ts';

/** Memories of a store by path. */
export interface StoreFiles {
  /** Throws `conflict` if a memory is at the path, above or below it, or the store is archived; and `quota_exceeded`. */
  createOnce(
    caller: StoreCaller,
    storeId: string,
    file: NewMemoryFile & { view?: View },
    claim: Claim | undefined,
  ): Promise<Created<MemoryFile>>;
  list(caller: StoreCaller, storeId: string, query: MemoryFilesQuery): Promise<MemoryFilePage>;
  get(caller: StoreCaller, storeId: string, id: string, view?: View): Promise<MemoryFile>;
  /** Throws like `createOnce`, and `conflict` if the precondition does not hold. A change without effect adds no version. */
  change(caller: StoreCaller, storeId: string, id: string, change: MemoryFileChange, view?: View): Promise<MemoryFile>;
  /** Ends the validity of the memory. Throws `conflict` if its content has another digest. */
  remove(caller: StoreCaller, storeId: string, id: string, sha256?: string): Promise<void>;
}

type View = 'basic' | 'full';
type Parts = MemoryStoresParts & { records: StoreRecords };
/** A user whose memories are files. */
interface Place {
  tenantId: string;
  user: string;
}

/** The least name after a name, in which no character sorts before the space. */
const after = (name: string) => `${name} `;
/** The least name after all below a directory: "0" follows "/". */
const afterDirectory = (directory: string) => `${directory}0`;
const startAfter = (item: FoundFile | { prefix: string }) =>
  'prefix' in item ? afterDirectory(item.prefix.slice(0, -1)) : after(item.path);

/** Reads and changes the memories of stores. */
export function createStoreFiles(parts: Parts): StoreFiles {
  const { db, clock, cursors, scopes, idempotency, memories, mask, records } = parts;
  const tagged = ({ tenantId, user }: Place, directory: string) => ({
    ...{ tenantId, user },
    tag: groupTag(directory, user),
    nowMs: clock.nowMs(),
  });

  function write<T>(tenantId: string, run: (connection: Connection, terms: PreparedTerms) => Promise<T>): Promise<T> {
    return writeWithTerms(tenantId, [], (terms) => db.writes.write(tenantId, (connection) => run(connection, terms)));
  }

  async function find(reader: Reader, { tenantId, user }: Place, id: string): Promise<Memory> {
    const memory = await memories.findWithin(reader, tenantId, id);
    if (memory?.user !== user || memory.validTo !== null || !fileIn(memory)) throw noFile();
    return memory;
  }

  /** Throws `conflict` if another memory than `own` is at a path, above or below it. */
  async function requireFree(connection: Connection, place: Place, externalId: string, own?: string): Promise<void> {
    const { tenantId, user } = place;
    const names = [externalId, ...directoriesAbove(externalId).slice(1)];
    const above = await findNamed(connection, { tenantId, users: [user], names }, clock.nowMs());
    const range = { from: after(`${externalId}/`), before: afterDirectory(externalId), limit: 2 };
    const below = await listFiles(connection, tagged(place, externalId), range);
    const other = [...above, ...below].find(({ id }) => id !== own);
    if (other) throw pathTaken({ id: other.id, path: other.path.slice(ROOT.length) });
  }

  /** Reads a page of memories in the order of their paths; with `depth` 1, of prefixes for those that are deeper. */
  async function readPage(
    reader: Reader,
    place: Place,
    directory: string,
    page: { from: string | undefined; depth: number; limit: number },
  ) {
    const start = `${directory}/`;
    const items: (FoundFile | { prefix: string })[] = [];
    let from = page.from ?? after(start);
    for (let isMore = true; isMore && items.length < page.limit; ) {
      const range = { from, before: afterDirectory(directory), limit: page.limit - items.length };
      const found = await listFiles(reader, tagged(place, directory), range);
      isMore = found.length === range.limit;
      for (const file of found) {
        const slash = page.depth === 1 ? file.path.indexOf('/', start.length) : -1;
        const item = slash === -1 ? file : { prefix: file.path.slice(0, slash + 1) };
        items.push(item);
        from = startAfter(item);
        if (slash === -1) continue;
        // Skips what else is below it.
        isMore = true;
        break;
      }
    }
    return items;
  }

  return {
    async createOnce(caller, storeId, { path, content, view }, claim) {
      const { tenantId } = caller;
      const user = records.userOf(storeId);
      const file = storedFile(user, path, await mask(tenantId, content ?? ''));
      const add = async (connection: Connection, terms: PreparedTerms) => {
        await records.requireWritable(connection, tenantId, user);
        await requireFree(connection, { tenantId, user }, file.externalId);
        const memory = { ...file, user, origin: 'assistant' } as const;
        const [stored] = await memories.addWithin(connection, caller, [memory], terms);
        if (!stored!.duplicate) return stored!;
        throw new AppError('conflict', `The memory ${stored!.id} of this user has this content. Change or delete it.`);
      };
      const created = await write(tenantId, (connection, terms) =>
        idempotency.replayOrRun(connection, claim, async () => {
          const added = await add(connection, terms);
          return { status: 200, body: toFile(storeId, added, view), resourceIds: [added.id] };
        }),
      );
      scopes.confirm([{ tenantId, endUser: user }]);
      return created;
    },
    async list({ tenantId }, storeId, query) {
      const { limit = 20, page, path_prefix = '/', depth = 0, view = 'basic' } = query;
      const place = { tenantId, user: records.userOf(storeId) };
      const reader = db.readers.of(tenantId);
      await records.require(reader, tenantId, place.user);
      const directory = path_prefix === '/' ? ROOT : externalIdOf(path_prefix.slice(0, -1));
      const boundTo = ['memory files', tenantId, place.user, path_prefix, depth];
      const from = page === undefined ? undefined : cursors.read(page, boundTo);
      const most = view === 'full' ? Math.min(limit, MAX_FULL_ITEMS) : limit;
      const items = await readPage(reader, place, directory, { from, depth, limit: most + 1 });
      const cut = cursors.page(items, most, boundTo, startAfter);
      const ids = cut.data.flatMap((item) => ('prefix' in item ? [] : [item.id]));
      const rows = await memories.findRowsWithin(reader, tenantId, ids);
      const found = new Map(rows.map((row) => [row.id, toMemory(row)]));
      const data = cut.data.flatMap((item): (MemoryFile | MemoryFilePrefix)[] => {
        if ('prefix' in item) return [{ type: 'memory_prefix', path: item.prefix.slice(ROOT.length) }];
        const memory = found.get(item.id);
        return memory ? [toFile(storeId, memory, view)] : [];
      });
      return { data, next_page: cut.nextCursor };
    },
    async get({ tenantId }, storeId, id, view = 'full') {
      const user = records.userOf(storeId);
      const reader = db.readers.of(tenantId);
      await records.require(reader, tenantId, user);
      return toFile(storeId, await find(reader, { tenantId, user }, id), view);
    },
    async change(caller, storeId, id, { path, content, precondition }, view) {
      const { tenantId } = caller;
      const user = records.userOf(storeId);
      const text = typeof content === 'string' ? await mask(tenantId, content) : undefined;
      const changed = await write(tenantId, async (connection, terms) => {
        await records.requireWritable(connection, tenantId, user);
        const memory = await find(connection, { tenantId, user }, id);
        const before = fileIn(memory)!;
        const next = { path: path ?? before.path, text: text ?? before.text };
        if (next.path === before.path && next.text === before.text) return memory;
        requireDigest(before.text, precondition?.content_sha256);
        const { externalId, content: stored, tags } = storedFile(user, next.path, next.text);
        if (next.path !== before.path) await requireFree(connection, { tenantId, user }, externalId, id);
        const former = tagsOf(user, memory.externalId!).filter((tag) => !tags.includes(tag));
        const moved = { externalId, addTags: tags, removeTags: former };
        const fields = { content: stored, origin: 'assistant', ...(next.path !== before.path && moved) } as const;
        return memories.changeWithin(connection, caller, id, fields, terms);
      });
      return toFile(storeId, changed, view);
    },
    async remove({ tenantId }, storeId, id, sha256) {
      const user = records.userOf(storeId);
      await write(tenantId, async (connection, terms) => {
        await records.require(connection, tenantId, user);
        const memory = await find(connection, { tenantId, user }, id);
        requireDigest(fileIn(memory)!.text, sha256);
        const validTo = Math.max(clock.nowMs(), Date.parse(memory.validFrom));
        await memories.closeWithin(connection, { tenantId, id, validTo, supersededBy: null }, terms);
      });
    },
  };
}

function requireDigest(text: string, sha256: string | undefined): void {
  if (sha256 !== undefined && digestOf(text).content_sha256 !== sha256) throw preconditionFailed();
}

function toFile(storeId: string, memory: Memory, view: View = 'basic'): MemoryFile {
  const { path, text } = fileIn(memory)!;
  return {
    id: memory.id,
    type: 'memory',
    memory_store_id: storeId,
    memory_version_id: versionIdOf(memory.id, memory.version),
    path,
    content: view === 'full' ? text : null,
    ...digestOf(text),
    created_at: memory.createdAt,
    updated_at: memory.updatedAt,
  };
}
