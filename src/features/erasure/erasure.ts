import type { Connection } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import type { Owner } from '../../db/owner.ts';

/** A module that holds data of tenants or of their users. */
export interface Erasable {
  /** Erases what an owner has here, in small transactions. Safe to repeat after a crash. */
  erase(owner: Owner): Promise<void>;
  /** Removes the words of what was erased from the disk. */
  sweep?(): Promise<void>;
}

/** Erases an owner from all modules, in their order; `finish` is the last transaction. Safe to repeat after a crash. */
export async function eraseEverywhere(
  { db, erasables }: { db: Database; erasables: readonly Erasable[] },
  owner: Owner,
  finish: (connection: Connection) => Promise<void>,
): Promise<void> {
  for (const erasable of erasables) await erasable.erase(owner);
  await db.writes.write(owner.tenantId, finish);
  // Deleted text survives in the text indexes and the write-ahead log until they are swept and checkpointed.
  for (const erasable of erasables) await erasable.sweep?.();
  await db.emptyLog();
}

/** Runs `erase` for each owner. An owner that fails does not hold up the others: throws the first error after all of them. */
export async function eraseEach<T>(owners: readonly T[], erase: (owner: T) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  for (const owner of owners) await erase(owner).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}
