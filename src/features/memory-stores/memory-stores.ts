import { AppError } from '../../contract/errors.ts';
import type { Memory } from '../../contract/memories.ts';
import type {
  MemoryStore,
  MemoryStoreChange,
  MemoryStorePage,
  MemoryStoresQuery,
  NewMemoryStore,
} from '../../contract/memory-stores.ts';
import type { Connection } from '../../db/connection.ts';
import { parseInstant } from '../../db/row-codec.ts';
import { toTimestamp } from '../../lib/clock.ts';
import type { Claim, Created } from '../idempotency/idempotency.ts';
import { type PreparedTerms, writeWithTerms } from '../text/prepared-terms.ts';
import { noStore } from './store-conflicts.ts';
import { createStoreFiles, type StoreFiles } from './store-files.ts';
import { isMadeStore } from './store-ids.ts';
import type { MemoryStoresParts, StoreCaller } from './store-parts.ts';
import {
  archivedAtOf,
  archivingTag,
  createStoreRecords,
  fieldsOf,
  RECORD,
  recordOf,
  type StoreFields,
  toStore,
} from './store-records.ts';
import { createStoreVersions, type StoreVersions } from './store-versions.ts';

/**
 * Memory stores as Anthropic's SDK speaks them, on top of memories. A store is a user; what is said about it is a memory
 * of that user, and so is each of its files. Ids that are unknown or of another tenant are `not_found`.
 */
export interface MemoryStores {
  /** Creates a user. Throws `quota_exceeded`. */
  createOnce(caller: StoreCaller, store: NewMemoryStore, claim: Claim | undefined): Promise<Created<MemoryStore>>;
  list(caller: StoreCaller, query: MemoryStoresQuery): Promise<MemoryStorePage>;
  get(caller: StoreCaller, storeId: string): Promise<MemoryStore>;
  /** Throws `conflict` for an archived store, and `quota_exceeded`. */
  change(caller: StoreCaller, storeId: string, change: MemoryStoreChange): Promise<MemoryStore>;
  /** Idempotent. */
  archive(caller: StoreCaller, storeId: string): Promise<MemoryStore>;
  /** Erases a user that `create` created. Throws `conflict` for any other. */
  remove(caller: StoreCaller, storeId: string): Promise<void>;
  files: StoreFiles;
  versions: StoreVersions;
}

