import type { ItemType } from '../../contract/search.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import { type Random, systemRandom } from '../../lib/random.ts';
import {
  addTotals,
  deleteEmptyTotals,
  findTotals,
  VERSION_CHARACTERS,
  type WordTotals,
  type WordTotalsRow,
} from './word-totals-store.ts';

export type { WordTotals };

/** Enough that no version ever returns, even in a database that was restored from a backup. */
const VERSION_BYTES = (VERSION_CHARACTERS * 3) / 4;

/** A document that enters or leaves an index, or a passage whose first message enters or last one leaves. */
export type TotalsChange = Omit<WordTotalsRow, 'type' | 'version'>;

/**
 * Changes the totals that BM25 is computed from, in the transaction of the change. They are the user's own: scores must
 * not depend on the texts of others. Returns the version that the change gives to the indexes.
 */
export async function changeTotals(
  connection: Connection,
  type: ItemType,
  changes: readonly TotalsChange[],
  random: Random = systemRandom,
): Promise<string> {
  const sums = new Map<string, WordTotalsRow>();
  for (const { tenantId, scope, documents, words, passages } of changes) {
    const key = `${tenantId} ${scope}`;
    const sum = sums.get(key) ?? { tenantId, scope, type, documents: 0, words: 0, passages: 0 };
    sums.set(key, {
      ...sum,
      documents: sum.documents + documents,
      words: sum.words + words,
      passages: sum.passages + passages,
    });
  }
  const version = random.bytes(VERSION_BYTES).toString('base64url');
  await addTotals(connection, [...sums.values()], version);
  for (const sum of sums.values()) if (sum.documents < 0) await deleteEmptyTotals(connection, sum);
  return version;
}

/** The opposite change. */
export function negated({ tenantId, scope, documents, words, passages }: TotalsChange): TotalsChange {
  return { tenantId, scope, documents: -documents, words: -words, passages: -passages };
}

/** The totals of a user by type; a type without documents is missing. */
export async function readTotals(
  reader: Reader,
  { tenantId, scope }: { tenantId: string; scope: number },
): Promise<ReadonlyMap<ItemType, WordTotals>> {
  const rows = await findTotals(reader, tenantId, scope);
  return new Map(rows.map((row) => [row.type as ItemType, row]));
}
