import type { ItemType } from '../../contract/search.ts';
import type { Connection } from '../../db/connection.ts';
import { PASSAGE_MESSAGES } from './passages.ts';
import { decodeChunk } from './posting-chunks.ts';
import { differingTotals, MAX_PROBLEMS, ROWS_OF } from './text-index-check.ts';
import type { TotalsChange } from './word-totals.ts';

/** Lists differences between documents, postings and rows; if there are none, those of the totals. */
export async function indexProblems(connection: Connection, type: ItemType): Promise<string[]> {
  const rows = ROWS_OF[type];
  const found = await connection.all<{ number: number; missing: string }>(
    `SELECT r.number, 'index' AS missing FROM ${rows} r WHERE NOT EXISTS
       (SELECT 1 FROM textDocuments d WHERE d.tenantId = r.tenantId AND d.type = ? AND d.number = r.number)
       AND NOT EXISTS (SELECT 1 FROM textsToIndex x WHERE x.tenantId = r.tenantId AND x.type = ? AND x.number = r.number)
     UNION ALL SELECT d.number, 'row' FROM textDocuments d WHERE d.type = ? AND NOT EXISTS
       (SELECT 1 FROM ${rows} r WHERE r.tenantId = d.tenantId AND r.number = d.number) LIMIT ?`,
    [type, type, type, MAX_PROBLEMS],
  );
  const problems = found.map(({ number, missing }) => `${type} ${number} has no ${missing} entry`);
  problems.push(...(await postingsProblems(connection, type)));
  if (problems.length > 0) return problems.slice(0, MAX_PROBLEMS);
  const stored = await connection.all<TotalsChange>('SELECT * FROM wordTotals WHERE type = ?', [type]);
  return differingTotals(type, stored, await countTotals(connection, type));
}

/** Documents whose postings do not add up to their length, tenant by tenant. */
async function postingsProblems(connection: Connection, type: ItemType): Promise<string[]> {
  const tenants = await connection.all<{ tenantId: string }>(
    `SELECT tenantId FROM textDocuments WHERE type = ? UNION SELECT tenantId FROM textPostings WHERE type = ?`,
    [type, type],
  );
  const problems: string[] = [];
  for (const { tenantId } of tenants) {
    const lengths = await connection.all<{ number: number; length: number }>(
      'SELECT number, length FROM textDocuments WHERE tenantId = ? AND type = ?',
      [tenantId, type],
    );
    const missing = new Map(lengths.map(({ number, length }) => [number, length]));
    for await (const entries of chunksOf(connection, tenantId, type)) {
      decodeChunk(entries, (number, frequency) => missing.set(number, (missing.get(number) ?? 0) - frequency));
    }
    const wrong = [...missing].filter(([, tokens]) => tokens !== 0).slice(0, MAX_PROBLEMS);
    problems.push(...wrong.map(([number]) => `the postings of ${type} ${number} do not match its length`));
  }
  return problems;
}

const CHUNKS_PER_PAGE = 1000;

async function* chunksOf(connection: Connection, tenantId: string, type: ItemType): AsyncGenerator<Buffer> {
  let [term, first] = ['', 0];
  for (;;) {
    const chunks = await connection.all<{ term: string; first: number; entries: Buffer }>(
      `SELECT term, first, entries FROM textPostings WHERE tenantId = ? AND type = ? AND (term, first) > (?, ?)
       ORDER BY term, first LIMIT ?`,
      [tenantId, type, term, first, CHUNKS_PER_PAGE],
    );
    for (const { entries } of chunks) yield entries;
    if (chunks.length < CHUNKS_PER_PAGE) return;
    ({ term, first } = chunks.at(-1)!);
  }
}

/** Counts what the totals should be, from documents and rows. */
async function countTotals(connection: Connection, type: ItemType): Promise<TotalsChange[]> {
  return connection.all<TotalsChange>(
    `SELECT r.tenantId, r.scope, COUNT(*) AS documents, SUM(d.length) AS words,
       ${type === 'message' ? `COUNT(DISTINCT d.number / ${PASSAGE_MESSAGES})` : '0'} AS passages
     FROM textDocuments d JOIN ${ROWS_OF[type]} r ON r.tenantId = d.tenantId AND r.number = d.number
     WHERE d.type = ? GROUP BY r.tenantId, r.scope`,
    [type],
  );
}