/** Composes stores, their files and the versions of those. */
export function createMemoryStores(parts: MemoryStoresParts): MemoryStores {
  const { db, clock, ids, scopes, idempotency, memories, users, mask } = parts;
  const records = createStoreRecords(parts);

  async function masked(tenantId: string, { name, description, metadata }: StoreFields): Promise<StoreFields> {
    return { name: await mask(tenantId, name), description: await mask(tenantId, description), metadata };
  }

  async function write(
    tenantId: string,
    user: string,
    run: (connection: Connection, terms: PreparedTerms) => Promise<Memory>,
  ): Promise<MemoryStore> {
    const record = await writeWithTerms(tenantId, [], (terms) =>
      db.writes.write(tenantId, (connection) => run(connection, terms)),
    );
    scopes.confirm([{ tenantId, endUser: user }]);
    return toStore(user, record, record.createdAt);
  }

  async function store(
    connection: Connection,
    caller: StoreCaller,
    user: string,
    record: Memory | undefined,
    { tags = [], ...fields }: Partial<Pick<Memory, 'content' | 'metadata' | 'tags'>>,
    terms: PreparedTerms,
  ): Promise<Memory> {
    if (record) {
      return memories.changeWithin(connection, caller, record.id, { ...fields, addTags: tags }, terms);
    }
    const made = {
      ...recordOf(fieldsOf(user, undefined)),
      ...fields,
      user,
      externalId: RECORD,
      tags: [RECORD, ...tags],
    };
    const [added] = await memories.addWithin(connection, caller, [made], terms);
    if (!added!.duplicate) return added!;
    throw new AppError('conflict', `The memory ${added!.id} has this name and description. Choose others.`);
  }

  return {
    async createOnce(caller, { name, description = '', metadata = {} }, claim) {
      const { tenantId } = caller;
      const fields = recordOf(await masked(tenantId, { name, description, metadata }));
      const user = ids.next('memstore');
      const created = await writeWithTerms(tenantId, [], (terms) =>
        db.writes.write(tenantId, (connection) =>
          idempotency.replayOrRun(connection, claim, async () => {
            const record = await store(connection, caller, user, undefined, fields, terms);
            return { status: 200, body: toStore(user, record, record.createdAt), resourceIds: [record.id] };
          }),
        ),
      );
      scopes.confirm([{ tenantId, endUser: user }]);
      return created;
    },
    async list(caller, { limit = 20, page, include_archived = false, ...created }) {
      const { data, nextCursor } = await users.list(caller, { limit, ...(page !== undefined && { cursor: page }) });
      const reader = db.readers.of(caller.tenantId);
      const found = await records.findAll(
        reader,
        caller.tenantId,
        data.map(({ user }) => user),
      );
      const fromMs = parseInstant(created['created_at[gte]'], 'created_at[gte]') ?? Number.NEGATIVE_INFINITY;
      const toMs = parseInstant(created['created_at[lte]'], 'created_at[lte]') ?? Number.POSITIVE_INFINITY;
      const stores = data.flatMap(({ user, firstSeenAt }) => {
        const record = found.get(user);
        return record || firstSeenAt !== null ? [toStore(user, record, firstSeenAt ?? '')] : [];
      });
      const isListed = ({ archived_at, created_at }: MemoryStore) =>
        (include_archived || archived_at === null) &&
        Date.parse(created_at) >= fromMs &&
        Date.parse(created_at) <= toMs;
      return { data: stores.filter(isListed), next_page: nextCursor };
    },
    async get(caller, storeId) {
      const user = records.userOf(storeId);
      const record = await records.find(db.readers.of(caller.tenantId), caller.tenantId, user);
      if (record) return toStore(user, record, record.createdAt);
      const {
        user: { firstSeenAt },
      } = await users.get(caller, user).catch((error: unknown) => {
        throw error instanceof AppError && error.code === 'not_found' ? noStore() : error;
      });
      if (firstSeenAt === null) throw noStore();
      return toStore(user, undefined, firstSeenAt);
    },
    async change(caller, storeId, change) {
      const { tenantId } = caller;
      const user = records.userOf(storeId);
      const given = { name: change.name ?? undefined, description: change.description ?? undefined };
      const name = given.name === undefined ? undefined : await mask(tenantId, given.name);
      const description = given.description === undefined ? undefined : await mask(tenantId, given.description);
      return write(tenantId, user, async (connection, terms) => {
        const record = await records.requireWritable(connection, tenantId, user);
        const before = fieldsOf(user, record);
        const pairs = Object.entries({ ...before.metadata, ...change.metadata });
        const metadata = Object.fromEntries(pairs.filter((pair): pair is [string, string] => pair[1] !== null));
        const fields = { name: name ?? before.name, description: description ?? before.description, metadata };
        return store(connection, caller, user, record, recordOf(fields), terms);
      });
    },
    async archive(caller, storeId) {
      const { tenantId } = caller;
      const user = records.userOf(storeId);
      return write(tenantId, user, async (connection, terms) => {
        const record = await records.require(connection, tenantId, user);
        if (record && archivedAtOf(record) !== null) return record;
        const tags = [archivingTag(toTimestamp(clock.nowMs()))];
        return store(connection, caller, user, record, { tags }, terms);
      });
    },
    async remove(caller, storeId) {
      const user = records.userOf(storeId);
      await records.require(db.readers.of(caller.tenantId), caller.tenantId, user);
      if (!isMadeStore(user)) {
        const path = `/v1/users/${encodeURIComponent(user)}`;
        throw new AppError(
          'conflict',
          `This store is a user with all that is stored of it. Erase it by DELETE ${path}.`,
        );
      }
      await users.erase(caller, user);
    },
    files: createStoreFiles({ ...parts, records }),
    versions: createStoreVersions({ ...parts, records }),
  };
}
