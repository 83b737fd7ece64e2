import type { ItemType } from '../../contract/search.ts';
import type { Connection } from '../../db/connection.ts';
import { PASSAGE_MESSAGES, passageOf } from './passages.ts';
import type { IndexedDocument, IndexedRow } from './text-index-engine.ts';
import type { TotalsChange } from './word-totals.ts';

/** The full-text index of each type. */
export const INDEX_OF = { memory: 'memoryText', message: 'messageText', episode: 'episodeText' } as const;

/** FTS5 stores the length of a document as a varint of the SQLite file format; this decodes its hexadecimal form. */
export function lengthOfHex(hex: string): number {
  let value = 0;
  for (const byte of Buffer.from(hex, 'hex')) value = value * 128 + (byte & 0x7f);
  return value;
}

/** The contribution of each indexed row to the totals. */
export async function findDocuments(
  connection: Connection,
  type: ItemType,
  rows: readonly IndexedRow[],
): Promise<IndexedDocument[]> {
  const found = await connection.all<{ number: number; length: string }>(
    `SELECT d.id AS number, HEX(d.sz) AS length FROM numbers(?) n
     CROSS JOIN ${INDEX_OF[type]}_docsize d ON d.id = n.value`,
    [JSON.stringify(rows.map(({ number }) => number))],
  );
  const lengths = new Map(found.map(({ number, length }) => [number, lengthOfHex(length)]));
  return rows.flatMap(({ tenantId, scope, number }) => {
    const words = lengths.get(number);
    return words === undefined ? [] : [{ tenantId, scope, number, documents: 1, words, passages: 0 }];
  });
}

/** The passages of these rows that the index has no message of, as changes of the totals. */
export async function findEmptyPassages(connection: Connection, rows: readonly IndexedRow[]): Promise<TotalsChange[]> {
  const byPassage = new Map(rows.map((row) => [passageOf(row.number), row]));
  const empty = await connection.all<{ passage: number }>(
    `SELECT p.value AS passage FROM numbers(?) p WHERE NOT EXISTS
       (SELECT 1 FROM messageText_docsize WHERE id >= p.value * ? AND id < (p.value + 1) * ?)`,
    [JSON.stringify([...byPassage.keys()]), PASSAGE_MESSAGES, PASSAGE_MESSAGES],
  );
  return empty.map(({ passage }) => {
    const { tenantId, scope } = byPassage.get(passage)!;
    return { tenantId, scope, documents: 0, words: 0, passages: 1 };
  });
}
