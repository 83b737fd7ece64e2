import { AppError, type ErrorCode } from '../../contract/errors.ts';
import type { MemoryChange } from '../../contract/memories.ts';
import {
  type BulkFailure,
  type DeletedMemories,
  type FoundMemories,
  MAX_BULK,
  type MemoriesDeletion,
  type MemoriesRequest,
  type MemoriesUpdate,
  type MemorySelection,
  type UpdatedMemories,
} from '../../contract/memories-bulk.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import { withinSavepoint } from '../../db/savepoint.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Claim, Created, Idempotency } from '../idempotency/idempotency.ts';
import type { Principal } from '../keys/keys.ts';
import type { Usage } from '../limits/usage.ts';
import type { Cursors } from '../text/page-cursor.ts';
import { type PreparedTerms, writeWithTerms } from '../text/prepared-terms.ts';
import { findMemories } from './memories-store.ts';
import { findPresent } from './memory-import-export-store.ts';
import { type ListMemories, listFilterOf } from './memory-list.ts';
import { listMemoryIds } from './memory-list-store.ts';
import { resolveChange } from './memory-merge.ts';
import { hasExpired, type MemoryRow, memoryCodec, textsOf, toMemory } from './memory-row.ts';

/** Reads, changes and erases many memories at once: at most `MAX_BULK`, by id or by filter. */
export interface BulkMemories {
  /** Answers ids in the order given, and names those that do not exist. */
  query(principal: Principal, request: MemoriesRequest): Promise<FoundMemories>;
  /**
   * Changes the memories in small transactions, so that other writes can interleave; one that cannot be changed is
   * reported and stops no other, and one that the filter no longer matches is left alone. Throws `unprocessable` if the filter
   * matches more than `MAX_BULK`.
   */
  updateOnce(principal: Principal, request: MemoriesUpdate, claim?: Claim): Promise<Created<UpdatedMemories>>;
  /** Erases the memories like `updateOnce` changes them. */
  deleteOnce(principal: Principal, request: MemoriesDeletion, claim?: Claim): Promise<Created<DeletedMemories>>;
}

interface Parts {
  db: Database;
  clock: Clock;
  usage: Usage;
  idempotency: Idempotency;
  cursors: Cursors;
  list: ListMemories;
  /** Runs in the caller's transaction. Throws `not_found`, and `TermsMissing` like `writeWithTerms`. */
  changeWithin(
    connection: Connection,
    writer: Pick<Principal, 'tenantId' | 'author'>,
    id: string,
    change: MemoryChange,
    terms: PreparedTerms,
  ): Promise<unknown>;
  removeWithin(connection: Connection, tenantId: string, id: string): Promise<void>;
}

interface Selected {
  ids: string[];
  failed: BulkFailure[];
  /** Returns those of the ids that the caller's transaction still selects. */
  findSelected(connection: Connection, ids: readonly string[]): Promise<readonly string[]>;
}

/** How many memories were worked through, and which of them failed. */
interface Worked {
  matched: number;
  failed: BulkFailure[];
}

/** Memories of a transaction: a few dozen milliseconds of work. */
const PER_TRANSACTION = 25;
/** Ids looked up by one statement. */
const PER_LOOKUP = 500;
/** Errors of a single memory; any other ends the call. */
const SINGLE_ITEM_ERRORS: ReadonlySet<ErrorCode> = new Set([
  ...(['invalid_request', 'not_found', 'conflict', 'unprocessable', 'quota_exceeded'] as const),
]);
const NOT_FOUND = 'There is no memory with this id.';

