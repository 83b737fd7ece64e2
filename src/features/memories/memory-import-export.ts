import { AppError } from '../../contract/errors.ts';
import type { ImportOutcome, SkipReason } from '../../contract/import-outcome.ts';
import type { PortableMemory } from '../../contract/portability.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import type { BoundedMap } from '../../lib/bounded-map.ts';
import type { Principal } from '../keys/keys.ts';
import type { ItemTexts, PreparedTerms } from '../text/prepared-terms.ts';
import type { Scopes } from '../text/scopes.ts';
import type { TextIndex } from '../text/text-indices.ts';
import { findByExternalId, findSameContent, insertVersions } from './memories-store.ts';
import { contentKeyOf, externalKeyOf } from './memory-add-plan.ts';
import type { MemoryErasing } from './memory-erasure.ts';
import { findPresent, listAllVersions, updateSuccessors, type VersionFilter } from './memory-import-export-store.ts';
import { insertLookups } from './memory-lookups-store.ts';
import {
  contentHashOf,
  derivedOf,
  hasExpired,
  isLive,
  memoryCodec,
  type NewMemoryRow,
  storedEntryOf,
  textsOf,
} from './memory-row.ts';

/** A memory to import: all its versions, oldest first. */
export type MemoryDraft = Omit<NewMemoryRow, 'scope'>[];

/** Ids of a file that are not stored, with the id of the same memory in the account; `null` for one that has expired. */
export type StoredIds = Pick<BoundedMap<string, string | null>, 'get' | 'set'>;

/** How memories are imported. */
interface MemoryOptions {
  /** Takes one memory from the quota; a refusal ends the import and the outcomes. */
  take(): AppError | undefined;
  terms: PreparedTerms;
  nowMs: number;
  /** Shared by the batches of a file. */
  storedIds: StoredIds;
}

/** Export and import of memories with their full history. */
export interface MemoryTransfer {
  /** Exports a page of versions, ordered by id and version. */
  read(reader: Reader, filter: VersionFilter): Promise<PortableMemory[]>;
  /**
   * Imports memories in the caller's transaction and returns an outcome for each. A memory whose id, valid content
   * or external id exists is `known`, or left out if the stored one with its id has another and older text; a memory that
   * it superseded names the stored one.
   */
  restore(
    connection: Connection,
    drafts: readonly MemoryDraft[],
    options: MemoryOptions,
  ): Promise<{ outcomes: ImportOutcome[]; quotaError: AppError | undefined }>;
}

interface Parts {
  text: TextIndex;
  scopes: Scopes;
  erasing: MemoryErasing;
}

/** A file must not overwrite what the account has, but its newer text must not go unnoticed either. */
const OTHER_TEXT: SkipReason = { reason: 'left out: the account has another text of it', fault: false };

/** The outcomes and writes of an import. */
interface Plan {
  outcomes: ImportOutcome[];
  added: MemoryDraft[];
  storedIds: Map<string, string | null>;
  /** Ids of expired memories to erase, because they conflict with imported ones. */
  expired: Set<string>;
  quotaError: AppError | undefined;
}

