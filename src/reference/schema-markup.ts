import type { JsonSchema } from '../daemon/openapi-schemas.ts';
import { html, type Markup, NOTHING } from '../lib/html.ts';
import type { Follow } from './document-reader.ts';
import { proseMarkup } from './prose.ts';

/** An object schema with the name under which the page shows it. */
interface NamedObject {
  name: string;
  schema: JsonSchema;
}

/** Requests mark the fields that they need; responses mark those that may be absent. */
type Direction = 'request' | 'response';

/** Renders schemas as nested lists of fields. */
export interface SchemaMarkup {
  /** The type in a few words, such as `array of Memory`. */
  typeText(schema: JsonSchema): string;
  /** What a value must satisfy, and its default. */
  limits(schema: JsonSchema): string;
  /** The fields of an object that is sent or received, with those of objects in it; nothing for other types. */
  fields(schema: JsonSchema, direction: Direction): Markup;
}

export function createSchemaMarkup(follow: Follow): SchemaMarkup {
  const nameOf = (schema: JsonSchema) => (typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1)! : undefined);
  const target = (schema: JsonSchema): JsonSchema => follow(schema);
  const choices = (schema: JsonSchema) => (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined;

  function typeText(schema: JsonSchema): string {
    const own = target(schema);
    const { type, items, const: constant, format } = own;
    const parts = choices(own);
    if (parts) {
      const texts = [...new Set(parts.map(typeText))];
      return texts.join(' or ');
    }
    if (items) return `array of ${typeText(items as JsonSchema).replace(/^(.* or .*)$/, '($1)')}`;
    if (constant !== undefined) return JSON.stringify(constant);
    if (type === 'object') return nameOf(schema) ?? 'object';
    return format === 'date-time' ? 'timestamp' : String(type ?? 'any value');
  }

  /** The objects that a value consists of: itself, the items of an array, or each alternative. */
  function objectsIn(schema: JsonSchema): NamedObject[] {
    const own = target(schema);
    const parts = choices(own);
    if (parts) return parts.flatMap(objectsIn);
    if (own.items) return objectsIn(own.items as JsonSchema);
    if (own.properties) return [{ name: nameOf(schema) ?? 'object', schema: own }];
    const members = own.additionalProperties;
    return typeof members === 'object' && members !== null ? objectsIn(members as JsonSchema) : [];
  }

  function list({ schema }: NamedObject, direction: Direction, ancestors: readonly JsonSchema[] = []): Markup {
    const required = (schema.required ?? []) as string[];
    const rows = Object.entries(schema.properties as Record<string, JsonSchema>).map(([name, field]) =>
      row(name, field, required.includes(name), direction, [...ancestors, schema]),
    );
    return html`<ul class="fields">${rows}</ul>`;
  }

  function row(
    name: string,
    field: JsonSchema,
    isRequired: boolean,
    direction: Direction,
    ancestors: readonly JsonSchema[],
  ): Markup {
    const about = (field.description ?? target(field).description) as string | undefined;
    const inner = objectsIn(field).filter(({ schema }) => !ancestors.includes(schema));
    const nested = inner.map((one) => {
      const title = inner.length === 1 ? 'Fields' : `Fields of ${one.name}`;
      return html`<details><summary>${title}</summary>${list(one, direction, ancestors)}</details>`;
    });
    const isRequest = direction === 'request';
    const facts = [limits(field), isRequest || isRequired ? '' : 'optional'].filter(Boolean).join(', ');
    const head = fieldHead(name, typeText(field), facts, isRequest && isRequired);
    return html`<li>${head}${about ? html`<p>${proseMarkup(about)}</p>` : NOTHING}${nested}</li>`;
  }

  function limits(schema: JsonSchema): string {
    const own = target(schema);
    const parts = choices(own)?.map(target) ?? [];
    const items = own.items ? target(own.items as JsonSchema) : undefined;
    return constraintsOf([{ ...own, ...schema, ...(items && { items }) }, ...parts]);
  }

  function fields(schema: JsonSchema, direction: Direction): Markup {
    const objects = objectsIn(schema);
    if (objects.length === 1) return list(objects[0]!, direction);
    return html`${objects.map((one) => html`<details><summary>${one.name}</summary>${list(one, direction)}</details>`)}`;
  }

  return { typeText, limits, fields };
}

/** The first line of a field or parameter: name, type, limits, and a mark if it must be sent. */
export function fieldHead(name: string, type: string, limits: string, isRequired = false): Markup {
  const mark = isRequired ? html` <b>required</b>` : NOTHING;
  const bounds = limits === '' ? NOTHING : html` <small>${proseMarkup(limits)}</small>`;
  return html`<code>${name}</code> <span>${type}</span>${bounds}${mark}`;
}

/** Describes what the keywords of these schemas demand, and the default. Code is in backticks. */
function constraintsOf(schemas: readonly JsonSchema[]): string {
  return [...new Set(schemas.flatMap(constraints))].join(', ');
}

function constraints(schema: JsonSchema): string[] {
  const {
    minimum,
    maximum,
    minLength,
    maxLength,
    minItems,
    maxItems,
    uniqueItems,
    default: preset,
    format,
    items,
  } = schema;
  const values = (schema.enum ?? (items as JsonSchema | undefined)?.enum) as unknown[] | undefined;
  return [
    ...(values ? [values.map((value) => `\`${value}\``).join(' ')] : []),
    ...range(minimum, maximum, ''),
    ...(format === 'date-time' ? [] : range(minLength, maxLength, ' characters')),
    ...range(minItems, maxItems, ' items'),
    ...(uniqueItems === true ? ['no duplicates'] : []),
    ...(preset === undefined ? [] : [`default \`${typeof preset === 'string' ? preset : JSON.stringify(preset)}\``]),
  ];
}

function range(low: unknown, high: unknown, unit: string): string[] {
  const [least, most] = [low, high].map((bound) => (bound as number | undefined)?.toLocaleString('en'));
  if (least === undefined && most === undefined) return [];
  if (most === undefined) return [`at least ${least}${unit}`];
  return [least === undefined ? `at most ${most}${unit}` : `${least}–${most}${unit}`];
}
