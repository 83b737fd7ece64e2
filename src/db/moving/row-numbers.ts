import type { Connection, Reader } from '../connection.ts';

/** Columns that the database numbers, by table. */
const NUMBERED = {
  scopes: 'scope',
  memories: 'number',
  episodes: 'number',
  embeddingModels: 'id',
  unembedded: 'id',
};

/** The greatest number that each table ever had; the rows that had it may be gone. */
export type RowNumbers = ReadonlyMap<string, number>;

/** Reads the numbers that a table's next row must exceed. */
export async function readRowNumbers(reader: Reader): Promise<RowNumbers> {
  const numbers = new Map<string, number>();
  for (const table of Object.keys(NUMBERED)) {
    const row = await reader.get<{ last: number | null }>(
      reader.engine === 'sqlite'
        ? `SELECT seq AS last FROM sqlite_sequence WHERE name = '${table}'`
        : `SELECT pg_sequence_last_value(${sequenceOf(table)}) AS last`,
    );
    numbers.set(table, row?.last ?? 0);
  }
  const row = await reader.get<{ last: number | null }>('SELECT MAX(number) AS last FROM conversations');
  numbers.set('conversations', row?.last ?? 0);
  return numbers;
}

/** Lets the next row of each table get a greater number than any row had before. */
export async function continueRowNumbers(connection: Connection, numbers: RowNumbers): Promise<void> {
  for (const [table, last] of numbers) {
    if (last === 0) continue;
    if (connection.engine === 'postgres') {
      await connection.all(`SELECT setval(${sequenceOf(table)}, ?)`, [last]);
    } else if (table !== 'conversations') {
      await connection.run('DELETE FROM sqlite_sequence WHERE name = ?', [table]);
      await connection.run('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)', [table, last]);
    }
  }
}

/** SQLite numbers conversations by the greatest of their rows; PostgreSQL has a sequence for them. */
function sequenceOf(table: string): string {
  if (table === 'conversations') return `'"conversationNumbers"'::regclass`;
  return `pg_get_serial_sequence('"${table}"', '${NUMBERED[table as keyof typeof NUMBERED]}')::regclass`;
}
