import fc from 'fast-check';
import type { JsonSchema } from '../../src/daemon/openapi-schemas.ts';

/**
 * A placeholder for something that earlier answers contained, such as `{{mem 3}}` for the id of a memory. Chosen when the
 * request is sent: see `openapi-traffic.ts`.
 */
export const marker = (kind: string) => fc.nat(999).map((choice) => `{{${kind} ${choice}}}`);

const sentences = fc
  .array(
    fc.constantFrom('Ada', 'drinks', 'oolong', 'tea', 'in', 'the', 'garden', 'at', 'four', 'yesterday', 'für', '茶'),
    {
      minLength: 1,
      maxLength: 8,
    },
  )
  .map((words) => words.join(' '));

/** Values that succeed more often than arbitrary text, by the name of their field or parameter. */
const LIKELY: Readonly<Record<string, fc.Arbitrary<string>>> = {
  conversationId: marker('conv'),
  fromMessageId: marker('msg'),
  toMessageId: marker('msg'),
  messageId: marker('msg'),
  episodeId: marker('ep'),
  searchId: marker('srch'),
  memoryIds: marker('mem'),
  topicIds: marker('top'),
  aliases: fc.constantFrom('Ada', 'Linus', 'the countess'),
  supersedes: marker('mem'),
  ids: marker('mem'),
  used: marker('result'),
  irrelevant: marker('result'),
  cursor: marker('cursor'),
  page: marker('page'),
  path: fc.constantFrom('/a.md', '/b.md', '/notes/a.md', '/notes/b.md'),
  token: marker('token'),
  ticket: marker('ticket'),
  code: marker('code'),
  deviceCode: marker('deviceCode'),
  userCode: marker('userCode'),
  codeVerifier: marker('verifier'),
  startedAt: fc.constant('2026-05-01T08:00:00.000Z'),
  endedAt: fc.constant('2026-05-01T09:00:00.000Z'),
  baseUrl: marker('provider'),
  url: marker('provider'),
  email: fc.nat(49).map((index) => `somebody-${index}@example.com`),
  user: fc.constantFrom('default', 'ada', 'bob'),
  project: fc.constantFrom('garden', 'house'),
  externalId: fc.constantFrom('first', 'second', 'third'),
  tag: fc.constantFrom('taste', 'work'),
  tags: fc.constantFrom('taste', 'work'),
  key: fc.constant('sk-test-0123456789abcdef'),
  content: sentences,
  query: sentences,
  title: sentences,
  text: sentences,
};

