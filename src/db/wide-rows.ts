import { runInSlices } from '../lib/time-slices.ts';
import type { Reader, Value } from './connection.ts';

/** Reads rows of many columns, all of which hold text, integers or null. */
export interface WideRows<Row> {
  /**
   * Runs the statement that `sqlOf` writes around the selected columns, those of the table `m`. Rows of a tenant are parsed
   * in its time slices.
   */
  all(reader: Reader, sqlOf: (columns: string) => string, values: readonly Value[], tenantId?: string): Promise<Row[]>;
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

  function* rowsInSteps(texts: readonly { fields: string }[]): Generator<void, Row[]> {
    const rows: Row[] = [];
    for (const text of texts) {
      rows.push(rowOf(text));
      yield;
    }
    return rows;
  }

  return {
    async all(reader, sqlOf, values, tenantId) {
      if (reader.engine !== 'sqlite') return reader.all<Row>(sqlOf(plain), values);
      const texts = await reader.all<{ fields: string }>(sqlOf(asJson), values);
      return tenantId === undefined ? texts.map(rowOf) : runInSlices(rowsInSteps(texts), tenantId);
    },
  };
}