/** Selects memories, then works through them in small transactions. */
export function createBulkMemories(parts: Parts): BulkMemories {
  const { db, clock, usage, idempotency, cursors, list, changeWithin, removeWithin } = parts;

  /** Returns those of the ids that exist, in their order. */
  async function findIds(tenantId: string, ids: readonly string[]): Promise<string[]> {
    const present = new Set<string>();
    for (let start = 0; start < ids.length; start += PER_LOOKUP) {
      const rows = await findPresent(db.readers.of(tenantId), tenantId, ids.slice(start, start + PER_LOOKUP));
      for (const row of rows) if (!hasExpired(row, clock.nowMs())) present.add(row.id);
    }
    return ids.filter((id) => present.has(id));
  }

  async function select(tenantId: string, selection: MemorySelection): Promise<Selected> {
    const { ids: given, filter } = selection;
    requireOne(selection);
    if (given) {
      const ids = await findIds(tenantId, given);
      const found = new Set(ids);
      const missing = given.filter((id) => !found.has(id));
      const failed = missing.map((id) => ({ id, code: 'not_found', detail: NOT_FOUND }) as const);
      return { ids, failed, findSelected: async (_, some) => some };
    }
    const listFilter = () => listFilterOf(tenantId, filter!, '/filter/', clock.nowMs());
    const ids = await listMemoryIds(db.readers.of(tenantId), listFilter(), MAX_BULK + 1);
    if (ids.length > MAX_BULK) throw tooMany();
    return {
      ids,
      failed: [],
      findSelected: (connection, some) => listMemoryIds(connection, listFilter(), some.length, some),
    };
  }

  /** Runs `work` for each memory in transactions of a few. */
  async function runAll(
    tenantId: string,
    { ids, findSelected }: Selected,
    textsFor: (rows: readonly MemoryRow[]) => (readonly string[])[],
    work: (connection: Connection, id: string, terms: PreparedTerms) => Promise<unknown>,
  ): Promise<Worked> {
    const worked: Worked = { matched: 0, failed: [] };
    for (let start = 0; start < ids.length; start += PER_TRANSACTION) {
      const some = ids.slice(start, start + PER_TRANSACTION);
      const texts = textsFor(await findRows(db.readers.of(tenantId), tenantId, some));
      const { matched, failed } = await writeWithTerms(tenantId, texts, (terms) =>
        db.writes.write(tenantId, async (connection) => {
          const selected = await findSelected(connection, some);
          const refusals: BulkFailure[] = [];
          for (const id of selected) {
            const refusal = await refusalOf(id, () => withinSavepoint(connection, () => work(connection, id, terms)));
            if (refusal) refusals.push(refusal);
          }
          return { matched: selected.length, failed: refusals };
        }),
      );
      worked.matched += matched;
      worked.failed.push(...failed);
    }
    return worked;
  }

  const once = <T>(tenantId: string, claim: Claim | undefined, run: () => Promise<T>): Promise<Created<T>> =>
    idempotency.replayOrRunAll(claim, {
      run,
      resourceIds: [],
      requireTenant: (connection) => usage.requireTenant(connection, tenantId),
    });

  return {
    async query(principal, { ids, filter, ...page }) {
      requireOne({ ids, filter });
      if (!ids) return list(principal, { ...filter, ...page }, '/filter/');
      requireNoOrder(page);
      const { tenantId } = principal;
      const { limit = 50, cursor, total = false } = page;
      const boundTo = ['memoriesById', tenantId, ids];
      const after = cursor === undefined ? 0 : Number(cursors.read(cursor, boundTo));
      const present = await findIds(tenantId, ids);
      const positions = new Map(ids.map((id, index) => [id, index + 1]));
      const rest = present.filter((id) => positions.get(id)! > after).slice(0, limit + 1);
      const next = cursors.page(rest, limit, boundTo, (id) => String(positions.get(id)));
      const rows = new Map((await findRows(db.readers.of(tenantId), tenantId, next.data)).map((row) => [row.id, row]));
      const found = new Set(present);
      return {
        data: next.data.flatMap((id) => (rows.has(id) ? [toMemory(rows.get(id)!)] : [])),
        nextCursor: next.nextCursor,
        notFound: ids.filter((id) => !found.has(id)),
        ...(total && { total: present.length }),
      };
    },
    updateOnce: (principal, { change, dryRun = false, ...selection }, claim) =>
      once(principal.tenantId, claim, async () => {
        const { tenantId } = principal;
        // Throws for a change that no memory accepts.
        resolveChange({ content: '', tags: '[]', metadata: '{}' }, change);
        const selected = await select(tenantId, selection);
        const { ids, failed } = selected;
        if (dryRun) return { matched: ids.length, updated: 0, failed, dryRun };
        const worked = await runAll(
          tenantId,
          selected,
          (rows) => rows.flatMap((row) => [textsOf(row), ...changedTextsOf(row, change)]),
          (connection, id, terms) => changeWithin(connection, principal, id, change, terms),
        );
        const { matched } = worked;
        const updated = matched - worked.failed.length;
        return { matched, updated, failed: [...failed, ...worked.failed], dryRun };
      }),
    deleteOnce: ({ tenantId }, { dryRun = false, ...selection }, claim) =>
      once(tenantId, claim, async () => {
        const selected = await select(tenantId, selection);
        const { ids, failed } = selected;
        if (dryRun) return { matched: ids.length, deleted: 0, failed, dryRun };
        const worked = await runAll(
          tenantId,
          selected,
          () => [],
          (connection, id) => removeWithin(connection, tenantId, id),
        );
        const { matched } = worked;
        const deleted = matched - worked.failed.length;
        return { matched, deleted, failed: [...failed, ...worked.failed], dryRun };
      }),
  };
}

function findRows(reader: Reader, tenantId: string, ids: readonly string[]): Promise<MemoryRow[]> {
  return findMemories(
    reader,
    ids.map((id) => ({ tenantId, id })),
  );
}

/** The texts of a row after a change; none for a change that it refuses. */
function changedTextsOf(row: MemoryRow, change: MemoryChange): string[][] {
  try {
    const changed = memoryCodec.changed(row, resolveChange(row, change));
    return changed ? [textsOf(changed)] : [];
  } catch (error) {
    if (error instanceof AppError) return [];
    throw error;
  }
}

async function refusalOf(id: string, work: () => Promise<unknown>): Promise<BulkFailure | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error instanceof AppError && SINGLE_ITEM_ERRORS.has(error.code)) {
      return { id, code: error.code, detail: error.message };
    }
    throw error;
  }
}

function requireOne({ ids, filter }: { ids?: unknown; filter?: unknown }): void {
  if ((ids === undefined) !== (filter === undefined)) return;
  const path = ids === undefined ? '/ids' : '/filter';
  const message = ids === undefined ? 'is required, unless there is a filter' : 'cannot be combined with ids';
  throw new AppError('invalid_request', 'Send either ids or filter.', { errors: [{ path, message }] });
}

function requireNoOrder({ orderBy, order }: { orderBy?: unknown; order?: unknown }): void {
  if (orderBy === undefined && order === undefined) return;
  const path = orderBy === undefined ? '/order' : '/orderBy';
  const errors = [{ path, message: 'requires a filter: ids are answered in the order given' }];
  throw new AppError('invalid_request', `${path} requires a filter: ids are answered in the order given.`, { errors });
}

function tooMany(): AppError {
  return new AppError(
    'unprocessable',
    `The filter matches more than ${MAX_BULK} memories. Narrow it, for example with before, and repeat the call.`,
  );
}