const INSTANTS = fc
  .date({ min: new Date('2015-01-01'), max: new Date('2035-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString());

/** Lists of ids that must differ. They get one: two markers may mean the same id. */
const DIFFERENT_IDS = ['ids', 'memoryIds', 'topicIds', 'used', 'irrelevant'];

/** Fields and parameters that are valid only with certain others. */
const DEPENDENT = ['cursor', 'page', 'projectOnly'];

/** JSON that can be stored unchanged. */
const JSON_VALUES = fc.anything({
  key: fc.string({ maxLength: 8 }),
  values: [fc.constant(null), fc.boolean(), fc.integer(), fc.string({ maxLength: 20 })],
  maxDepth: 2,
});

/** The longest text and the most members that are generated where the schema allows more. */
const MAX_LENGTH = 60;
const MAX_MEMBERS = 4;

export type Resolve = <T>(value: T | { $ref: string }) => T;

/** Generates values that are valid for schemas of the OpenAPI document. */
export function createValues(resolve: Resolve) {
  const known = new Map<string, fc.Arbitrary<unknown>>();

  function valuesOf(schema: JsonSchema, name = ''): fc.Arbitrary<unknown> {
    const key = `${name} ${JSON.stringify(schema)}`;
    const values = known.get(key) ?? build(resolve<JsonSchema>(schema), name);
    known.set(key, values);
    return values;
  }

  function build(schema: JsonSchema, name: string): fc.Arbitrary<unknown> {
    const { const: only, enum: choices, type } = schema;
    const variants = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined;
    if (only !== undefined) return fc.constant(only);
    if (choices) return fc.constantFrom(...(choices as unknown[]));
    if (variants) return fc.oneof(...variants.map((variant) => valuesOf(variant, name)));
    if (Array.isArray(type)) return fc.oneof(...type.map((one) => valuesOf({ ...schema, type: one }, name)));
    return BY_TYPE[String(type)]?.(schema, name) ?? JSON_VALUES;
  }

  const BY_TYPE: Record<string, (schema: JsonSchema, name: string) => fc.Arbitrary<unknown>> = {
    null: () => fc.constant(null),
    boolean: () => fc.boolean(),
    integer: ({ minimum = -1000, maximum = 1e9 }) =>
      fc.oneof(
        fc.integer({ min: Number(minimum), max: Math.min(Number(maximum), Number(minimum) + 50) }),
        fc.integer({ min: Number(minimum), max: Number(maximum) }),
      ),
    number: ({ minimum = -1e6, maximum = 1e6 }) =>
      fc.double({ min: Number(minimum), max: Number(maximum), noNaN: true }).map((value) => value + 0),
    string: textsOf,
    array: ({ items = {}, minItems = 0, maxItems = MAX_MEMBERS, uniqueItems = false }, name) => {
      const bounds = {
        minLength: Number(minItems),
        maxLength: Math.min(Number(maxItems), DIFFERENT_IDS.includes(name) ? 1 : MAX_MEMBERS),
      };
      const values = valuesOf(items as JsonSchema, name);
      return uniqueItems
        ? fc.uniqueArray(values, {
            ...bounds,
            comparator: (one, other) => JSON.stringify(one) === JSON.stringify(other),
          })
        : fc.array(values, bounds);
    },
    object: objectsOf,
  };

  function objectsOf(schema: JsonSchema): fc.Arbitrary<unknown> {
    const { properties = {}, required = [], additionalProperties, minProperties = 0 } = schema;
    const model = Object.entries(properties as Record<string, JsonSchema>).map(([name, one]) => [
      name,
      (required as string[]).includes(name) ? valuesOf(one, name) : optional(valuesOf(one, name), name),
    ]);
    const declared = fc.record(Object.fromEntries(model)).map((made) => withoutUndefined(made));
    const isOpen = additionalProperties !== undefined && additionalProperties !== false;
    const more = isOpen
      ? fc.dictionary(
          namesOf(schema),
          valuesOf(additionalProperties === true ? {} : (additionalProperties as JsonSchema)),
          { maxKeys: 2 },
        )
      : fc.constant({});
    return fc
      .tuple(declared, more)
      .map(([one, other]) => ({ ...other, ...one }))
      .filter((value) => Object.keys(value).length >= Number(minProperties));
  }

  return valuesOf;
}

/** Generates a value in three of ten cases, and rarely one that is valid only with certain others. */
export function optional<T>(values: fc.Arbitrary<T>, name = ''): fc.Arbitrary<T | undefined> {
  const weight = DEPENDENT.includes(name) ? 1 : 3;
  return fc.oneof({ weight: 10 - weight, arbitrary: fc.constant(undefined) }, { weight, arbitrary: values });
}

function withoutUndefined(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined));
}

function namesOf({ propertyNames }: JsonSchema): fc.Arbitrary<string> {
  const { pattern } = (propertyNames ?? {}) as { pattern?: string };
  if (pattern === undefined) return fc.constantFrom('source', 'note', 'colour', 'größe');
  return fc.stringMatching(new RegExp(pattern), { size: 'xsmall' });
}

function textsOf(schema: JsonSchema, name: string): fc.Arbitrary<string> {
  const likely = LIKELY[name];
  const valid = validTexts(schema);
  return likely ? fc.oneof({ weight: 6, arbitrary: likely }, { weight: 1, arbitrary: valid }) : valid;
}

function validTexts({ format, pattern, minLength = 0, maxLength = MAX_LENGTH }: JsonSchema): fc.Arbitrary<string> {
  const [shortest, longest] = [Number(minLength), Number(maxLength)];
  if (pattern !== undefined) {
    return fc
      .stringMatching(new RegExp(String(pattern)), { size: 'small' })
      .filter((text) => text.length >= shortest && text.length <= longest);
  }
  if (format === 'date-time') return INSTANTS;
  return fc.string({
    minLength: shortest,
    maxLength: Math.max(shortest, Math.min(longest, MAX_LENGTH)),
    unit: 'grapheme',
  });
}
