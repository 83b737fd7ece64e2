import type { Static } from 'typebox';
import { AppError } from '../contract/errors.ts';
import type { AnswerOf, ChangeOf, Field, Fields, NewOf, PortableOf } from '../contract/fields.ts';
import { parseTimestamp, toTimestamp } from '../lib/clock.ts';
import { runInSlices } from '../lib/time-slices.ts';
import type { Reader, Value } from './connection.ts';

type ColumnOf<F extends Fields, Name extends keyof F> = F[Name] extends { column: infer Column extends string }
  ? Column
  : Name;
type StoredValue<F extends Field> = F['kind'] extends 'text'
  ? Static<F['value']>
  : F['kind'] extends 'json'
    ? string
    : number;
type Stored<F extends Field> = F extends { nullable: true } ? StoredValue<F> | null : StoredValue<F>;
/** An optional field without a default is stored as `null` if the caller omits it. */
type GivenStored<F extends Field> = F extends { create: 'required' } | { default: unknown }
  ? Stored<F>
  : Stored<F> | null;

/** The columns of a resource's fields. */
export type RowOf<F extends Fields> = { [Name in keyof F as ColumnOf<F, Name>]: Stored<F[Name]> };

/** The columns of the fields that callers may set on creation. */
export type GivenRowOf<F extends Fields> = {
  [Name in keyof F as F[Name] extends { create: string } ? ColumnOf<F, Name> : never]: GivenStored<F[Name]>;
};

/** Converts between the rows of a resource and its values in the API. */
export interface RowCodec<F extends Fields> {
  columns: readonly (keyof RowOf<F> & string)[];
  /** The columns of the fields that PATCH can change. */
  changeableColumns: readonly (keyof RowOf<F> & string)[];
  toAnswer(row: RowOf<F>): AnswerOf<F>;
  toPortable(row: RowOf<F>): PortableOf<F>;
  /** `path` is the JSON pointer of the values in the request. Throws `invalid_request` for a value that cannot be stored. */
  fromNew(values: NewOf<F>, path: string): GivenRowOf<F>;
  /** Throws `invalid_request` for a value that cannot be stored. */
  fromPortable(record: PortableOf<F>): RowOf<F>;
  /** Returns the row with a change applied, or `undefined` if it changes nothing. Throws `invalid_request`. */
  changed<Row extends RowOf<F>>(row: Row, change: ChangeOf<F>): Row | undefined;
}

type Values = Record<string, unknown>;
type Row = Record<string, Value>;

/** A field with its name and column. */
interface Column {
  name: string;
  column: string;
  field: Field;
}

/** Compiles a table of fields into a codec. Create it once and reuse it. */
export function createRowCodec<F extends Fields>(fields: F): RowCodec<F> {
  const all = Object.entries<Field>(fields).map(([name, field]) => ({ name, column: field.column ?? name, field }));
  const given = all.filter(({ field }) => field.create !== undefined);
  const changeable = all.filter(({ field }) => field.change !== undefined);
  const portable = all.filter(({ field }) => field.portable !== false);
  const names = (columns: readonly Column[]) => columns.map(({ column }) => column);

  const codec = {
    columns: names(all),
    changeableColumns: names(changeable),
    toAnswer: decoder(all),
    toPortable: decoder(portable),
    fromNew: (values: Values, path: string) => encodeAll(given, values, path),
    fromPortable: (record: Values) => encodeAll(all, record, ''),
    changed(row: Row, change: Values) {
      const next = { ...row };
      let isSame = true;
      for (const { name, column, field } of changeable) {
        if (change[name] === undefined) continue;
        next[column] = encode(field, change[name], name, '');
        if (next[column] !== row[column]) isSame = false;
      }
      return isSame ? undefined : next;
    },
  };
  return codec as unknown as RowCodec<F>;
}

function decoder(columns: readonly Column[]): (row: Row) => Values {
  const steps = columns.map(({ name, column, field }) => ({ name, column, decode: decoderOf(field) }));
  return (row) => {
    const values: Values = {};
    for (const { name, column, decode } of steps) {
      const stored = row[column]!;
      values[name] = decode === undefined || stored === null ? stored : decode(stored);
    }
    return values;
  };
}

/** Returns `undefined` if the value is stored unchanged. */
function decoderOf({ kind }: Field): ((stored: Value) => unknown) | undefined {
  if (kind === 'timestamp') return (stored) => toTimestamp(stored as number);
  if (kind === 'boolean') return (stored) => stored === 1;
  if (kind === 'json') return (stored) => JSON.parse(stored as string);
  return undefined;
}

function encodeAll(columns: readonly Column[], values: Values, path: string): Row {
  const row: Row = {};
  for (const { name, column, field } of columns) {
    row[column] = encode(field, values[name] === undefined ? field.default : values[name], name, path);
  }
  return row;
}

function encode(field: Field, value: unknown, name: string, path: string): Value {
  if (value === undefined || value === null) return null;
  if (field.kind === 'timestamp') return parseInstant(value as string, `${path}/${name}`);
  if (field.kind === 'boolean') return value ? 1 : 0;
  if (field.kind !== 'json') return value as Value;
  if (field.nullable && Object.keys(value).length === 0) return null;
  return storedJson(field, value, name, path);
}

/** Serializes the value of a `json` field. Throws `invalid_request` if it is too large. */
export function storedJson({ maxBytes }: Pick<Field, 'maxBytes'>, value: unknown, name: string, path: string): string {
  const text = JSON.stringify(value);
  if (maxBytes === undefined || Buffer.byteLength(text) <= maxBytes) return text;
  const errors = [{ path: `${path}/${name}`, message: `must be at most ${maxBytes} bytes as JSON` }];
  throw new AppError('invalid_request', `The ${name} is too large.`, { errors });
}

/** Parses an RFC 3339 timestamp to epoch milliseconds. Throws `invalid_request` naming the field at `path`. */
export function parseInstant<Given extends string | undefined>(timestamp: Given, path: string): InstantOf<Given> {
  if (timestamp === undefined) return undefined as InstantOf<Given>;
  const epochMs = parseTimestamp(timestamp);
  if (epochMs !== undefined) return epochMs as InstantOf<Given>;
  const errors = [{ path, message: 'must be an RFC 3339 timestamp' }];
  throw new AppError('invalid_request', `${path} is not an RFC 3339 timestamp.`, { errors });
}

type InstantOf<Given> = undefined extends Given ? number | undefined : number;

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
 * `selected` are columns of the table `m`, or expressions by name. Not for numbers with fractions, which SQLite writes to
 * JSON with 15 digits, or for blobs.
 */
export function createWideRows<Row extends object>(
  selected: readonly (keyof Row & string)[] | Partial<Record<keyof Row & string, string>>,
): WideRows<Row> {
  const expressions = Array.isArray(selected)
    ? selected.map((column: string) => [column, `m.${column}`] as const)
    : Object.entries<string>(selected as Record<string, string>);
  const columns = expressions.map(([column]) => column);
  const plain = expressions.map(([column, sql]) => `${sql} AS ${column}`).join(', ');
  const asJson = `json_array(${expressions.map(([, sql]) => sql).join(', ')}) AS fields`;

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
