import { AppError } from '../../contract/errors.ts';
import type {
  AddedMemory,
  ChangedMemory,
  Memory,
  MemoryChange,
  MemoryHistoryQuery,
  NewMemory,
} from '../../contract/memories.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import type { Owner } from '../../db/owner.ts';
import { createBatchedRead } from '../../db/readers.ts';
import { parseInstant } from '../../db/row-codec.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Claim, Idempotency } from '../idempotency/idempotency.ts';
import { requireMatch } from '../idempotency/precondition.ts';
import type { Principal } from '../keys/keys.ts';
import type { Usage } from '../limits/usage.ts';
import type { Cursors } from '../text/page-cursor.ts';
import { NO_TERMS, type PreparedTerms, partlyIndexed, requireTerms, writeWithTerms } from '../text/prepared-terms.ts';
import type { Scopes } from '../text/scopes.ts';
import type { TextEntry, TextIndex } from '../text/text-indices.ts';
import { createTextPortions } from '../text/text-portions.ts';
import { findMemories, findMemory, findMemoryRows, listSupersededBy, listVersionsBelow } from './memories-store.ts';
import { createMemoryAdding, type MemoryAdding } from './memory-add.ts';
import { type BulkMemories, createBulkMemories } from './memory-bulk.ts';
import { changeMemory } from './memory-change.ts';
import { createMemoryErasing, type MemoryErasing, type MemoryObserver } from './memory-erasure.ts';
import { createExternalMemories, type ExternalMemories } from './memory-external.ts';
import { createMemoryTransfer, type MemoryTransfer } from './memory-import-export.ts';
import { createMemoryList, type ListMemories } from './memory-list.ts';
import { listMemories } from './memory-list-store.ts';
import { listHolding } from './memory-lookups-store.ts';
import { resolveChange } from './memory-merge.ts';
import {
  etagOf,
  foldedContent,
  hasExpired,
  isLive,
  type MemoryRow,
  memoryCodec,
  redactedAtOf,
  saidAtOf,
  storedEntryOf,
  textsOf,
  toMemory,
} from './memory-row.ts';
import { type CountMemoryFacets, createMemoryStats } from './memory-stats.ts';
import { type Closing, changeValidity, closeMemory, reopenMemory } from './memory-validity.ts';

export type { Adder } from './memory-add.ts';
export type { MemoryObserver } from './memory-erasure.ts';
export { addWithRelated, type FindRelated } from './memory-related.ts';

/** How a memory is linked to another one: by superseding, or by an id in the source of both. */
interface MemoryLink {
  relation: 'supersededBy' | 'supersedes' | 'source' | 'episode';
  row: MemoryRow;
}

/** How many times in a row memories are followed to those that superseded them, or that they superseded. */
const MAX_CHAIN = 20;

/** Finds at most `limit` memories of the same user by each relation, the closest first. */
async function findMemoryLinks(
  reader: Reader,
  memory: MemoryRow,
  { nowMs, limit }: { nowMs: number; limit: number },
): Promise<MemoryLink[]> {
  const { tenantId, endUser } = memory;
  const source: NonNullable<Memory['source']> = memory.source === null ? {} : JSON.parse(memory.source);

  async function superseding(): Promise<MemoryRow[]> {
    const found: MemoryRow[] = [];
    for (let id = memory.supersededBy; id !== null && found.length < Math.min(limit, MAX_CHAIN); ) {
      const row = await findMemory(reader, tenantId, id);
      if (!row || row.endUser !== endUser || hasExpired(row, nowMs)) break;
      found.push(row);
      id = row.supersededBy;
    }
    return found;
  }

  async function superseded(): Promise<MemoryRow[]> {
    const found: MemoryRow[] = [];
    let ids = [memory.id];
    for (let step = 0; ids.length > 0 && found.length < limit && step < MAX_CHAIN; step += 1) {
      const rows = await listSupersededBy(reader, memory, ids, { nowMs, limit: limit - found.length });
      found.push(...rows);
      ids = rows.map(({ id }) => id);
    }
    return found;
  }

  /** One more than the limit, because the memory itself is among them. */
  const ofSource = (id: string | undefined): Promise<MemoryRow[]> => {
    if (id === undefined) return Promise.resolve([]);
    const filter = { tenantId, user: endUser, source: id, includeSuperseded: false, nowMs };
    return listMemories(reader, filter, { orderBy: 'createdAt', order: 'desc', limit: limit + 1 });
  };

  const found = [
    ...(await superseding()).map((row) => ({ relation: 'supersededBy', row }) as const),
    ...(await superseded()).map((row) => ({ relation: 'supersedes', row }) as const),
    ...(await ofSource(source.messageId)).map((row) => ({ relation: 'source', row }) as const),
    ...(await ofSource(source.conversationId)).map((row) => ({ relation: 'source', row }) as const),
    ...(await ofSource(source.episodeId)).map((row) => ({ relation: 'episode', row }) as const),
  ];
  return firstOfEach(memory.id, found, limit);
}

