import type { ItemType } from '../../contract/search.ts';
import type { Connection } from '../../db/connection.ts';
import { runInSlices } from '../../lib/time-slices.ts';
import { type DocumentTerms, termsInSteps } from './document-terms.ts';
import { PASSAGE_MESSAGES, passageOf } from './passages.ts';
import { appendEntries, type ListedTerms, removeEntries } from './posting-chunks-postgres.ts';
import { indexProblems } from './text-index-check-postgres.ts';
import type { IndexedDocument, IndexedRow, TextIndexEngine } from './text-index-engine.ts';

/** Tables of documents and of posting chunks. */
export const textIndexPostgres: TextIndexEngine = {
  async insert(connection, type, rows) {
    const documents = await runInSlices(termsInSteps(rows), 'urgent');
    await insertDocuments(connection, type, documents);
    await appendEntries(connection, type, documents);
    return documents.map(({ row: { tenantId, scope, number }, length: words }) => {
      return { tenantId, scope, number, documents: 1, words, passages: 0 };
    });
  },
  async documents(connection, type, rows) {
    const found = await connection.all<{ tenantId: string; number: number; length: number }>(
      `SELECT d.tenantId, d.number, d.length FROM ${listedDocuments}`,
      [listOf(rows), type],
    );
    const lengths = new Map(found.map(({ tenantId, number, length }) => [keyOf(tenantId, number), length]));
    return rows.flatMap(({ tenantId, scope, number }): IndexedDocument[] => {
      const words = lengths.get(keyOf(tenantId, number));
      return words === undefined ? [] : [{ tenantId, scope, number, documents: 1, words, passages: 0 }];
    });
  },
  async emptyPassages(connection, rows) {
    const byPassage = new Map(rows.map((row) => [keyOf(row.tenantId, passageOf(row.number)), row]));
    const passages = [...byPassage.values()].map(({ tenantId, number }) => {
      const passage = passageOf(number);
      return { tenantId, passage, start: passage * PASSAGE_MESSAGES, beyond: (passage + 1) * PASSAGE_MESSAGES };
    });
    const empty = await connection.all<{ tenantId: string; passage: number }>(
      `SELECT r.tenantId, r.passage FROM ${listedRows('passage bigint, start bigint, beyond bigint')}
       LEFT JOIN LATERAL (SELECT d.number FROM textDocuments d WHERE d.tenantId = r.tenantId AND d.type = 'message'
         AND d.number >= r.start AND d.number < r.beyond LIMIT 1) d ON TRUE
       WHERE d.number IS NULL`,
      [JSON.stringify(passages)],
    );
    return empty.map(({ tenantId, passage }) => {
      const { scope } = byPassage.get(keyOf(tenantId, passage))!;
      return { tenantId, scope, documents: 0, words: 0, passages: 1 };
    });
  },
  async remove(connection, type, rows) {
    if (rows.length > 0) await removeEntries(connection, type, await deleteDocuments(connection, type, rows));
  },
  // Removal rewrites the chunks: no row holds a word of a removed document.
  purge: async () => false,
  // Writes seal full chunks themselves.
  tidy: async () => {},
  problems: indexProblems,
};

/** A bound JSON list of rows of tenants, as the relation `r`. */
function listedRows(columns: string): string {
  return `json_to_recordset(CAST(? AS json)) AS r(tenantId text, ${columns})`;
}

/**
 * Those of the bound rows that are in the index (`d`). OFFSET 0 keeps the planner from reading all documents instead of
 * looking up each, which it does while the table has no statistics.
 */
const listedDocuments = `${listedRows('number bigint')} JOIN LATERAL (SELECT *, ctid FROM textDocuments d
  WHERE d.tenantId = r.tenantId AND d.type = ? AND d.number = r.number OFFSET 0) d ON TRUE`;

/** Returns the values bound to `listedDocuments`. */
function listOf(rows: readonly IndexedRow[]): string {
  return JSON.stringify(rows.map(({ tenantId, number }) => ({ tenantId, number })));
}

function keyOf(tenantId: string, number: number): string {
  return `${tenantId} ${number}`;
}

async function insertDocuments(
  connection: Connection,
  type: ItemType,
  documents: readonly DocumentTerms[],
): Promise<void> {
  const rows = documents.map(({ row: { tenantId, number, prefix }, length, frequencies }) => {
    return { tenantId, number, prefix, length, terms: [...frequencies.keys()].join(' ') };
  });
  await connection.run(
    `INSERT INTO textDocuments (tenantId, type, number, prefix, length, terms)
     SELECT r.tenantId, ?, r.number, r.prefix, r.length, r.terms
     FROM ${listedRows('number bigint, prefix text, length bigint, terms text')}`,
    [type, JSON.stringify(rows)],
  );
}

/** Deletes documents and returns the terms that they were listed under. */
async function deleteDocuments(
  connection: Connection,
  type: ItemType,
  rows: readonly IndexedRow[],
): Promise<ListedTerms[]> {
  return connection.all<ListedTerms>(
    `DELETE FROM textDocuments WHERE ctid = ANY (ARRAY(SELECT d.ctid FROM ${listedDocuments}))
     RETURNING tenantId, number, prefix, terms`,
    [listOf(rows), type],
  );
}
