import type { Connection } from '../../db/connection.ts';
import { insertRows, listPlaceholders } from '../../db/values.ts';
import { scopePrefix, termsOf, tokenOf } from './terms.ts';

/** One version of a memory as the full-text index sees it. */
export interface TextEntry {
  number: number;
  scope: number;
  content: string;
  tags: readonly string[];
  /** `past`: superseded or replaced by a newer version; found by `asOf` only. */
  part: 'live' | 'past';
}

/** Upkeep of the full-text index over memories, always in the transaction of the rows themselves. */
export interface MemoryText {
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

/** For SQLite: contentless FTS5, rowid = the memory's number. */
export const memoryTextSqlite: MemoryText = {
  async insert(connection, entries) {
    await insertRows(
      connection,
      'INSERT INTO memoryText (rowid, body)',
      entries.map((entry) => [entry.number, bodyOf(entry)]),
    );
  },
  async remove(connection, numbers) {
    for (let start = 0; start < numbers.length; start += 64) {
      const chunk = numbers.slice(start, start + 64);
      await connection.run(`DELETE FROM memoryText WHERE rowid IN (${listPlaceholders(chunk.length)})`, chunk);
    }
  },
  async purge(connection, portion) {
    const before = await totalChanges(connection);
    // A merge by a negative number begins a rewrite of the whole index; FTS5 has no more to do when nothing changes.
    const pages = portion === 'first' ? -PURGE_PAGES : PURGE_PAGES;
    await connection.run("INSERT INTO memoryText (memoryText, rank) VALUES ('merge', ?)", [pages]);
    return (await totalChanges(connection)) - before > 1;
  },
  async tidy(connection) {
    await connection.run("INSERT INTO memoryText (memoryText, rank) VALUES ('merge', ?)", [TIDY_PAGES]);
  },
  async problems(connection) {
    await connection.run("INSERT INTO memoryText (memoryText) VALUES ('integrity-check')");
    const rows = await connection.all<{ number: number; missing: string }>(
      `SELECT number, 'index' AS missing FROM memories WHERE number NOT IN (SELECT id FROM memoryText_docsize)
       UNION ALL SELECT id, 'row' FROM memoryText_docsize WHERE id NOT IN (SELECT number FROM memories) LIMIT 20`,
    );
    return rows.map(({ number, missing }) => `memory ${number} has no ${missing} entry`);
  },
};

async function totalChanges(connection: Connection): Promise<number> {
  const row = await connection.get<{ changes: number }>('SELECT total_changes() AS changes');
  return row!.changes;
}

function bodyOf({ scope, content, tags, part }: TextEntry): string {
  const prefix = scopePrefix(scope, part);
  return termsOf([content, ...tags].join('\n'))
    .map((term) => tokenOf(prefix, term))
    .join(' ');
}
