import { AppError } from '../../contract/errors.ts';
import type { ChangedMemory, ExternalMemory, Memory } from '../../contract/memories.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';
import { requireMatch } from '../idempotency/precondition.ts';
import type { Principal } from '../keys/keys.ts';
import type { Usage } from '../limits/usage.ts';
import { type PreparedTerms, partlyIndexed, writeWithTerms } from '../text/prepared-terms.ts';
import type { Scopes } from '../text/scopes.ts';
import type { TextIndex } from '../text/text-indices.ts';
import { findByExternalId, findSameContent } from './memories-store.ts';
import type { MemoryAdding } from './memory-add.ts';
import { changeMemory, externalIdTaken } from './memory-change.ts';
import type { MemoryErasing } from './memory-erasure.ts';
import {
  contentHashOf,
  etagOf,
  hasExpired,
  type MemoryRow,
  memoryCodec,
  type NewMemoryRow,
  saidAtOf,
  textsOf,
  toMemory,
} from './memory-row.ts';

/** A memory addressed by the caller's own id; `user` defaults to `default`. */
interface ExternalKey {
  externalId: string;
  user?: string | undefined;
}

/** Memories by external id. A superseded memory no longer has one. */
export interface ExternalMemories {
  /** Throws `not_found`. */
  get(principal: Principal, key: ExternalKey): Promise<Memory>;
  /**
   * Adds the memory, or replaces every field that a caller can set; a replacement without effect adds no version. A memory
   * with the same content and no external id is replaced too. Throws `conflict` if another memory has the content,
   * `precondition_failed` and `quota_exceeded`.
   */
  put(
    principal: Principal,
    externalId: string,
    memory: ExternalMemory,
    ifMatch?: string,
  ): Promise<{ memory: ChangedMemory; isNew: boolean }>;
  /** Erases the memory with its history. Throws `not_found` and `precondition_failed`. */
  remove(principal: Principal, key: ExternalKey, ifMatch?: string): Promise<void>;
}

interface Parts {
  db: Database;
  clock: Clock;
  usage: Usage;
  text: TextIndex;
  scopes: Scopes;
  adding: MemoryAdding;
  erasing: MemoryErasing;
}

/** Reads, stores and erases memories by external id. */
export function createExternalMemories({ db, clock, usage, text, scopes, adding, erasing }: Parts): ExternalMemories {
  const { eraseOne } = erasing;

  async function find(reader: Reader, tenantId: string, { externalId, user = 'default' }: ExternalKey) {
    const [row] = await findByExternalId(reader, [{ tenantId, endUser: user, externalId }]);
    return row && !hasExpired(row, clock.nowMs()) ? row : undefined;
  }

  async function putWithin(
    connection: Connection,
    principal: Principal,
    memory: ExternalMemory & { externalId: string },
    terms: PreparedTerms,
    ifMatch: string | undefined,
  ): Promise<{ memory: ChangedMemory; isNew: boolean }> {
    const { tenantId } = principal;
    const given = memoryCodec.fromNew(memory, '');
    const held = await find(connection, tenantId, memory);
    requireMatch(ifMatch, held && etagOf(toMemory(held)), 'memory');
    const row = held ?? (await findUnnamed(connection, { tenantId, ...given }, clock.nowMs()));
    if (!row) {
      const [added] = await adding.addWithin(connection, principal, [memory], terms);
      return { memory: added!, isNew: true };
    }
    const isSame = (Object.keys(given) as (keyof typeof given)[]).every((column) => given[column] === row[column]);
    const author = given.content === row.content ? row.author : (principal.author ?? null);
    const replaced = { ...row, ...given, author };
    const saidAt = saidAtOf(row, replaced, { occurredAt: given.occurredAt ?? undefined }, clock.nowMs());
    const changed = isSame ? undefined : { ...replaced, saidAt };
    const store = () => changeMemory(connection, { text, terms, eraseOne }, row, changed, clock.nowMs());
    const next = await usage.storage.within(connection, tenantId, store);
    return { memory: { ...toMemory(next), ...partlyIndexed(terms, textsOf(next)) }, isNew: false };
  }

  return {
    async get({ tenantId }, key) {
      return toMemory(requirePresent(await find(db.lookups, tenantId, key)));
    },
    async put(principal, externalId, memory, ifMatch) {
      const { tenantId } = principal;
      requireSameId(externalId, memory);
      const given = memoryCodec.fromNew({ ...memory, externalId }, '');
      const stored = await writeWithTerms(tenantId, [textsOf(given)], (terms) =>
        db.writes.write(tenantId, (connection) =>
          putWithin(connection, principal, { ...memory, externalId }, terms, ifMatch),
        ),
      );
      scopes.confirm([{ tenantId, ...given }]);
      return stored;
    },
    async remove({ tenantId }, key, ifMatch) {
      await db.writes.write(tenantId, async (connection) => {
        const row = requirePresent(await find(connection, tenantId, key));
        requireMatch(ifMatch, etagOf(toMemory(row)), 'memory');
        await eraseOne(connection, tenantId, row.id);
      });
    },
  };
}

/** Finds the memory with the same content. Throws `conflict` if it has an external id. */
async function findUnnamed(
  reader: Reader,
  { tenantId, endUser, content }: Pick<NewMemoryRow, 'tenantId' | 'endUser' | 'content'>,
  nowMs: number,
): Promise<MemoryRow | undefined> {
  const [same] = await findSameContent(reader, [{ tenantId, endUser, contentHash: contentHashOf(content) }]);
  if (!same || hasExpired(same, nowMs)) return undefined;
  if (same.externalId !== null) throw externalIdTaken(same);
  return same;
}

function requireSameId(externalId: string, memory: ExternalMemory): void {
  if (memory.externalId === undefined || memory.externalId === externalId) return;
  const errors = [{ path: '/externalId', message: 'differs from the external id in the path' }];
  throw new AppError('invalid_request', '/externalId differs from the external id in the path.', { errors });
}

function requirePresent(row: MemoryRow | undefined): MemoryRow {
  if (!row) throw new AppError('not_found', 'This user has no memory with this external id.');
  return row;
}
