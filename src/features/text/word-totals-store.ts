import type { Connection, Reader } from '../../db/connection.ts';
import type { Engine } from '../../db/dialect.ts';
import { insertRows } from '../../db/values.ts';

/** Totals of one user in one index. */
export interface WordTotals {
  documents: number;
  /** Tokens of all documents. */
  words: number;
  /** Passages that hold a message; 0 for other types. */
  passages: number;
  /**
   * Version of the index, new after every change: on SQLite followed by those before it. Absent in an index without a
   * change since versions exist.
   */
  version?: string | null;
}

/** The totals of one user and type, or a change of them. */
export interface WordTotalsRow extends WordTotals {
  tenantId: string;
  scope: number;
  type: string;
}

/** Earlier versions that the newest is followed by, with a space before each. */
const EARLIER_VERSIONS = 15;
export const VERSION_CHARACTERS = 16;
const EARLIER_CHARACTERS = EARLIER_VERSIONS * (VERSION_CHARACTERS + 1) - 1;

/** On PostgreSQL other daemons write too, and what they added is not known here. */
const NEXT_VERSION: Record<Engine, string> = {
  sqlite: `excluded.version || COALESCE(' ' || SUBSTR(wordTotals.version, 1, ${EARLIER_CHARACTERS}), '')`,
  postgres: 'excluded.version',
};

/** Includes the transaction that wrote the row, because a daemon of an earlier release leaves `version` unchanged. */
const VERSION: Record<Engine, string> = { sqlite: 'version', postgres: `version || ' ' || CAST(xmin AS text)` };

/** The totals of a user, for each type that has documents. */
export async function findTotals(reader: Reader, tenantId: string, scope: number): Promise<WordTotalsRow[]> {
  return reader.all(
    `SELECT tenantId, scope, type, documents, words, passages, ${VERSION[reader.engine]} AS version
     FROM wordTotals WHERE tenantId = ? AND scope = ?`,
    [tenantId, scope],
  );
}

/** Adds to the totals, which get a version that they never had; the changes have distinct keys. */
export async function addTotals(
  connection: Connection,
  changes: readonly WordTotalsRow[],
  version: string,
): Promise<void> {
  await insertRows(
    connection,
    'INSERT INTO wordTotals (tenantId, scope, type, documents, words, passages, version)',
    changes.map(({ tenantId, scope, type, documents, words, passages }) => {
      return [tenantId, scope, type, documents, words, passages, version];
    }),
    `ON CONFLICT (tenantId, scope, type) DO UPDATE SET documents = wordTotals.documents + excluded.documents,
       words = wordTotals.words + excluded.words, passages = wordTotals.passages + excluded.passages,
       version = ${NEXT_VERSION[connection.engine]}`,
  );
}

/** Deletes the totals of a user who has no documents of this type left. */
export async function deleteEmptyTotals(
  connection: Connection,
  { tenantId, scope, type }: Pick<WordTotalsRow, 'tenantId' | 'scope' | 'type'>,
): Promise<void> {
  await connection.run('DELETE FROM wordTotals WHERE tenantId = ? AND scope = ? AND type = ? AND documents = 0', [
    tenantId,
    scope,
    type,
  ]);
}

/** Deletes the totals of all users. */
export async function deleteAllTotals(connection: Connection, type: string): Promise<void> {
  await connection.run('DELETE FROM wordTotals WHERE type = ?', [type]);
}
