import {
  fromJsonSchema,
  type JsonSchemaType,
  type JsonSchemaValidator,
  type StandardSchemaWithJSON,
} from '@modelcontextprotocol/server';
import { Ajv, type ErrorObject } from 'ajv';
import formats from 'ajv-formats';
import type { TObject, TProperties } from 'typebox';

type Json = Record<string, unknown>;

/** Descriptions of a tool's arguments for assistants, in addition to those of the contract. */
export type ArgumentNotes<Properties> = Partial<Record<keyof Properties, string>>;

const ajv = new Ajv({ strict: false, useDefaults: true });
formats.default(ajv);

/**
 * Derives a tool's input schema from the contract, so that MCP and REST accept the same. `notes` describes the arguments
 * to assistants; `omit` leaves out those that only developers need.
 */
export function toolInput<Input, Properties extends TProperties = TProperties>(
  contract: TObject<Properties>,
  notes: ArgumentNotes<Properties>,
  omit: (keyof Properties)[] = [],
): StandardSchemaWithJSON<Input, Input> {
  return checkedInput(contract, notes, omit, 'Nothing was done. Correct the arguments and call the tool again.');
}

/** Like `toolInput`, for a prompt, whose arguments a person writes. */
export function promptInput<Input, Properties extends TProperties = TProperties>(
  contract: TObject<Properties>,
  notes: ArgumentNotes<Properties>,
): StandardSchemaWithJSON<Input, Input> {
  return checkedInput(contract, notes, [], 'Correct the arguments and ask for the prompt again.');
}

function checkedInput<Input, Properties extends TProperties>(
  contract: TObject<Properties>,
  notes: ArgumentNotes<Properties>,
  omit: (keyof Properties)[],
  advice: string,
): StandardSchemaWithJSON<Input, Input> {
  const schema = simplifySchema(contract) as { properties: Record<string, Json> };
  for (const name of omit) delete schema.properties[name as string];
  for (const [name, description] of Object.entries<string | undefined>(notes)) {
    const property = schema.properties[name];
    if (property && description) property.description = description;
  }
  return fromJsonSchema<Input>(schema as JsonSchemaType, {
    getValidator: <T>(compiled: JsonSchemaType) => {
      const check = ajv.compile<T>(compiled);
      return (input) =>
        check(input)
          ? { valid: true, data: input, errorMessage: undefined }
          : {
              valid: false,
              data: undefined,
              errorMessage: `${faultText(check.errors?.[0], Object.keys(schema.properties))} ${advice}`,
            };
    },
  });
}

/**
 * Derives a tool's output schema from the contract. It informs clients but is not enforced: a completed write must not
 * be reported as failed because its result does not match.
 */
export function toolOutput(contract: TObject): StandardSchemaWithJSON {
  return fromJsonSchema(simplifySchema(contract) as JsonSchemaType, {
    getValidator<T>(): JsonSchemaValidator<T> {
      return (input) => ({ valid: true, data: input as T, errorMessage: undefined });
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

/**
 * Rewrites a schema with the keywords that most assistants' converters understand: maps as `additionalProperties`, a
 * `type` on every enum. It accepts the same values.
 */
function simplifySchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(simplifySchema);
  if (typeof schema !== 'object' || schema === null) return schema;
  const plain: Json = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, simplifySchema(value)]));
  const anyKey = (plain.patternProperties as Json | undefined)?.['^.*$'];
  if (anyKey) {
    delete plain.patternProperties;
    plain.additionalProperties = Object.keys(anyKey).length === 0 ? true : anyKey;
  }
  if (Array.isArray(plain.enum) && plain.enum.every((value) => typeof value === 'string')) plain.type = 'string';
  return plain;
}

function faultText(error: ErrorObject | undefined, known: string[]): string {
  const where = error?.instancePath.slice(1).replaceAll('/', '.') ?? '';
  const subject = where ? `\`${where}\`` : 'the arguments';
  const extra = error?.params.additionalProperty as string | undefined;
  const allowed = error?.params.allowedValues as string[] | undefined;
  const fault = extra
    ? `${subject} must not have a field \`${extra}\`${where ? '' : `; known fields: ${known.join(', ')}`}`
    : `${subject} ${error?.message ?? 'must match the input schema'}${allowed ? `: ${allowed.join(', ')}` : ''}`;
  return `invalid_request: ${fault}.`;
}
