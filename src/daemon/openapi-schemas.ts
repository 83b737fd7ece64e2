/** A JSON schema as in the OpenAPI document. */
export interface JsonSchema {
  [keyword: string]: unknown;
}

/** Keywords whose value is a schema, a list of schemas or schemas by name. */
const ONE = ['items', 'additionalProperties', 'propertyNames', 'not'];
const LIST = ['anyOf', 'oneOf', 'allOf'];
const BY_NAME = ['properties'];
/** How TypeBox spells a record with any member names. */
const ANY_NAME = '^.*$';

/** Refers to named schemas instead of repeating them. */
export interface SchemaReferences {
  /** The named schemas, with references in them. */
  components: Record<string, JsonSchema>;
  /** Returns the schema with a `$ref` wherever a named schema occurs in it. */
  refer(schema: JsonSchema): JsonSchema;
}

/** Recognizes a named schema by its content, except for its description and default. */
export function createSchemaReferences(named: Readonly<Record<string, object>>): SchemaReferences {
  const schemas = Object.entries(named).map(([name, schema]): [string, JsonSchema] => [name, plain(schema)]);
  const known = new Map(
    schemas.map(([name, schema]) => [contentOf(schema), { name, description: schema.description }]),
  );

  function refer(schema: JsonSchema): JsonSchema {
    const found = known.get(contentOf(schema));
    if (found === undefined) return referWithin(schema);
    const { description, default: byDefault } = schema;
    return {
      $ref: `#/components/schemas/${found.name}`,
      ...(description !== found.description && { description }),
      ...(byDefault !== undefined && { default: byDefault }),
    };
  }

  function referWithin(schema: JsonSchema): JsonSchema {
    const { discriminator, oneOf } = schema;
    const referred = typed(mapSchemas(schema, refer));
    if (!discriminator || !Array.isArray(oneOf)) return referred;
    const { propertyName } = discriminator as { propertyName: string };
    const mapping = oneOf.map((variant: JsonSchema) => [variantOf(variant, propertyName), refer(variant).$ref]);
    return { ...referred, discriminator: { propertyName, mapping: Object.fromEntries(mapping) } };
  }

  return {
    components: Object.fromEntries(schemas.map(([name, schema]) => [name, referWithin(schema)])),
    refer: (schema) => refer(plain(schema)),
  };
}

/** Applies `change` to the schemas directly within a schema. */
function mapSchemas(schema: JsonSchema, change: (inner: JsonSchema) => JsonSchema): JsonSchema {
  const changed = Object.entries(schema).map(([keyword, value]) => {
    if (typeof value !== 'object' || value === null) return [keyword, value];
    if (ONE.includes(keyword)) return [keyword, change(value as JsonSchema)];
    if (LIST.includes(keyword)) return [keyword, (value as JsonSchema[]).map(change)];
    if (!BY_NAME.includes(keyword)) return [keyword, value];
    const inner = Object.entries(value as Record<string, JsonSchema>);
    return [keyword, Object.fromEntries(inner.map(([name, one]) => [name, change(one)]))];
  });
  return Object.fromEntries(changed);
}

/** Returns the schema as JSON, with records spelled like `@fastify/swagger` does. */
function plain(schema: object): JsonSchema {
  return JSON.parse(JSON.stringify(schema), (_, value) => {
    if (value?.patternProperties?.[ANY_NAME] === undefined) return value;
    const { patternProperties, ...rest } = value;
    return { ...rest, additionalProperties: patternProperties[ANY_NAME] };
  });
}

function contentOf({ description: _, default: __, ...content }: JsonSchema): string {
  return JSON.stringify(content);
}

/** The constant that distinguishes a variant from the others. */
function variantOf({ properties }: JsonSchema, propertyName: string): string {
  return String((properties as Record<string, { const?: unknown }>)[propertyName]?.const);
}

/**
 * Spells types as generators understand them: an enumeration of strings names its type, and a text or array becomes one
 * variant for each.
 */
function typed(schema: JsonSchema): JsonSchema {
  const { enum: values, type, description, minLength, maxLength, pattern, ...array } = schema;
  if (Array.isArray(type) && type.includes('string') && type.includes('array')) {
    const text = { type: 'string', minLength, maxLength, pattern };
    return { ...(description !== undefined && { description }), anyOf: [text, { ...array, type: 'array' }] };
  }
  const isText = Array.isArray(values) && values.every((value) => typeof value === 'string');
  return isText && type === undefined ? { type: 'string', ...schema } : schema;
}
