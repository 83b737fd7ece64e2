import type { ItemType } from '../../contract/search.ts';
import type { Connection } from '../../db/connection.ts';
import { insertRows, listPlaceholders } from '../../db/values.ts';
import { tokenOf } from './terms.ts';
import { indexProblems } from './text-index-check-sqlite.ts';
import { findDocuments, findEmptyPassages, INDEX_OF } from './text-index-documents-sqlite.ts';
import type { TextIndexEngine } from './text-index-engine.ts';

/** Pages that one call of `purge` writes: about 30 ms. */
const PURGE_PAGES = 300;

/** Pages that one call of `tidy` writes: about 15 ms. */
const TIDY_PAGES = 200;

/** Contentless FTS5 tables whose rowid is the row's number. FTS5 starts a new segment whenever rowids do not increase. */
export const textIndexSqlite: TextIndexEngine = {
  async insert(connection, type, rows) {
    // SQLite prefixes the terms: in JavaScript, the copy of a long text would hold the event loop for milliseconds.
    const head = `INSERT INTO ${INDEX_OF[type]} (rowid, body)
      SELECT column1, replace(CAST(column2 AS TEXT), ' ', ' ' || column3) || column4 FROM (`;
    const values = rows.map(({ number, terms, prefix, others }) => {
      return [number, terms, prefix, others.map((term) => ` ${tokenOf(prefix, term)}`).join('')];
    });
    await insertRows(connection, head, values, ')');
    return findDocuments(connection, type, rows);
  },
  documents: findDocuments,
  emptyPassages: findEmptyPassages,
  async remove(connection, type, rows) {
    for (let start = 0; start < rows.length; start += 64) {
      const chunk = rows.slice(start, start + 64).map(({ number }) => number);
      await connection.run(`DELETE FROM ${INDEX_OF[type]} WHERE rowid IN (${listPlaceholders(chunk.length)})`, chunk);
    }
  },
  async purge(connection, type, portion) {
    const before = await totalChanges(connection);
    // A negative page count starts a rewrite of the whole index; FTS5 is done when a merge changes nothing.
    await merge(connection, INDEX_OF[type], portion === 'first' ? -PURGE_PAGES : PURGE_PAGES);
    return (await totalChanges(connection)) - before > 1;
  },
  tidy: (connection, type) => merge(connection, INDEX_OF[type], TIDY_PAGES),
  problems: indexProblems,
};

/** Empties an index, whatever state it is in. */
export async function emptyIndex(connection: Connection, type: ItemType): Promise<void> {
  await connection.run(`INSERT INTO ${INDEX_OF[type]} (${INDEX_OF[type]}) VALUES ('delete-all')`);
}

async function merge(connection: Connection, index: string, pages: number): Promise<void> {
  await connection.run(`INSERT INTO ${index} (${index}, rank) VALUES ('merge', ?)`, [pages]);
}

async function totalChanges(connection: Connection): Promise<number> {
  const row = await connection.get<{ changes: number }>('SELECT total_changes() AS changes');
  return row!.changes;
}
