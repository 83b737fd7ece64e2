import type { Reader, Value } from './connection.ts';

/** Reads rows of many columns, all of which hold text, integers or null. */
export interface WideRows<Row> {
  /** Runs the statement that `sqlOf` writes around the selected columns, those of the table `m`. */
  all(reader: Reader, sqlOf: (columns: string) => string, values: readonly Value[]): Promise<Row[]>;
}

/**
 * On SQLite a row arrives as one JSON text, because the driver takes longer for 25 columns than to parse them.
 * Not for numbers with fractions, which SQLite writes to JSON with 15 digits, or for blobs.
 */
export function createWideRows<Row extends object>(columns: readonly (keyof Row & string)[]): WideRows<Row> {
  const plain = columns.map((column) => `m.${column}`).join(', ');
  const asJson = `json_array(${plain}) AS fields`;

  function rowOf({ fields }: { fields: string }): Row {
    const values = JSON.parse(fields) as Value[];
    const row: Record<string, Value> = {};
    for (let index = 0; index < columns.length; index += 1) row[columns[index]!] = values[index]!;
    return row as Row;
  }

  return {
    async all(reader, sqlOf, values) {
      if (reader.engine !== 'sqlite') return reader.all<Row>(sqlOf(plain), values);
      return (await reader.all<{ fields: string }>(sqlOf(asJson), values)).map(rowOf);
    },
  };
}
