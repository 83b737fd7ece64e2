import type { Connection } from '../../db/connection.ts';
import { insertRows, listPlaceholders } from '../../db/values.ts';
import { monthsOf } from './dates.ts';
import { monthTokenOf, scopePrefix, speakerTokensOf, termsOf, tokenOf } from './terms.ts';
import { daysOf } from './traits.ts';

/** Each index with the table whose rows it indexes by their number. */
const ROWS_OF = { memoryText: 'memories', messageText: 'messages', episodeText: 'episodes' } as const;
export type TextIndexName = keyof typeof ROWS_OF;

/** One row as the full-text index sees it. */
export interface TextEntry {
  number: number;
  scope: number;
  texts: readonly string[];
  /** Who said it: found by `speakerTokensOf`, apart from the words. */
  speaker?: string;
  /** When it was, epoch milliseconds, and the days that it tells of: found by `monthTokenOf`. */
  days: { at: number; until: number; dates: string | null };
  /** `past`: superseded or replaced by a newer version; found by `asOf` only. */
  part: 'live' | 'past';
}

/** Upkeep of a full-text index, always in the transaction of the rows themselves. */
export interface TextIndex {
  insert(connection: Connection, entries: readonly TextEntry[]): Promise<void>;
  remove(connection: Connection, numbers: readonly number[]): Promise<void>;
  /**
   * Takes the words of removed entries off the disk, a portion a call: `first`, then `next` while it answers `true`.
   * Until then they are in the file, though no search meets them.
   */
  purge(connection: Connection, portion: 'first' | 'next'): Promise<boolean>;
  /**
   * Merges some of the segments that writes leave behind, a small portion a call: a search looks into each of them,
   * whoever wrote it.
   */
  tidy(connection: Connection): Promise<void>;
  /** Where index and rows differ; empty where they agree. Reads the whole index. */
  problems(connection: Connection): Promise<string[]>;
}

/** Pages of the index that one portion of a purge writes: some thirty milliseconds. */
const PURGE_PAGES = 300;

/** Of one portion of tidying: some fifteen milliseconds. */
const TIDY_PAGES = 200;

/** For SQLite: contentless FTS5, rowid = the row's number. */
export function createTextIndex(name: TextIndexName): TextIndex {
  const rowsTable = ROWS_OF[name];
  return {
    async insert(connection, entries) {
      await insertRows(
        connection,
        `INSERT INTO ${name} (rowid, body)`,
        // FTS5 begins a new segment whenever the numbers do not grow.
        entries.toSorted((a, b) => a.number - b.number).map((entry) => [entry.number, bodyOf(entry)]),
      );
    },
    async remove(connection, numbers) {
      for (let start = 0; start < numbers.length; start += 64) {
        const chunk = numbers.slice(start, start + 64);
        await connection.run(`DELETE FROM ${name} WHERE rowid IN (${listPlaceholders(chunk.length)})`, chunk);
      }
    },
    async purge(connection, portion) {
      const before = await totalChanges(connection);
      // A merge by a negative number begins a rewrite of the whole index; FTS5 has no more to do when nothing changes.
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

/** All indices of the daemon. */
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

/** Everything by which a row is found, as FTS5 takes it. */
export function bodyOf({ scope, texts, speaker, days, part }: TextEntry): string {
  const prefix = scopePrefix(scope, part);
  const said = speaker === undefined ? [] : speakerTokensOf(speaker);
  const months = monthsOf(daysOf(days.at, days.until, days.dates)).flatMap(({ year, month }) => [
    monthTokenOf({ year, month }),
    monthTokenOf({ month }),
  ]);
  return [...termsOf(texts.join('\n')), ...said, ...new Set(months)].map((term) => tokenOf(prefix, term)).join(' ');
}