/** The first link to each other memory, at most `limit` of a relation. */
function firstOfEach(ownId: string, links: readonly MemoryLink[], limit: number): MemoryLink[] {
  const known = new Set([ownId]);
  const counts = new Map<string, number>();
  return links.filter(({ relation, row }) => {
    const count = counts.get(relation) ?? 0;
    if (known.has(row.id) || count === limit) return false;
    known.add(row.id);
    counts.set(relation, count + 1);
    return true;
  });
}

export { etagOf, foldedContent, isLive as isLiveMemory, type MemoryRow, redactedAtOf, toMemory };

/** The tenant whose memory changes, and the member who changes it in a space. */
type Writer = Pick<Principal, 'tenantId' | 'author'>;

/** A change, and when its text was said if that is not now; with `null`, when the text before it was. */
type WrittenChange = MemoryChange & { saidAtMs?: number | null };

/** A tenant's memories. Another tenant's id is answered like one that never existed: `not_found`. */
export interface Memories extends MemoryAdding {
  /** Adds a memory, or returns the existing one with the same content, marked `duplicate`. Throws `quota_exceeded`. */
  add(principal: Principal, memory: NewMemory, claim?: Claim): Promise<AddedMemory>;
  get(principal: Principal, id: string): Promise<Memory>;
  list: ListMemories;
  /**
   * Finds messages that hold no longer, as each of their memories was superseded, corrected, marked as outdated or deleted: by
   * the id of the message, the newest successor, or the memory itself.
   */
  successorsOf(reader: Reader, tenantId: string, messageIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Creates a new version. Throws `precondition_failed` if `ifMatch` does not match the current state, and `quota_exceeded`. */
  change(principal: Principal, id: string, change: MemoryChange, ifMatch?: string): Promise<ChangedMemory>;
  /** Finds a memory as the caller's transaction sees it. */
  findWithin(reader: Reader, tenantId: string, id: string): Promise<Memory | undefined>;
  /** Finds those of the memories that exist, as the caller's transaction sees them. */
  findRowsWithin(reader: Reader, tenantId: string, ids: readonly string[]): Promise<MemoryRow[]>;
  /** Like `change`, in the caller's transaction. Throws `TermsMissing`; see `writeWithTerms`. */
  changeWithin(
    connection: Connection,
    writer: Writer,
    id: string,
    change: WrittenChange,
    terms?: PreparedTerms,
  ): Promise<ChangedMemory>;
  /**
   * Gives a memory the fields and the author of an earlier version again, as a new version; in the caller's transaction. Throws
   * like `changeWithin`.
   */
  restoreWithin(
    connection: Connection,
    tenantId: string,
    { id, version }: Pick<Memory, 'id' | 'version'>,
    terms?: PreparedTerms,
  ): Promise<Memory>;
  /** Ends the validity of a memory, in the caller's transaction. Throws `not_found`, `conflict` and `TermsMissing`. */
  closeWithin(connection: Connection, closing: Closing, terms?: PreparedTerms): Promise<Memory>;
  /** Makes a closed memory valid again, in the caller's transaction. Throws `not_found`, `conflict` and `TermsMissing`. */
  reopenWithin(connection: Connection, tenantId: string, id: string, terms?: PreparedTerms): Promise<Memory>;
  removeWithin(connection: Connection, tenantId: string, id: string): Promise<void>;
  /** Overwrites what a version that is not live says, and keeps some of its tags; in the caller's transaction. */
  redactVersionWithin: MemoryErasing['redactVersion'];
  remove(principal: Principal, id: string, ifMatch?: string): Promise<void>;
  /** All versions page by page, newest first. */
  history(
    principal: Principal,
    id: string,
    query: MemoryHistoryQuery,
  ): Promise<{ data: Memory[]; nextCursor: string | null }>;
  stats: CountMemoryFacets;
  /** A memory and those linked to it; `undefined` if it does not exist or has expired. */
  links(tenantId: string, id: string, limit: number): Promise<{ row: MemoryRow; links: MemoryLink[] } | undefined>;
  external: ExternalMemories;
  bulk: BulkMemories;
  transfer: MemoryTransfer;
  /** Indexes what an interrupted addition left. */
  resume(): Promise<void>;
  /** Erases expired memories. Reads have hidden them since the moment they expired. */
  sweep(): Promise<void>;
  /** Erases all memories of an owner in small transactions, so that other writes can interleave. */
  erase(owner: Owner): Promise<void>;
}

interface Parts {
  db: Database;
  clock: Clock;
  ids: Ids;
  usage: Usage;
  idempotency: Idempotency;
  text: TextIndex;
  scopes: Scopes;
  cursors: Cursors;
  observers: readonly MemoryObserver[];
}

/** Finds what the full-text index stores of memories, by their row numbers. */
export async function findMemoryEntries(
  reader: Reader,
  tenantId: string,
  numbers: readonly number[],
): Promise<TextEntry[]> {
  return (await findMemoryRows(reader, tenantId, numbers)).map(storedEntryOf);
}

/** Composes adding, changing, erasing and transferring memories. */
export function createMemories(parts: Parts): Memories {
  const { db, clock, usage, text, cursors } = parts;
  const portions = createTextPortions({
    db,
    type: 'memory',
    text,
    findEntries: findMemoryEntries,
  });
  const erasing = createMemoryErasing(parts);
  const adding = createMemoryAdding({ ...parts, portions, erasing });
  const { eraseOne } = erasing;
  /** Finds current versions by `tenantId id`; concurrent requests share a statement. */
  const findCurrent = createBatchedRead(db.lookups, async (reader, keys) => {
    const pairs = keys.map((key) => key.split(/ (.*)/s)).map(([tenantId, id]) => ({ tenantId: tenantId!, id: id! }));
    const rows = await findMemories(reader, pairs);
    return new Map(rows.map((row) => [`${row.tenantId} ${row.id}`, row]));
  });

  async function changeWithin(
    connection: Connection,
    { tenantId, author = null }: Writer,
    id: string,
    given: WrittenChange,
    terms: PreparedTerms = NO_TERMS,
    ifMatch?: string,
  ): Promise<ChangedMemory> {
    const { saidAtMs: _, ...change } = given;
    const nowMs = clock.nowMs();
    const row = requirePresent(await findMemory(connection, tenantId, id), nowMs);
    requireMatch(ifMatch, etagOf(toMemory(row)), 'memory');
    const changed = memoryCodec.changed(row, resolveChange(row, change));
    if (change.validTo !== undefined) {
      const validTo = parseInstant(change.validTo ?? undefined, '/validTo') ?? null;
      return toMemory(await changeValidity(connection, { text, terms, eraseOne }, row, validTo, nowMs));
    }
    const written = changed ?? row;
    const saidAt = saidAtOf(row, written, given, nowMs);
    const signed = { ...written, author: written.content === row.content ? row.author : author, saidAt };
    const next = changed || saidAt !== row.saidAt ? signed : undefined;
    const store = () => changeMemory(connection, { text, terms, eraseOne }, row, next, nowMs);
    const stored = await usage.storage.within(connection, tenantId, store);
    return { ...toMemory(stored), ...partlyIndexed(terms, textsOf(stored)) };
  }

  async function restoreWithin(
    connection: Connection,
    tenantId: string,
    { id, version }: Pick<Memory, 'id' | 'version'>,
    terms: PreparedTerms = NO_TERMS,
  ): Promise<Memory> {
    const nowMs = clock.nowMs();
    const current = requirePresent(await findMemory(connection, tenantId, id), nowMs);
    const below = Math.min(version + 1, current.version);
    const [before] = await listVersionsBelow(connection, { tenantId, id }, { below, limit: 1 });
    if (before?.version !== version) throw new AppError('not_found', `The memory has no version ${version}.`);
    if (redactedAtOf(before) !== undefined) throw new AppError('conflict', `Version ${version} was redacted.`);
    const fields = Object.fromEntries(memoryCodec.changeableColumns.map((column) => [column, before[column]]));
    // Stored again since, which makes no version.
    const isSaidSince = (current.saidAt ?? 0) > current.updatedAt;
    const saidAt = isSaidSince ? current.saidAt : before.saidAt;
    const changed: MemoryRow = { ...current, ...fields, author: before.author, saidAt };
    return toMemory(await changeMemory(connection, { text, terms, eraseOne }, current, changed, nowMs));
  }

  async function closeWithin(connection: Connection, closing: Closing, terms = NO_TERMS): Promise<Memory> {
    const nowMs = clock.nowMs();
    const { tenantId, id } = closing;
    const row = requirePresent(await findMemory(connection, tenantId, id), nowMs);
    if (row.validTo !== null) throw new AppError('conflict', 'This memory is superseded already.');
    requireTerms(terms, [textsOf(row)]);
    return toMemory(await closeMemory(connection, { text, terms }, closing, nowMs));
  }

  async function reopenWithin(connection: Connection, tenantId: string, id: string, terms = NO_TERMS): Promise<Memory> {
    const nowMs = clock.nowMs();
    const row = requirePresent(await findMemory(connection, tenantId, id), nowMs);
    return toMemory(row.validTo === null ? row : await reopenMemory(connection, { text, terms, eraseOne }, row, nowMs));
  }

  async function removeWithin(connection: Connection, tenantId: string, id: string, ifMatch?: string): Promise<void> {
    const row = requirePresent(await findMemory(connection, tenantId, id), clock.nowMs());
    requireMatch(ifMatch, etagOf(toMemory(row)), 'memory');
    await eraseOne(connection, tenantId, id);
  }

  const list = createMemoryList(parts);
  return {
    ...adding,
    add: async (principal, memory, claim) => (await adding.addOnce(principal, memory, claim)).body,
    async get({ tenantId }, id) {
      return toMemory(requirePresent(await findCurrent(`${tenantId} ${id}`), clock.nowMs()));
    },
    list,
    async successorsOf(reader, tenantId, messageIds) {
      if (messageIds.length === 0) return new Map();
      const holding = await listHolding(reader, tenantId, messageIds);
      const current = new Set(holding.filter(({ holds }) => holds).map(({ sourceId }) => sourceId));
      const replaced = holding.filter(({ sourceId }) => !current.has(sourceId));
      const byAge = replaced.toSorted((one, other) => (one.memoryId < other.memoryId ? -1 : 1));
      return new Map(byAge.map(({ sourceId, memoryId }) => [sourceId, memoryId]));
    },
    change: (principal, id, change, ifMatch) =>
      writeWithTerms(principal.tenantId, [], (terms) =>
        db.writes.write(principal.tenantId, (connection) =>
          changeWithin(connection, principal, id, change, terms, ifMatch),
        ),
      ),
    changeWithin,
    restoreWithin,
    closeWithin,
    reopenWithin,
    removeWithin,
    redactVersionWithin: erasing.redactVersion,
    async findWithin(reader, tenantId, id) {
      const row = await findMemory(reader, tenantId, id);
      return row && !hasExpired(row, clock.nowMs()) ? toMemory(row) : undefined;
    },
    async findRowsWithin(reader, tenantId, ids) {
      const keys = ids.map((id) => ({ tenantId, id }));
      return (await findMemories(reader, keys)).filter((row) => !hasExpired(row, clock.nowMs()));
    },
    remove: ({ tenantId }, id, ifMatch) =>
      db.writes.write(tenantId, (connection) => removeWithin(connection, tenantId, id, ifMatch)),
    async history({ tenantId }, id, { limit = 50, cursor }) {
      const reader = db.readers.of(tenantId);
      const boundTo = ['history', tenantId, id];
      const below = cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursors.read(cursor, boundTo));
      requirePresent(await findMemory(reader, tenantId, id), clock.nowMs());
      const rows = await listVersionsBelow(reader, { tenantId, id }, { below, limit: limit + 1 });
      return cursors.page(rows.map(toMemory), limit, boundTo, ({ version }) => String(version));
    },
    stats: createMemoryStats(parts),
    async links(tenantId, id, limit) {
      const reader = db.readers.of(tenantId);
      const nowMs = clock.nowMs();
      const row = await findMemory(reader, tenantId, id);
      if (!row || hasExpired(row, nowMs)) return undefined;
      return { row, links: await findMemoryLinks(reader, row, { nowMs, limit }) };
    },
    external: createExternalMemories({ ...parts, adding, erasing }),
    bulk: createBulkMemories({ ...parts, list, changeWithin, removeWithin }),
    transfer: createMemoryTransfer({ ...parts, erasing }),
    resume: portions.resume,
    sweep: erasing.sweep,
    erase: erasing.erase,
  };
}

/** Throws `not_found` for a memory that does not exist or has expired. */
function requirePresent(row: MemoryRow | undefined, nowMs: number): MemoryRow {
  if (!row || hasExpired(row, nowMs)) throw noMemory();
  return row;
}

/** The error for a memory that does not exist or has expired. */
export function noMemory(): AppError {
  return new AppError('not_found', 'There is no memory with this id.');
}
