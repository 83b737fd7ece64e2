import type { ItemType } from '../../contract/search.ts';
import type { Connection } from '../../db/connection.ts';
import { PASSAGE_MESSAGES } from './passages.ts';
import { INDEX_OF, lengthOfHex, ROWS_OF } from './text-index-documents-sqlite.ts';
import type { TotalsChange, WordTotals } from './word-totals.ts';

const MAX_PROBLEMS = 20;
const NOTHING: WordTotals = { documents: 0, words: 0, passages: 0 };

/** Lists differences between index and rows; if there are none, those of the totals. Reads the whole index. */
export async function indexProblems(connection: Connection, type: ItemType): Promise<string[]> {
  const index = INDEX_OF[type];
  await connection.run(`INSERT INTO ${index} (${index}) VALUES ('integrity-check')`);
  const rows = await connection.all<{ number: number; missing: string }>(
    `SELECT number, 'index' AS missing FROM ${ROWS_OF[type]} WHERE number NOT IN (SELECT id FROM ${index}_docsize)
       AND number NOT IN (SELECT number FROM textsToIndex WHERE type = ?)
     UNION ALL SELECT id, 'row' FROM ${index}_docsize WHERE id NOT IN (SELECT number FROM ${ROWS_OF[type]}) LIMIT ?`,
    [type, MAX_PROBLEMS],
  );
  if (rows.length === 0) return totalsProblems(connection, type);
  return rows.map(({ number, missing }) => `${type} ${number} has no ${missing} entry`);
}

async function totalsProblems(connection: Connection, type: ItemType): Promise<string[]> {
  const rows = await connection.all<TotalsChange>('SELECT * FROM wordTotals WHERE type = ?', [type]);
  const stored = new Map(rows.map((row) => [keyOf(row), row]));
  const counted = await countTotals(connection, type);
  const keys = [...new Set([...stored.keys(), ...counted.keys()])];
  const differing = keys.flatMap((key) => {
    const [is, should] = [stored.get(key) ?? NOTHING, counted.get(key) ?? NOTHING].map(describe);
    return is === should ? [] : [`the ${type} totals of ${key} are ${is}, and should be ${should}`];
  });
  return differing.slice(0, MAX_PROBLEMS);
}

/** Counts what the totals should be, from index and rows. */
async function countTotals(connection: Connection, type: ItemType): Promise<Map<string, WordTotals>> {
  const documents = `${INDEX_OF[type]}_docsize d CROSS JOIN ${ROWS_OF[type]} r ON r.number = d.id`;
  const lengths = await connection.all<{ tenantId: string; scope: number; length: string; documents: number }>(
    `SELECT r.tenantId, r.scope, HEX(d.sz) AS length, COUNT(*) AS documents FROM ${documents}
     GROUP BY r.tenantId, r.scope, d.sz`,
  );
  const totals = new Map<string, WordTotals>();
  for (const { length, documents: count, ...user } of lengths) {
    const sum = totals.get(keyOf(user)) ?? NOTHING;
    const words = sum.words + count * lengthOfHex(length);
    totals.set(keyOf(user), { documents: sum.documents + count, words, passages: 0 });
  }
  if (type !== 'message') return totals;
  const passages = await connection.all<{ tenantId: string; scope: number; passages: number }>(
    `SELECT r.tenantId, r.scope, COUNT(DISTINCT d.id / ?) AS passages FROM ${documents} GROUP BY r.tenantId, r.scope`,
    [PASSAGE_MESSAGES],
  );
  for (const user of passages) totals.set(keyOf(user), { ...totals.get(keyOf(user))!, passages: user.passages });
  return totals;
}

function keyOf({ tenantId, scope }: { tenantId: string; scope: number }): string {
  return `${tenantId}, user ${scope}`;
}

function describe({ documents, words, passages }: WordTotals): string {
  return `${documents} documents, ${words} words, ${passages} passages`;
}
