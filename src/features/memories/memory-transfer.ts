import { AppError } from '../../contract/errors.ts';
import type { ImportOutcome } from '../../contract/import-outcome.ts';
import type { PortableMemory } from '../../contract/portability.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import type { Scopes } from '../text/scopes.ts';
import type { TextIndex } from '../text/text-index-sqlite.ts';
import { findSameContent, insertTags, insertVersions } from './memories-store.ts';
import { placeOf } from './memory-add-plan.ts';
import type { MemoryErasing } from './memory-erasure.ts';
import { findPresent, listAllVersions, type VersionFilter } from './memory-export-store.ts';
import { contentHashOf, derivedOf, hasExpired, memoryCodec, type NewMemoryRow, textEntryOf } from './memory-row.ts';

/** A memory with all its versions, oldest first, as it is to be brought in. */
export type MemoryDraft = Omit<NewMemoryRow, 'scope'>[];

/** Memories as they leave an account and come into one: every version as it was. */
export interface MemoryTransfer {
  /** A page in the order of id and version. */
  read(reader: Reader, filter: VersionFilter): Promise<PortableMemory[]>;
  /**
   * Brings memories in, in the caller's transaction, one outcome each. Whose id is there or whose content is live already is
   * known. `take` takes one from the quota; where it refuses, the outcomes end there.
   */
  restore(
    connection: Connection,
    drafts: readonly MemoryDraft[],
    take: () => AppError | undefined,
    nowMs: number,
  ): Promise<{ outcomes: ImportOutcome[]; quotaError: AppError | undefined }>;
}

interface Parts {
  text: TextIndex;
  scopes: Scopes;
  erasing: MemoryErasing;
}

/** What is decided before anything is written. */
interface Plan {
  outcomes: ImportOutcome[];
  added: MemoryDraft[];
  /** Those that have expired and stand in the way. */
  expired: Set<string>;
  quotaError: AppError | undefined;
}

/** The face of the memories room for whole accounts. */
export function createMemoryTransfer({ text, scopes, erasing }: Parts): MemoryTransfer {
  async function plan(
    connection: Connection,
    tenantId: string,
    drafts: readonly MemoryDraft[],
    take: () => AppError | undefined,
    nowMs: number,
  ): Promise<Plan> {
    const ids = drafts.map(([first]) => first!.id);
    const present = new Map((await findPresent(connection, tenantId, ids)).map((row) => [row.id, row]));
    const same = await findSameContent(connection, drafts.map(presentOf).filter(isLive));
    const live = new Map(same.map((row) => [placeOf(row), row]));
    const planned: Plan = { outcomes: [], added: [], expired: new Set(), quotaError: undefined };
    const seen = new Set<string>();
    const isKnown = (draft: MemoryDraft): boolean => {
      const row = presentOf(draft);
      const standing = [present.get(row.id), ...(isLive(row) ? [live.get(placeOf(row))] : [])];
      const stale = standing.flatMap((other) => (other && hasExpired(other, nowMs) ? other.id : []));
      for (const id of stale) planned.expired.add(id);
      const inFile = seen.has(row.id) || (isLive(row) && seen.has(placeOf(row)));
      return inFile || standing.some((other) => other !== undefined && !hasExpired(other, nowMs));
    };
    for (const draft of drafts) {
      const row = presentOf(draft);
      if (hasExpired(row, nowMs)) planned.outcomes.push({ reason: 'left out: expired', fault: false });
      else if (isKnown(draft)) planned.outcomes.push('known');
      else {
        planned.quotaError = take();
        if (planned.quotaError) break;
        seen.add(row.id);
        if (isLive(row)) seen.add(placeOf(row));
        planned.added.push(draft);
        planned.outcomes.push('added');
      }
    }
    return planned;
  }

  return {
    async read(reader, filter) {
      const rows = await listAllVersions(reader, filter);
      return rows.map((row) => ({
        type: 'memory',
        ...memoryCodec.toPortable(row.supersederExpired === 1 ? { ...row, supersededBy: null } : row),
      }));
    },
    async restore(connection, drafts, take, nowMs) {
      const [tenantId = ''] = drafts.map(([first]) => first!.tenantId);
      const { outcomes, added, expired, quotaError } = await plan(connection, tenantId, drafts, take, nowMs);
      for (const id of expired) await erasing.eraseOne(connection, tenantId, id);
      const scopeOf = await scopes.ensure(connection, added.map(presentOf));
      const rows = added.flat().map((row) => ({ ...row, scope: scopeOf(row) }));
      const inserted = await insertVersions(connection, rows);
      const numbers = new Map(inserted.map(({ id, version, number }) => [`${id} ${version}`, number]));
      await text.insert(
        connection,
        rows.map((row) => {
          const number = numbers.get(`${row.id} ${row.version}`)!;
          return textEntryOf({ ...row, number }, isLive(row) ? 'live' : 'past');
        }),
      );
      const tagged = added.map(presentOf).flatMap((row) => (JSON.parse(row.tags) as string[]).map((tag) => [row, tag]));
      await insertTags(
        connection,
        (tagged as [MemoryDraft[number], string][]).map(([{ id }, tag]) => ({ tenantId, tag, memoryId: id })),
      );
      return { outcomes, quotaError };
    },
  };
}

/** A memory's versions as they are stored. Throws `invalid_request` where they cannot be those of one memory. */
export function memoryDraftOf(tenantId: string, versions: readonly PortableMemory[]): MemoryDraft {
  const rows = versions.map((version, index) => rowOf(tenantId, version, index === versions.length - 1));
  rows.forEach((row, index) => {
    const next = rows[index + 1];
    if (next ? row.validTo === null : row.validTo === null && row.supersededBy !== null) {
      throw unsound('validTo', `of version ${row.version} is missing`);
    }
    if (next && next.version <= row.version) throw unsound('version', 'does not rise from line to line');
    if (next && next.endUser !== row.endUser) throw unsound('user', 'is another one in a later version');
  });
  return rows;
}

function rowOf(tenantId: string, version: PortableMemory, isLast: boolean): MemoryDraft[number] {
  const row = memoryCodec.fromPortable(version);
  return {
    ...row,
    ...derivedOf(row.content, row.occurredAt, row.createdAt),
    tenantId,
    current: isLast ? 1 : 0,
    contentHash: contentHashOf(row.content),
  };
}

function presentOf(draft: MemoryDraft): MemoryDraft[number] {
  return draft.at(-1)!;
}

function isLive({ current, validTo }: MemoryDraft[number]): boolean {
  return current === 1 && validTo === null;
}

function unsound(path: string, message: string): AppError {
  return new AppError('invalid_request', `${path} ${message}.`, { errors: [{ path, message }] });
}
