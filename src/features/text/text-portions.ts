import type { ItemType } from '../../contract/search.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import { createTenantMutex } from '../../lib/tenant-mutex.ts';
import {
  charactersOf,
  type ItemTexts,
  itemsWithout,
  mergeTerms,
  NO_TERMS,
  type PreparedTerms,
  prepareTerms,
} from './prepared-terms.ts';
import { emptyIndex } from './text-index-sqlite.ts';
import { type IndexedRow, type TextEntry, type TextIndex, textIndices } from './text-indices.ts';
import {
  countToIndex,
  deleteAllToIndex,
  deleteToIndex,
  insertAllToIndex,
  insertToIndex,
  listTenantsToIndex,
  listToIndex,
} from './text-portions-store.ts';
import { deleteAllTotals } from './word-totals-store.ts';

/** Indexes long writes in several transactions, so that no other write waits for all of it. */
export interface TextPortions {
  /**
   * In the transaction that stores the rows, with the entries of each write: indexes them, but only the beginning of a
   * long write, whose caller then has to `finish`.
   */
  insert(connection: Connection, writes: readonly (readonly TextEntry[])[], terms: PreparedTerms): Promise<void>;
  /** Indexes the rest of a write of these items, if it is long. */
  finish(tenantId: string, items: readonly ItemTexts[], terms: PreparedTerms): Promise<void>;
  /** Indexes what the last run of the daemon left when it ended. */
  resume(): Promise<void>;
}

/** Forgets what is left of a tenant, in the caller's transaction. */
export async function forgetTextsToIndex(connection: Connection, tenantId: string): Promise<void> {
  await deleteAllToIndex(connection, tenantId);
}

/** Leaves rows, which are stored in the caller's transaction, to the `resume` of their type. */
export async function leaveToIndex(
  connection: Connection,
  type: ItemType,
  rows: readonly { tenantId: string; number: number }[],
): Promise<void> {
  await insertToIndex(connection, type, rows);
}

/** Empties an index of SQLite with its totals, and leaves all rows of its type to `resume`. No daemon may run. */
export async function leaveAllToIndex(connection: Connection, type: ItemType): Promise<void> {
  await emptyIndex(connection, type);
  await deleteAllTotals(connection, type);
  await insertAllToIndex(connection, type);
}

/** Removes rows, indexed or not, in the caller's transaction. */
export async function removeLeft(connection: Connection, type: ItemType, rows: readonly IndexedRow[]): Promise<void> {
  await textIndices[type].remove(connection, rows);
  for (const tenantId of new Set(rows.map((row) => row.tenantId))) {
    const numbers = rows.filter((row) => row.tenantId === tenantId).map(({ number }) => number);
    await deleteToIndex(connection, { tenantId, type }, numbers);
  }
}

/** Counts the rows of all tenants that are not indexed yet. */
export function countLeft(reader: Reader): Promise<number> {
  return countToIndex(reader);
}

interface Parts {
  db: Database;
  type: ItemType;
  text: TextIndex;
  /** The entries of those rows that still exist. */
  findEntries(reader: Reader, tenantId: string, numbers: readonly number[]): Promise<TextEntry[]>;
  portion?: PortionSize;
}

/** The most that one transaction indexes, unless a single text is longer. */
interface PortionSize {
  rows: number;
  characters: number;
}

/** Some milliseconds. */
const SHORT_PORTION: PortionSize = { rows: 64, characters: 32_000 };

/**
 * The rows left are listed in the database, so that a crash between the transactions loses no index entry: the next
 * start resumes. A row that was changed or erased meanwhile is left as its change indexed it.
 */
export function createTextPortions({
  db,
  type,
  text,
  findEntries,
  portion: size = SHORT_PORTION,
}: Parts): TextPortions {
  const mutex = createTenantMutex();

  async function indexAll(tenantId: string, known: PreparedTerms): Promise<void> {
    const owner = { tenantId, type };
    for (;;) {
      const numbers = await listToIndex(db.lookups, owner, size.rows);
      if (numbers.length === 0) return;
      const portion = firstPortion(await findEntries(db.lookups, tenantId, numbers), size);
      const last = portion.at(-1)?.number ?? Number.POSITIVE_INFINITY;
      const texts = portion.map((entry) => entry.texts);
      const terms = mergeTerms([known, await prepareTerms(tenantId, itemsWithout(known, texts))]);
      await db.writes.write(tenantId, async (connection) => {
        const done = numbers.filter((number) => number <= last);
        const entries = await findEntries(connection, tenantId, done);
        await text.insert(connection, await text.missing(connection, entries), terms);
        await deleteToIndex(connection, owner, done);
      });
    }
  }

  return {
    async insert(connection, writes, terms) {
      const portions = writes.map((entries) => firstPortion(entries, size));
      await text.insert(connection, portions.flat(), terms);
      const rest = writes.flatMap((entries, index) => entries.slice(portions[index]!.length));
      await insertToIndex(connection, type, rest);
    },
    async finish(tenantId, items, terms) {
      if (charactersOf(items) <= size.characters) return;
      await mutex.run(tenantId, () => indexAll(tenantId, terms));
    },
    async resume() {
      const tenantIds = await listTenantsToIndex(db.lookups, type);
      for (const tenantId of tenantIds) await indexAll(tenantId, NO_TERMS);
    },
  };
}

/** The first entries, in the order of their numbers, whose texts fit into a transaction; at least one. */
function firstPortion(entries: readonly TextEntry[], size: PortionSize): readonly TextEntry[] {
  let characters = 0;
  const end = entries.findIndex(({ texts }, index) => {
    characters += charactersOf([texts]);
    return index > 0 && characters > size.characters;
  });
  return end === -1 ? entries : entries.slice(0, end);
}
