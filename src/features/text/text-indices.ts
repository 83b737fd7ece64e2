import type { ItemType } from '../../contract/search.ts';
import type { Connection } from '../../db/connection.ts';
import type { Engine } from '../../db/dialect.ts';
import type { Database } from '../../db/open.ts';
import { runInSlices } from '../../lib/time-slices.ts';
import { noteAdded } from './added-tokens.ts';
import { daysOf, monthsOf } from './day-ranges.ts';
import { type ItemTexts, NO_TERMS, type PreparedTerms, requireTerms, termsOfItem } from './prepared-terms.ts';
import { monthTokenOf, scopePrefix, speakerTokensOf } from './terms.ts';
import type { IndexedDocument, IndexedRow, IndexedTokens, TextIndexEngine } from './text-index-engine.ts';
import { textIndexPostgres } from './text-index-postgres.ts';
import { textIndexSqlite } from './text-index-sqlite.ts';
import { changeTotals, negated, type TotalsChange } from './word-totals.ts';

export type { IndexedRow };

/** The part of a row that the full-text index stores. */
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
  /** Returns the entries that are not in the index. */
  missing(connection: Connection, entries: readonly TextEntry[]): Promise<TextEntry[]>;
  remove(connection: Connection, rows: readonly IndexedRow[]): Promise<void>;
  /**
   * Removes the words of deleted entries from the file where `remove` leaves them, some pages per call: `first`, then
   * `next` while it returns `true`. No search finds them meanwhile.
   */
  purge(connection: Connection, portion: 'first' | 'next'): Promise<boolean>;
  /**
   * Merges some of the segments that writes to SQLite leave behind, a few pages per call: every search reads every
   * segment, whichever tenant wrote it.
   */
  tidy(connection: Connection): Promise<void>;
  /** Lists differences between index, rows and totals. Reads the whole index. */
  problems(connection: Connection): Promise<string[]>;
}

const ENGINES: Record<Engine, TextIndexEngine> = { sqlite: textIndexSqlite, postgres: textIndexPostgres };

/** Indexes the rows of one type by their numbers. */
function createTextIndex(type: ItemType): TextIndex {
  async function emptyPassages(connection: Connection, rows: readonly IndexedRow[]): Promise<TotalsChange[]> {
    if (type !== 'message' || rows.length === 0) return [];
    return ENGINES[connection.engine].emptyPassages(connection, rows);
  }

  async function documents(connection: Connection, rows: readonly IndexedRow[]): Promise<IndexedDocument[]> {
    return rows.length === 0 ? [] : ENGINES[connection.engine].documents(connection, type, rows);
  }

  return {
    async insert(connection, entries, prepared = NO_TERMS) {
      requireTerms(
        prepared,
        entries.map(({ texts }) => texts),
      );
      const sorted = entries.toSorted((a, b) => a.number - b.number);
      const rows = await runInSlices(tokensInSteps(sorted, prepared), 'urgent');
      const opened = await emptyPassages(connection, sorted);
      const inserted = await ENGINES[connection.engine].insert(connection, type, rows);
      noteAdded(await changeTotals(connection, type, [...inserted, ...opened]), rows);
    },
    async missing(connection, entries) {
      const indexed = new Set((await documents(connection, entries)).map(({ number }) => number));
      return entries.filter(({ number }) => !indexed.has(number));
    },
    async remove(connection, rows) {
      const removed = await documents(connection, rows);
      await ENGINES[connection.engine].remove(connection, type, removed);
      const closed = await emptyPassages(connection, removed);
      await changeTotals(connection, type, [...removed, ...closed].map(negated));
    },
    purge: (connection, portion) => ENGINES[connection.engine].purge(connection, type, portion),
    tidy: (connection) => ENGINES[connection.engine].tidy(connection, type),
    problems: (connection) => ENGINES[connection.engine].problems(connection, type),
  };
}

/** The full-text indices of the daemon. */
export const textIndices = {
  memory: createTextIndex('memory'),
  message: createTextIndex('message'),
  episode: createTextIndex('episode'),
};
export type TextIndices = typeof textIndices;

/** Merges all of them, with one transaction each, so that no write waits for all. */
export async function tidyTextIndices({ writes }: Pick<Database, 'writes'>): Promise<void> {
  for (const { tidy } of Object.values(textIndices)) await writes.write('daemon', tidy);
}

function* tokensInSteps(entries: readonly TextEntry[], prepared: PreparedTerms): Generator<void, IndexedTokens[]> {
  const rows: IndexedTokens[] = [];
  for (const entry of entries) {
    const { tenantId, scope, number } = entry;
    const terms = yield* termsOfItem(prepared, entry.texts);
    const others = otherTermsOf(entry);
    rows.push({ tenantId, scope, number, prefix: scopePrefix(scope, entry.part), terms, others });
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
