/** Why a value does not match its JSON schema, as Ajv and Fastify report it. */
export interface SchemaFault {
  keyword: string;
  params: Record<string, unknown>;
  message?: string | undefined;
}

const TYPES: Record<string, string> = {
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  null: 'null',
};

const FORMATS: Record<string, string> = {
  date: 'a date such as 2026-11-30',
  'date-time': 'a time such as 2026-11-30T09:00:00Z',
};

const PATTERNS: Record<string, string> = {
  '\\S': 'must not be blank',
  '^[^\\u0000-\\u001f\\u007f]+$': 'must not have control characters',
  '^[^\\s\\u0000-\\u001f\\u007f](.*[^\\s\\u0000-\\u001f\\u007f])?$':
    'must not begin or end with white space, nor have control characters',
};

/** Returns what is expected, in words that follow the name of the field: `must have at most 64 items`. */
export function faultText({ keyword, params, message }: SchemaFault): string {
  const { limit, type, format, allowedValues, pattern } = params;
  if (keyword === 'enum') return `must be one of ${(allowedValues as unknown[]).join(', ')}`;
  if (keyword === 'type' && type !== undefined) return `must be ${namesOf([type].flat())}`;
  if (keyword === 'format' && FORMATS[String(format)]) return `must be ${FORMATS[String(format)]}`;
  if (keyword === 'pattern' && PATTERNS[String(pattern)]) return PATTERNS[String(pattern)]!;
  if (keyword === 'minimum') return `must be at least ${limit}`;
  if (keyword === 'maximum') return `must be at most ${limit}`;
  const [, bound, unit] = /^(min|max)(Length|Items|Properties)$/.exec(keyword) ?? [];
  if (unit === undefined) return message ?? 'is not valid';
  if (bound === 'min' && limit === 1) return 'must not be empty';
  const counted = unit === 'Length' ? 'character' : unit === 'Items' ? 'item' : 'field';
  return `must have at ${bound === 'min' ? 'least' : 'most'} ${limit} ${counted}${limit === 1 ? '' : 's'}`;
}

const namesOf = (types: readonly unknown[]): string => types.map((type) => TYPES[String(type)] ?? type).join(' or ');
