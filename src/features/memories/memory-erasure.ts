import type { Connection } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import type { Owner } from '../../db/owner.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import { NO_TERMS } from '../text/prepared-terms.ts';
import type { Scopes } from '../text/scopes.ts';
import type { TextIndex } from '../text/text-indices.ts';
import { forgetTextsToIndex } from '../text/text-portions.ts';
import { createTextPurge } from '../text/text-purge.ts';
import { deleteMemory, deleteSomeOf, deleteUses, isExpired, listExpired, updateRedacted } from './memories-store.ts';
import { deleteAllLookupsOf, deleteLookups, insertLookups } from './memory-lookups-store.ts';
import { type MemoryRow, redactedRow, textEntryOf } from './memory-row.ts';

/** Called in the transaction that erases a memory, with the metadata of all its versions. */
export interface MemoryObserver {
  memoryErased(connection: Connection, tenantId: string, id: string, metadata: readonly string[]): Promise<void>;
}

/** Permanent deletion of memories: rows, tags, index entries and stored answers. */
export interface MemoryErasing {
  /** Erases a memory and its history in the caller's transaction. */
  eraseOne(connection: Connection, tenantId: string, id: string): Promise<void>;
  /**
   * Overwrites what a version says, in the row, the index and stored answers, in the caller's transaction. Keeps some of its
   * tags. The version must not be live.
   */
  redactVersion(connection: Connection, row: MemoryRow, tags: readonly string[]): Promise<void>;
  /** Erases expired memories and, when due, purges erased words from the index file. */
  sweep(): Promise<void>;
  /** Erases all memories of an owner in small transactions, so that other writes can interleave. */
  erase(owner: Owner): Promise<void>;
}

interface Parts {
  db: Database;
  clock: Clock;
  idempotency: Idempotency;
  text: TextIndex;
  scopes: Scopes;
  observers: readonly MemoryObserver[];
}

const ERASE_ROWS = 200;

/** Erases memories with their index entries and stored answers, and notifies the observers. */
export function createMemoryErasing({ db, clock, idempotency, text, scopes, observers }: Parts): MemoryErasing {
  const purge = createTextPurge({ db, clock, text });

  async function eraseOne(connection: Connection, tenantId: string, id: string): Promise<void> {
    const versions = await deleteMemory(connection, tenantId, id);
    await text.remove(connection, versions);
    await idempotency.redact(connection, tenantId, [id]);
    const metadata = versions.map((version) => version.metadata);
    for (const observer of observers) await observer.memoryErased(connection, tenantId, id, metadata);
    purge.due();
  }

  async function redactVersion(connection: Connection, row: MemoryRow, tags: readonly string[]): Promise<void> {
    const redacted = redactedRow(row, tags, clock.nowMs());
    await updateRedacted(connection, redacted);
    await text.remove(connection, [row]);
    await text.insert(connection, [textEntryOf(redacted, 'past')], NO_TERMS);
    if (row.current === 1) {
      await deleteLookups(connection, row.tenantId, [row.id]);
      await insertLookups(connection, [redacted]);
    }
    await idempotency.redact(connection, row.tenantId, [row.id]);
    purge.due();
  }

  async function eraseExpired(): Promise<boolean> {
    const nowMs = clock.nowMs();
    const expired = await listExpired(db.readers, nowMs, ERASE_ROWS);
    if (expired.length === 0) return false;
    // Use the tenants' own transactions, in which nobody else changes what depends on the memories.
    await Promise.all(
      expired.map(({ tenantId, id }) =>
        db.writes.write(tenantId, async (connection) => {
          // Its expiry may have been changed since it was listed.
          if (await isExpired(connection, { tenantId, id }, nowMs)) await eraseOne(connection, tenantId, id);
        }),
      ),
    );
    return expired.length === ERASE_ROWS;
  }

  function eraseSomeOf(owner: Owner): Promise<boolean> {
    const { tenantId } = owner;
    return db.writes.write(tenantId, async (connection) => {
      const rows = await deleteSomeOf(connection, owner, ERASE_ROWS);
      await text.remove(connection, rows);
      const ids = [...new Set(rows.map(({ id }) => id))];
      // For a whole account they are deleted at once at the end: batches leave copies in pages of the index.
      if (owner.endUser !== undefined) {
        await deleteLookups(connection, tenantId, ids);
        await deleteUses(connection, tenantId, ids);
      }
      await idempotency.redact(connection, tenantId, ids);
      return rows.length === ERASE_ROWS;
    });
  }

  return {
    eraseOne,
    redactVersion,
    async sweep() {
      while (await eraseExpired());
      await purge.sweep();
    },
    async erase(owner) {
      while (await eraseSomeOf(owner));
      const { tenantId, endUser } = owner;
      if (endUser === undefined) {
        await db.writes.write(tenantId, async (connection) => {
          await deleteAllLookupsOf(connection, tenantId);
          await forgetTextsToIndex(connection, tenantId);
          await scopes.erase(connection, tenantId);
        });
      }
      purge.dueNow();
    },
  };
}