/** Exports and imports the memories of an account. */
export function createMemoryTransfer({ text, scopes, erasing }: Parts): MemoryTransfer {
  async function plan(
    connection: Connection,
    tenantId: string,
    drafts: readonly MemoryDraft[],
    { take, nowMs }: MemoryOptions,
  ): Promise<Plan> {
    const ids = drafts.map(([first]) => first!.id);
    const byId = new Map((await findPresent(connection, tenantId, ids)).map((row) => [row.id, row]));
    const live = drafts.map(currentOf).filter(isLive);
    const byKey = new Map((await findSameContent(connection, live)).map((row) => [contentKeyOf(row), row]));
    const keys = live.flatMap(({ endUser, externalId }) =>
      externalId === null ? [] : [{ tenantId, endUser, externalId }],
    );
    for (const row of await findByExternalId(connection, keys)) byKey.set(externalKeyOf(row), row);
    const planned: Plan = { outcomes: [], added: [], storedIds: new Map(), expired: new Set(), quotaError: undefined };
    const seen = new Map<string, string>();
    const findStoredId = (row: MemoryDraft[number]): string | undefined => {
      const existing = [byId.get(row.id), ...uniqueKeysOf(row).map((key) => byKey.get(key))];
      const stale = existing.flatMap((other) => (other && hasExpired(other, nowMs) ? other.id : []));
      for (const id of stale) planned.expired.add(id);
      const stored = existing.find((other) => other !== undefined && !hasExpired(other, nowMs));
      const inFile = [row.id, ...uniqueKeysOf(row)].find((key) => seen.has(key));
      return stored?.id ?? (inFile === undefined ? undefined : seen.get(inFile));
    };
    const hasNewerText = (row: MemoryDraft[number]): boolean => {
      const stored = byId.get(row.id);
      if (stored === undefined || byKey.has(contentKeyOf(row))) return false;
      return stored.contentHash !== row.contentHash && stored.updatedAt < row.updatedAt;
    };
    for (const draft of drafts) {
      const row = currentOf(draft);
      if (hasExpired(row, nowMs)) {
        planned.outcomes.push({ reason: 'left out: expired', fault: false });
        if (!byId.has(row.id)) planned.storedIds.set(row.id, null);
        continue;
      }
      const storedId = findStoredId(row);
      if (storedId !== undefined) {
        planned.outcomes.push(hasNewerText(row) ? OTHER_TEXT : 'known');
        if (storedId !== row.id) planned.storedIds.set(row.id, storedId);
      } else {
        planned.quotaError = take();
        if (planned.quotaError) break;
        for (const key of [row.id, ...uniqueKeysOf(row)]) seen.set(key, row.id);
        planned.added.push(draft);
        planned.outcomes.push('added');
      }
    }
    return planned;
  }

  return {
    async read(reader, filter) {
      const rows = await listAllVersions(reader, filter);
      return rows.map((row) => {
        const { author, ...memory } = memoryCodec.toPortable(
          row.supersederExpired === 1 ? { ...row, supersededBy: null } : row,
        );
        return { type: 'memory', ...memory, ...(author && { author }) };
      });
    },
    async restore(connection, drafts, options) {
      const [tenantId = ''] = drafts.map(([first]) => first!.tenantId);
      const planned = await plan(connection, tenantId, drafts, options);
      const { outcomes, added, expired, quotaError } = planned;
      for (const id of expired) await erasing.eraseOne(connection, tenantId, id);
      const scopeOf = await scopes.ensure(connection, added.map(currentOf));
      for (const [id, storedId] of planned.storedIds) options.storedIds.set(id, storedId);
      const successorOf = ({ supersededBy }: MemoryDraft[number]) => {
        const storedId = supersededBy === null ? null : options.storedIds.get(supersededBy);
        return storedId === undefined ? supersededBy : storedId;
      };
      const rows = added.flat().map((row) => ({ ...row, scope: scopeOf(row), supersededBy: successorOf(row) }));
      const inserted = await insertVersions(connection, rows);
      const numbers = new Map(inserted.map(({ id, version, number }) => [`${id} ${version}`, number]));
      await text.insert(
        connection,
        rows.map((row) => {
          const number = numbers.get(`${row.id} ${row.version}`)!;
          return storedEntryOf({ ...row, number });
        }),
        options.terms,
      );
      await updateSuccessors(connection, tenantId, planned.storedIds);
      await insertLookups(connection, added.map(currentOf));
      return { outcomes, quotaError };
    },
  };
}

/** The texts that importing a memory indexes: one per version. */
export function indexedTextsOf(draft: MemoryDraft): ItemTexts[] {
  return draft.map(textsOf);
}

/** Makes a draft of converted versions. Throws `invalid_request` if they do not form the history of one memory. */
export function memoryDraftOf(rows: readonly MemoryDraft[number][]): MemoryDraft {
  rows.forEach((row, index) => {
    const next = rows[index + 1];
    if (next ? row.validTo === null : row.validTo === null && row.supersededBy !== null) {
      throw invalidHistory('validTo', `of version ${row.version} is missing`);
    }
    if (next && next.version <= row.version) throw invalidHistory('version', 'does not increase from line to line');
    if (next && next.endUser !== row.endUser) throw invalidHistory('user', 'differs in a later version');
  });
  return rows.map((row, index) => (index === rows.length - 1 ? { ...row, current: 1 } : row));
}

/** Converts a version, as if it were not the last one, written by who imports it. Throws `invalid_request`. */
export function versionRowOf(
  { tenantId, author = null }: Pick<Principal, 'tenantId' | 'author'>,
  version: PortableMemory,
): MemoryDraft[number] {
  const row = memoryCodec.fromPortable(version);
  return {
    ...row,
    ...derivedOf(row.content, row.occurredAt, row.createdAt),
    tenantId,
    author,
    current: 0,
    contentHash: contentHashOf(row.content),
  };
}

function currentOf(draft: MemoryDraft): MemoryDraft[number] {
  return draft.at(-1)!;
}

/** The keys that no other valid memory may have. */
function uniqueKeysOf(row: MemoryDraft[number]): string[] {
  if (!isLive(row)) return [];
  return [contentKeyOf(row), ...(row.externalId === null ? [] : [externalKeyOf(row)])];
}

function invalidHistory(path: string, message: string): AppError {
  return new AppError('invalid_request', `${path} ${message}.`, { errors: [{ path, message }] });
}
