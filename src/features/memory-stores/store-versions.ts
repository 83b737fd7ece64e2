import { AppError } from '../../contract/errors.ts';
import { ROOT } from '../../contract/memory-paths.ts';
import {
  MAX_FULL_ITEMS,
  type MemoryFileVersion,
  type MemoryFileVersionPage,
  type MemoryFileVersionsQuery,
} from '../../contract/memory-stores.ts';
import { groupTag } from '../../contract/named-items.ts';
import type { Reader } from '../../db/connection.ts';
import { parseInstant } from '../../db/row-codec.ts';
import { toTimestamp } from '../../lib/clock.ts';
import { isLiveMemory, type MemoryRow, redactedAtOf, toMemory } from '../memories/memories.ts';
import { digestOf, fileIn } from './file-content.ts';
import { type FoundVersion, findVersionRows, listFileVersions, type VersionsFilter } from './memory-stores-store.ts';
import { storeIdOf, versionIdOf, versionOfId } from './store-ids.ts';
import type { MemoryStoresParts, StoreCaller } from './store-parts.ts';
import type { StoreRecords } from './store-records.ts';

/** The history of the memories of a store, those that were removed from it included. */
export interface StoreVersions {
  list(caller: StoreCaller, storeId: string, query: MemoryFileVersionsQuery): Promise<MemoryFileVersionPage>;
  get(caller: StoreCaller, storeId: string, versionId: string, view?: View): Promise<MemoryFileVersion>;
  /** Overwrites what a version says. Idempotent. Throws `conflict` for the current version of a memory. */
  redact(caller: StoreCaller, storeId: string, versionId: string): Promise<MemoryFileVersion>;
}

type View = 'basic' | 'full';
type Parts = MemoryStoresParts & { records: StoreRecords };
type Version = FoundVersion & { row: MemoryRow };

/** Lists and redacts the versions of the memories of stores. */
export function createStoreVersions({ db, clock, cursors, memories, suggestions, records }: Parts): StoreVersions {
  async function read(reader: Reader, tenantId: string, user: string, filter: VersionsFilter): Promise<Version[]> {
    const tagged = { tenantId, user, tag: groupTag(ROOT, user), nowMs: clock.nowMs() };
    const found = await listFileVersions(reader, tagged, filter);
    const numbers = [...new Set(found.map(({ number }) => number))];
    const rows = await findVersionRows(reader, tenantId, numbers);
    return found.flatMap((version) => {
      const row = rows.get(version.number);
      return row ? [{ ...version, row }] : [];
    });
  }

  async function find(reader: Reader, tenantId: string, user: string, versionId: string): Promise<Version> {
    await records.require(reader, tenantId, user);
    const named = versionOfId(versionId);
    const [found] = named ? await read(reader, tenantId, user, { ...named, limit: 1 }) : [];
    if (!found) throw new AppError('not_found', 'This memory store has no version with this id.');
    return found;
  }

  return {
    async list({ tenantId }, storeId, query) {
      const { limit = 20, page, view = 'basic', memory_id: memoryId, operation } = query;
      const user = records.userOf(storeId);
      const reader = db.readers.of(tenantId);
      await records.require(reader, tenantId, user);
      if ([query.api_key_id, query.service_account_id, query.session_id].some((author) => author !== undefined)) {
        return { data: [], next_page: null };
      }
      const fromMs = parseInstant(query['created_at[gte]'], 'created_at[gte]');
      const toMs = parseInstant(query['created_at[lte]'], 'created_at[lte]');
      const boundTo = ['memory file versions', tenantId, user, memoryId, operation, fromMs, toMs];
      const after = page === undefined ? undefined : positionIn(cursors.read(page, boundTo));
      const most = view === 'full' ? Math.min(limit, MAX_FULL_ITEMS) : limit;
      const filter = { memoryId, operation, fromMs, toMs, after, limit: most + 1 };
      const cut = cursors.page(await read(reader, tenantId, user, filter), most, boundTo, positionOf);
      return { data: cut.data.map((version) => toVersion(version, view)), next_page: cut.nextCursor };
    },
    async get({ tenantId }, storeId, versionId, view = 'full') {
      const user = records.userOf(storeId);
      return toVersion(await find(db.readers.of(tenantId), tenantId, user, versionId), view);
    },
    async redact({ tenantId }, storeId, versionId) {
      const user = records.userOf(storeId);
      return db.writes.write(tenantId, async (connection) => {
        const { row } = await find(connection, tenantId, user, versionId);
        if (isLiveMemory(row)) {
          throw new AppError('conflict', 'This is the current version. Update or delete the memory first.');
        }
        if (redactedAtOf(row) === undefined) {
          await memories.redactVersionWithin(connection, row, [groupTag(ROOT, user)]);
          await suggestions.redactEarlier(connection, tenantId, row.id);
        }
        return toVersion(await find(connection, tenantId, user, versionId), 'full');
      });
    },
  };
}

function positionOf({ at, id, version }: FoundVersion): string {
  return `${at} ${version} ${id}`;
}

function positionIn(text: string): Pick<FoundVersion, 'at' | 'id' | 'version'> {
  const [at, version, id] = text.split(' ');
  return { at: Number(at), version: Number(version), id: id! };
}

function toVersion({ row, id, version, at, operation }: Version, view: View): MemoryFileVersion {
  const file = fileIn(toMemory(row));
  const hasContent = file !== undefined && operation !== 'deleted';
  return {
    id: versionIdOf(id, version),
    type: 'memory_version',
    memory_store_id: storeIdOf(row.endUser),
    memory_id: id,
    operation,
    path: file?.path ?? null,
    content: hasContent && view === 'full' ? file.text : null,
    ...(hasContent ? digestOf(file.text) : { content_sha256: null, content_size_bytes: null }),
    created_at: toTimestamp(at),
    created_by: null,
    redacted_at: redactedAtOf(row) ?? null,
    redacted_by: null,
  };
}
