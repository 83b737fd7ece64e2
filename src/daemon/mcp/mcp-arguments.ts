import { Ajv, type ErrorObject } from 'ajv';
import formats from 'ajv-formats';
import type { TObject } from 'typebox';
import { AppError } from '../../contract/errors.ts';
import { faultText } from '../../contract/schema-faults.ts';
import { parseStorableText } from '../../contract/storable.ts';

/** The parts of a JSON schema that reading arguments needs. */
interface Schema {
  type?: string;
  format?: string;
  enum?: unknown[];
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
}

type Json = Record<string, unknown>;

/** Arguments as a tool takes them, and what the caller must know about how they were read. */
export interface ReadArguments<Input> {
  input: Input;
  /** One sentence each; empty if the arguments were valid as they came. */
  notes: string[];
}

const ajv = new Ajv({ strict: false, useDefaults: true });
formats.default(ajv);

/** More than any list of a tool may have. */
const MAX_PARTS = 10_000;

const DATE = /^\d{4}-\d\d-\d\d$/;
const LOCAL_TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d(?:\.\d+)?)?$/;

/**
 * Returns a reader of arguments that models write: `"5"` for 5, `"a,b"` for a list, JSON in a string, a date without a
 * time, null or `""` for an omitted field, empty or repeated items, a number outside its range, unknown fields. REST
 * accepts none of these. The reader throws `invalid_request` if the result still does not match the contract.
 */
export function argumentReader<Input>(contract: TObject): (given: Json) => ReadArguments<Input> {
  const check = ajv.compile<Input>(contract);
  const known = Object.keys(contract.properties);
  return (given) => {
    const notes: string[] = [];
    const input = readValue(contract as Schema, given, '', notes);
    if (!check(input)) throw new AppError('invalid_request', refusalOf(check.errors?.[0], known));
    return { input, notes };
  };
}

function readValue(schema: Schema, given: unknown, path: string, notes: string[]): unknown {
  const variants = schema.anyOf ?? [schema];
  const fitting = variants.find((variant) => hasType(variant, given));
  if (fitting) return readWithin(fitting, given, path, notes);
  const converted = convert(variants[0]!, given);
  if (converted === undefined) return given;
  notes.push(`${path} was read as ${JSON.stringify(converted)}.`);
  return readWithin(variants[0]!, converted, path, notes);
}

function hasType({ type, enum: values }: Schema, given: unknown): boolean {
  if (values) return typeof given === 'string';
  if (type === 'array') return Array.isArray(given);
  if (type === 'object') return typeof given === 'object' && given !== null && !Array.isArray(given);
  if (type === 'integer') return Number.isInteger(given);
  if (type === 'null') return given === null;
  return type === undefined || typeof given === type;
}

/** Converts a value of another type; `undefined` if no conversion fits. */
function convert(schema: Schema, given: unknown): unknown {
  const parsed = typeof given === 'string' ? parsedJson(given) : undefined;
  if (parsed !== undefined && hasType(schema, parsed)) return parsed;
  if (schema.type === 'array' && schema.items) {
    if (typeof given === 'string') {
      if (!hasType(schema.items, '')) return undefined;
      const parts = given.split(',', MAX_PARTS + 1).map((part) => part.trim());
      return parts.length > MAX_PARTS ? undefined : parts.filter((part) => part !== '');
    }
    if (hasType(schema.items, given)) return [given];
  }
  if (schema.type === 'integer' && typeof given === 'number') return Math.round(given);
  if (schema.type === 'string' && (typeof given === 'number' || typeof given === 'boolean')) return String(given);
  return undefined;
}

function parsedJson(text: string): unknown {
  try {
    return parseStorableText(text);
  } catch {
    return undefined;
  }
}

function readWithin(schema: Schema, given: unknown, path: string, notes: string[]): unknown {
  if (schema.properties) return readFields(schema, given as Json, path, notes);
  if (Array.isArray(given) && schema.items) {
    // Refused by the contract, whatever its items are.
    if (given.length > (schema.maxItems ?? Number.POSITIVE_INFINITY)) return given;
    const items = given.map((item, index) => readValue(schema.items!, item, `${path}.${index}`, notes));
    return telling(schema, items, path, notes);
  }
  if (typeof given === 'number') return clamped(schema, given, path, notes);
  if (typeof given === 'string' && schema.format === 'date-time') return instant(given, path, notes);
  return given;
}

function readFields(schema: Schema, given: Json, path: string, notes: string[]): Json {
  const read: [string, unknown][] = [];
  for (const [name, value] of Object.entries(given)) {
    const fieldPath = path === '' ? name : `${path}.${name}`;
    if (!Object.hasOwn(schema.properties!, name)) {
      notes.push(`${fieldPath} was ignored: unknown argument.`);
      continue;
    }
    const field = schema.properties![name]!;
    if (isOmitted(field, value, schema.required?.includes(name))) continue;
    const item = readValue(field, value === '' && isNullable(field) ? null : value, fieldPath, notes);
    if (isTooShort(field, item) && !schema.required?.includes(name)) continue;
    read.push([name, item]);
  }
  return Object.fromEntries(read);
}

/** Leaves out items that say nothing, which models write to fill a list: empty ones and repeated ones. */
function telling({ items, uniqueItems }: Schema, given: unknown[], path: string, notes: string[]): unknown[] {
  const told = items?.minLength ? given.filter((item) => item !== '') : given;
  const different = uniqueItems ? [...new Set(told)] : told;
  if (different.length < given.length) notes.push(`${path} was read as ${JSON.stringify(different)}.`);
  return different;
}

/** Whether a list has too few items to be one. */
function isTooShort({ minItems = 0 }: Schema, value: unknown): boolean {
  return Array.isArray(value) && value.length < minItems;
}

/** Whether the value counts as an omitted field. A field that can be null is cleared by null and by `""`. */
function isOmitted(field: Schema, value: unknown, required = false): boolean {
  return !required && !isNullable(field) && (value === null || value === '');
}

function isNullable({ anyOf = [] }: Schema): boolean {
  return anyOf.some(({ type }) => type === 'null');
}

function clamped({ minimum, maximum }: Schema, given: number, path: string, notes: string[]): number {
  const value = Math.min(Math.max(given, minimum ?? given), maximum ?? given);
  if (value !== given) notes.push(`${path} was read as ${value}.`);
  return value;
}

function instant(given: string, path: string, notes: string[]): string {
  const local = LOCAL_TIME.exec(given);
  if (!local && !DATE.test(given)) return given;
  const read = local ? `${local[1]}T${local[2]}${local[3] ?? ':00'}Z` : `${given}T00:00:00Z`;
  notes.push(`${path} was read as ${read}.`);
  return read;
}

function refusalOf(error: ErrorObject | undefined, known: string[]): string {
  const where = error?.instancePath.slice(1).replaceAll('/', '.') ?? '';
  const missing = error?.params.missingProperty as string | undefined;
  if (missing !== undefined) {
    return `\`${where === '' ? missing : `${where}.${missing}`}\` is missing; the arguments are ${known.join(', ')}.`;
  }
  const subject = where ? `\`${where}\`` : 'the arguments';
  return `${subject} ${error ? faultText(error) : 'must match the input schema'}.`;
}
