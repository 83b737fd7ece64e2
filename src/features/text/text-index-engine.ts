import type { ItemType } from '../../contract/search.ts';
import type { Connection } from '../../db/connection.ts';
import type { TotalsChange } from './word-totals.ts';

/** A row of a user. */
export interface IndexedRow {
  tenantId: string;
  scope: number;
  number: number;
}

/** A row with all tokens by which it is found, before stemming. */
export interface IndexedTokens extends IndexedRow {
  /** Precedes each token: `scopePrefix`. */
  prefix: string;
  /** The terms of its texts, a space before each, in UTF-8. */
  terms: Buffer;
  /** Its other terms. */
  others: readonly string[];
}

/** The contribution of an indexed row to the totals. */
export type IndexedDocument = IndexedRow & TotalsChange;

/** The tables of the full-text index on one database engine. All rows of a call are of one type. */
export interface TextIndexEngine {
  /** Adds rows that are not in the index, by ascending number. */
  insert(connection: Connection, type: ItemType, rows: readonly IndexedTokens[]): Promise<IndexedDocument[]>;
  /** Finds those of the rows that are in the index. */
  documents(connection: Connection, type: ItemType, rows: readonly IndexedRow[]): Promise<IndexedDocument[]>;
  /** Lists the passages of these messages that the index has no message of, as changes of the totals. */
  emptyPassages(connection: Connection, rows: readonly IndexedRow[]): Promise<TotalsChange[]>;
  /** Removes rows that are in the index. */
  remove(connection: Connection, type: ItemType, rows: readonly IndexedDocument[]): Promise<void>;
  purge(connection: Connection, type: ItemType, portion: 'first' | 'next'): Promise<boolean>;
  tidy(connection: Connection, type: ItemType): Promise<void>;
  problems(connection: Connection, type: ItemType): Promise<string[]>;
}
