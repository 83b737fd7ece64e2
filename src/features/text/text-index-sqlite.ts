import type { Connection } from '../../db/connection.ts';
import { insertRows, listPlaceholders } from '../../db/values.ts';
import { finish, runInSlices } from '../../lib/time-slices.ts';
import { monthsOf } from './dates.ts';
import { type ItemTexts, NO_TERMS, type PreparedTerms, requireTerms, termsOfItem } from './prepared-terms.ts';
import { monthTokenOf, scopePrefix, speakerTokensOf, tokenOf } from './terms.ts';
import { daysOf } from './traits.ts';

/** Each index with the table that it indexes, by row number. */
const ROWS_OF = { memoryText: 'memories', messageText: 'messages', episodeText: 'episodes' } as const;
export type TextIndexName = keyof typeof ROWS_OF;

/** What the full-text index stores of a row. */
export interface TextEntry {
  number: number;
  scope: number;
  texts: ItemTexts;
  /** Searchable by `speakerTokensOf`, separate from the words. */
  speaker?: string;
  /** Start and end in epoch milliseconds, and the dates mentioned; searchable by `monthTokenOf`. */
  days: { at: number; until: number; dates: string | null };
  /** `past` rows are superseded or replaced by a newer version, and found only under `asOf`. */
  part: 'live' | 'past';
}

/** Maintains a full-text index, in the same transaction as the rows. */
export interface TextIndex {
  /** Finds the terms of an entry that is not `prepared` itself. Throws `TermsMissing` where it must not. */
  insert(connection: Connection, entries: readonly TextEntry[], prepared?: PreparedTerms): Promise<void>;
  remove(connection: Connection, numbers: readonly number[]): Promise<void>;
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
  /** Lists differences between index and rows. Reads the whole index. */
  problems(connection: Connection): Promise<string[]>;
}

/** Pages that one call of `purge` writes: about 30 ms. */
const PURGE_PAGES = 300;

/** Pages that one call of `tidy` writes: about 15 ms. */
const TIDY_PAGES = 200;

/** A contentless FTS5 table whose rowid is the row's number. */
export function createTextIndex(name: TextIndexName): TextIndex {
  const rowsTable = ROWS_OF[name];
  return {
    async insert(connection, entries, prepared = NO_TERMS) {
      requireTerms(
        prepared,
        entries.map(({ texts }) => texts),
      );
      // FTS5 starts a new segment whenever rowids do not increase.
      const sorted = entries.toSorted((a, b) => a.number - b.number);
      const rows = await runInSlices(rowsInSteps(sorted, prepared), 'urgent');
      await insertRows(connection, `INSERT INTO ${name} (rowid, body)`, rows);
    },
    async remove(connection, numbers) {
      for (let start = 0; start < numbers.length; start += 64) {
        const chunk = numbers.slice(start, start + 64);
        await connection.run(`DELETE FROM ${name} WHERE rowid IN (${listPlaceholders(chunk.length)})`, chunk);
      }
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
    async problems(connection) {
      await connection.run(`INSERT INTO ${name} (${name}) VALUES ('integrity-check')`);
      const rows = await connection.all<{ number: number; missing: string }>(
        `SELECT number, 'index' AS missing FROM ${rowsTable} WHERE number NOT IN (SELECT id FROM ${name}_docsize)
         UNION ALL SELECT id, 'row' FROM ${name}_docsize WHERE id NOT IN (SELECT number FROM ${rowsTable}) LIMIT 20`,
      );
      const what = name.replace('Text', '');
      return rows.map(({ number, missing }) => `${what} ${number} has no ${missing} entry`);
    },
  };
}

/** The full-text indices of the daemon. */
export const textIndices = {
  memory: createTextIndex('memoryText'),
  message: createTextIndex('messageText'),
  episode: createTextIndex('episodeText'),
};
export type TextIndices = typeof textIndices;

async function totalChanges(connection: Connection): Promise<number> {
  const row = await connection.get<{ changes: number }>('SELECT total_changes() AS changes');
  return row!.changes;
}

function* rowsInSteps(entries: readonly TextEntry[], prepared: PreparedTerms): Generator<void, [number, string][]> {
  const rows: [number, string][] = [];
  for (const entry of entries) {
    rows.push([entry.number, bodyWith(entry, yield* termsOfItem(prepared, entry.texts))]);
    yield;
  }
  return rows;
}

/** All tokens of a row, as FTS5 expects them. */
export function bodyOf(entry: TextEntry): string {
  return bodyWith(entry, finish(termsOfItem(NO_TERMS, entry.texts)));
}

function bodyWith({ scope, speaker, days, part }: TextEntry, terms: string): string {
  const prefix = scopePrefix(scope, part);
  const names = speaker === undefined ? [] : speakerTokensOf(speaker);
  const months = monthsOf(daysOf(days.at, days.until, days.dates)).flatMap(({ year, month }) => [
    monthTokenOf({ year, month }),
    monthTokenOf({ month }),
  ]);
  const others = [...names, ...new Set(months)].map((term) => tokenOf(prefix, term));
  // One replacement: a long text has a hundred thousand terms.
  const words = terms === '' ? [] : [tokenOf(prefix, terms.replaceAll(' ', ` ${tokenOf(prefix, '')}`))];
  return [...words, ...others].join(' ');
}
