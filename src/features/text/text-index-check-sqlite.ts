import type { ItemType } from '../../contract/search.ts';
import type { Connection } from '../../db/connection.ts';
import { tableProblems } from '../../db/integrity.ts';
import { PASSAGE_MESSAGES } from './passages.ts';
import { differingTotals, MAX_PROBLEMS, ROWS_OF } from './text-index-check.ts';
import { INDEX_OF, lengthOfHex } from './text-index-documents-sqlite.ts';
import type { TotalsChange } from './word-totals.ts';

/** Lists differences between index and rows; if there are none, those of the totals. Reads the whole index. */
export async function indexProblems(connection: Connection, type: ItemType): Promise<string[]> {
  const index = INDEX_OF[type];
  const corruption = await tableProblems(connection, index);
  if (corruption.length > 0) return corruption;
  const rows = await connection.all<{ number: number; missing: string }>(
    `SELECT number, 'index' AS missing FROM ${ROWS_OF[type]} WHERE number NOT IN (SELECT id FROM ${index}_docsize)
       AND number NOT IN (SELECT number FROM textsToIndex WHERE type = ?)
     UNION ALL SELECT id, 'row' FROM ${index}_docsize WHERE id NOT IN (SELECT number FROM ${ROWS_OF[type]}) LIMIT ?`,
    [type, MAX_PROBLEMS],
  );
  if (rows.length > 0) return rows.map(({ number, missing }) => `${type} ${number} has no ${missing} entry`);
  const stored = await connection.all<TotalsChange>('SELECT * FROM wordTotals WHERE type = ?', [type]);
  return differingTotals(type, stored, await countTotals(connection, type));
}

/** Counts what the totals should be, from index and rows. */
async function countTotals(connection: Connection, type: ItemType): Promise<TotalsChange[]> {
  const documents = `${INDEX_OF[type]}_docsize d CROSS JOIN ${ROWS_OF[type]} r ON r.number = d.id`;
  const lengths = await connection.all<{ tenantId: string; scope: number; length: string; documents: number }>(
    `SELECT r.tenantId, r.scope, HEX(d.sz) AS length, COUNT(*) AS documents FROM ${documents}
     GROUP BY r.tenantId, r.scope, d.sz`,
  );
  const totals = new Map<string, TotalsChange>();
  for (const { tenantId, scope, length, documents: count } of lengths) {
    const sum = totals.get(keyOf({ tenantId, scope })) ?? { tenantId, scope, documents: 0, words: 0, passages: 0 };
    const words = sum.words + count * lengthOfHex(length);
    totals.set(keyOf(sum), { ...sum, documents: sum.documents + count, words });
  }
  if (type !== 'message') return [...totals.values()];
  const passages = await connection.all<{ tenantId: string; scope: number; passages: number }>(
    `SELECT r.tenantId, r.scope, COUNT(DISTINCT d.id / ?) AS passages FROM ${documents} GROUP BY r.tenantId, r.scope`,
    [PASSAGE_MESSAGES],
  );
  return passages.map((user) => ({ ...totals.get(keyOf(user))!, passages: user.passages }));
}

function keyOf({ tenantId, scope }: { tenantId: string; scope: number }): string {
  return `${tenantId} ${scope}`;
}
