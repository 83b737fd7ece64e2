import {
  fromJsonSchema,
  type JsonSchemaType,
  type JsonSchemaValidator,
  type StandardSchemaWithJSON,
} from '@modelcontextprotocol/server';
import type { TObject } from 'typebox';

type Json = Record<string, unknown>;

interface Schema extends Json {
  type?: string;
  enum?: unknown[];
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
}

/** Describes an argument, and the members of an object (or of each object in a list) that assistants should know. */
type ArgumentNote = string | [about: string, members: ArgumentNotes];

/** The arguments that are listed to assistants, in this order. Others of the contract are accepted all the same. */
export interface ArgumentNotes {
  [name: string]: ArgumentNote;
}

/**
 * Derives the input schema that assistants see from the contract: types, choices and descriptions. Bounds and patterns
 * are left out, because every request pays for them in tokens and some assistants reject them; `argumentReader`
 * enforces them.
 */
export function listedInput(contract: TObject, notes: ArgumentNotes): StandardSchemaWithJSON<Json, Json> {
  return unchecked(listedObject(contract as unknown as Schema, notes));
}

function listedObject(schema: Schema, notes: ArgumentNotes): Schema {
  const names = Object.keys(notes).filter((name) => schema.properties?.[name] !== undefined);
  const required = names.filter((name) => schema.required?.includes(name));
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, listed(schema.properties![name]!, notes[name]!)])),
    ...(required.length > 0 && { required }),
  };
}

function listed(schema: Schema, note: ArgumentNote): Schema {
  const [about, members] = typeof note === 'string' ? [note, undefined] : note;
  return { ...plain(schema, members), description: about };
}

function plain(schema: Schema, members?: ArgumentNotes): Schema {
  const { type = 'string', enum: values, anyOf, items } = schema;
  if (anyOf) return plain(anyOf[0]!, members);
  if (values) return { type: 'string', enum: values };
  if (items) return { type, items: plain(items, members) };
  return schema.properties && members ? listedObject(schema, members) : { type };
}

/**
 * Derives a tool's output schema from the contract. It informs clients but is not enforced: a completed write must not
 * be reported as failed because its result does not match.
 */
export function listedOutput(contract: TObject): StandardSchemaWithJSON {
  return unchecked(simplifySchema(contract) as Schema);
}

function unchecked<T>(schema: Schema): StandardSchemaWithJSON<T, T> {
  return fromJsonSchema<T>(schema as JsonSchemaType, {
    getValidator<V>(): JsonSchemaValidator<V> {
      return (input) => ({ valid: true, data: input as V, errorMessage: undefined });
    },
  });
}

/** Returns a function that picks the fields declared in the contract, as REST's response serializers do. */
export function declaredFieldsOf(contract: TObject): (answer: object) => Json {
  return projection(contract) as (answer: object) => Json;
}

function projection(schema: unknown): (value: unknown) => unknown {
  const { properties, items, anyOf } = schema as { properties?: Json; items?: Json; anyOf?: { type?: string }[] };
  if (anyOf) {
    const project = projection(anyOf.find(({ type }) => type !== 'null'));
    return (value) => (value === null ? null : project(value));
  }
  if (items) {
    const project = projection(items);
    return (value) => (value as unknown[]).map(project);
  }
  if (!properties) return (value) => value;
  const fields = Object.entries(properties).map(([name, field]) => [name, projection(field)] as const);
  return (value) => {
    const given = value as Json;
    const present = fields.filter(([name]) => given[name] !== undefined);
    return Object.fromEntries(present.map(([name, project]) => [name, project(given[name])]));
  };
}

/** Rewrites a schema with the keywords that most assistants' converters understand. It accepts the same values. */
function simplifySchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(simplifySchema);
  if (typeof schema !== 'object' || schema === null) return schema;
  const simple: Json = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, simplifySchema(value)]));
  delete simple.propertyNames;
  const anyKey = (simple.patternProperties as Json | undefined)?.['^.*$'];
  if (anyKey) {
    delete simple.patternProperties;
    simple.additionalProperties = Object.keys(anyKey).length === 0 ? true : anyKey;
  }
  if (Array.isArray(simple.enum) && simple.enum.every((value) => typeof value === 'string')) simple.type = 'string';
  return simple;
}
