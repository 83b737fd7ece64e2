import type { ItemType } from '../../contract/search.ts';
import type { Connection } from '../../db/connection.ts';
import { insertRows, listPlaceholders } from '../../db/values.ts';
import { runInSlices } from '../../lib/time-slices.ts';
import { monthsOf } from './dates.ts';
import { type ItemTexts, NO_TERMS, type PreparedTerms, requireTerms, termsOfItem } from './prepared-terms.ts';
import { monthTokenOf, scopePrefix, speakerTokensOf, tokenOf } from './terms.ts';
import { indexProblems } from './text-index-check-sqlite.ts';
import { findDocuments, findEmptyPassages, INDEX_OF, type IndexedRow } from './text-index-documents-sqlite.ts';
import { daysOf } from './traits.ts';
import { changeTotals, negated } from './word-totals.ts';

export type { IndexedRow };

/** What the full-text index stores of a row. */
export interface TextEntry extends IndexedRow {
  texts: ItemTexts;
  /** Searchable by `speakerTokensOf`, separate from the words. */
  speaker?: string;
  /** Start and end in epoch milliseconds, and the dates mentioned; searchable by `monthTokenOf`. */
  days: { at: number; until: number; dates: string | null };
  /** `past` rows are superseded or replaced by a newer version, and found only under `asOf`. */
  part: 'live' | 'past';
}

/** Maintains a full-text index and its totals, in the same transaction as the rows. */
export interface TextIndex {
  /** Finds the terms of an entry that is not `prepared` itself. Throws `TermsMissing` where it must not. */
  insert(connection: Connection, entries: readonly TextEntry[], prepared?: PreparedTerms): Promise<void>;
  /** Those of the entries that are not in the index. */
  missing(connection: Connection, entries: readonly TextEntry[]): Promise<TextEntry[]>;
  remove(connection: Connection, rows: readonly IndexedRow[]): Promise<void>;
  /**
   * Removes the words of deleted entries from the file, some pages per call: `first`, then `next` while it returns
   * `true`. Until then they remain on disk, although no search finds them.
   */
  purge(connection: Connection, portion: 'first' | 'next'): Promise<boolean>;
  /**
   * Merges some of the segments that writes leave behind, a few pages per call: every search reads every segment,
   * whichever tenant wrote it.
   */
  tidy(connection: Connection): Promise<void>;
  /** Lists differences between index, rows and totals. Reads the whole index. */
  problems(connection: Connection): Promise<string[]>;
}

/** Pages that one call of `purge` writes: about 30 ms. */
const PURGE_PAGES = 300;

/** Pages that one call of `tidy` writes: about 15 ms. */
const TIDY_PAGES = 200;

/** A contentless FTS5 table whose rowid is the row's number. */
export function createTextIndex(type: ItemType): TextIndex {
  const name = INDEX_OF[type];
  return {
    async insert(connection, entries, prepared = NO_TERMS) {
      requireTerms(
        prepared,
        entries.map(({ texts }) => texts),
      );
      // FTS5 starts a new segment whenever rowids do not increase.
      const sorted = entries.toSorted((a, b) => a.number - b.number);
      const rows = await runInSlices(rowsInSteps(sorted, prepared), 'urgent');
      const opened = await findEmptyPassages(connection, type, sorted);
      // SQLite prefixes the terms: in JavaScript, the copy of a long text would hold the event loop for milliseconds.
      const head = `INSERT INTO ${name} (rowid, body)
        SELECT column1, replace(CAST(column2 AS TEXT), ' ', ' ' || column3) || column4 FROM (`;
      await insertRows(connection, head, rows, ')');
      await changeTotals(connection, type, [...(await findDocuments(connection, type, sorted)), ...opened]);
    },
    async missing(connection, entries) {
      const indexed = new Set((await findDocuments(connection, type, entries)).map(({ number }) => number));
      return entries.filter(({ number }) => !indexed.has(number));
    },
    async remove(connection, rows) {
      const documents = await findDocuments(connection, type, rows);
      for (let start = 0; start < rows.length; start += 64) {
        const chunk = rows.slice(start, start + 64).map(({ number }) => number);
        await connection.run(`DELETE FROM ${name} WHERE rowid IN (${listPlaceholders(chunk.length)})`, chunk);
      }
      const closed = await findEmptyPassages(connection, type, documents);
      await changeTotals(connection, type, [...documents, ...closed].map(negated));
    },
    async purge(connection, portion) {
      const before = await totalChanges(connection);
      // A negative page count starts a rewrite of the whole index; FTS5 is done when a merge changes nothing.
      const pages = portion === 'first' ? -PURGE_PAGES : PURGE_PAGES;
      await connection.run(`INSERT INTO ${name} (${name}, rank) VALUES ('merge', ?)`, [pages]);
      return (await totalChanges(connection)) - before > 1;
    },
    async tidy(connection) {
      await connection.run(`INSERT INTO ${name} (${name}, rank) VALUES ('merge', ?)`, [TIDY_PAGES]);
    },
    problems: (connection) => indexProblems(connection, type),
  };
}

/** The full-text indices of the daemon. */
export const textIndices = {
  memory: createTextIndex('memory'),
  message: createTextIndex('message'),
  episode: createTextIndex('episode'),
};
export type TextIndices = typeof textIndices;

async function totalChanges(connection: Connection): Promise<number> {
  const row = await connection.get<{ changes: number }>('SELECT total_changes() AS changes');
  return row!.changes;
}

/** Rows of number, terms, prefix and further tokens. */
type Row = [number: number, terms: Buffer, prefix: string, others: string];

function* rowsInSteps(entries: readonly TextEntry[], prepared: PreparedTerms): Generator<void, Row[]> {
  const rows: Row[] = [];
  for (const entry of entries) {
    const prefix = scopePrefix(entry.scope, entry.part);
    const others = otherTermsOf(entry).map((term) => ` ${tokenOf(prefix, term)}`);
    rows.push([entry.number, yield* termsOfItem(prepared, entry.texts), tokenOf(prefix, ''), others.join('')]);
    yield;
  }
  return rows;
}

/** The terms of an entry beside those of its texts. */
export function otherTermsOf({ speaker, days }: Pick<TextEntry, 'speaker' | 'days'>): string[] {
  const names = speaker === undefined ? [] : speakerTokensOf(speaker);
  const months = monthsOf(daysOf(days.at, days.until, days.dates)).flatMap(({ year, month }) => [
    monthTokenOf({ year, month }),
    monthTokenOf({ month }),
  ]);
  return [...names, ...new Set(months)];
}
