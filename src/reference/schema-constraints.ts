import type { JsonSchema } from '../daemon/openapi-schemas.ts';

/** Describes what the keywords of these schemas demand, and the default. Code is in backticks. */
export function constraintsOf(schemas: readonly JsonSchema[]): string {
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
