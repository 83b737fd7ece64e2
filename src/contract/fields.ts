import { type Static, type TNull, type TObject, type TOptional, type TSchema, type TUnion, Type } from 'typebox';
import { Name, Nullable, StoredMetadata, Timestamp } from './common.ts';
import { Project } from './project.ts';

/**
 * A resource's fields by name. Each field declares what it accepts, how it is stored, when a caller may set it and
 * whether it is exported. The API schemas are derived here; columns and row conversion, in `db/row-codec.ts`.
 */
export type Fields = Readonly<Record<string, Field>>;

export interface Field extends FieldRules {
  kind: FieldKind;
  /** Schema of accepted values, in requests and imports. */
  value: TSchema;
  /** Schema of values in responses. */
  answer: TSchema;
}

/** How a value is stored: timestamps as epoch milliseconds, booleans as 0 or 1, `json` as JSON text. */
export type FieldKind = 'text' | 'integer' | 'boolean' | 'timestamp' | 'json';

export interface FieldRules {
  /** Column name, if it differs from the field name. */
  column?: string;
  /** Allows `null` in the column and in responses. */
  nullable?: true;
  /** Whether a create request contains the field; absent: never. */
  create?: 'required' | 'optional';
  /** Whether PATCH can set the field, or also clear it with `null`; absent: neither. */
  change?: 'set' | 'set-or-clear';
  /** Stored if a create request, or an export written before the field existed, omits the field. */
  default?: unknown;
  /** `false`: not exported. A schema: what an import accepts, if that differs from `value`. */
  portable?: false | TSchema;
  /** Every export contains the field, so imports require it despite its default. */
  alwaysExported?: true;
  /** Schema of the value in responses, if it differs from that of the kind. */
  answer?: TSchema;
  /** Description of a `boolean`, for the OpenAPI document. */
  description?: string;
  /** Size limit of a `json` value as stored. */
  maxBytes?: number;
}

type FieldOf<Kind, Value, Answer, Rules> = Omit<Rules, 'answer'> & {
  kind: Kind;
  value: Value;
  answer: Rules extends { answer: infer Own extends TSchema } ? Own : Answer;
};

function field<Kind extends FieldKind, Value extends TSchema, Answer extends TSchema, Rules extends FieldRules>(
  kind: Kind,
  value: Value,
  answer: Answer,
  rules?: Rules,
) {
  return { answer, ...rules, kind, value } as unknown as FieldOf<Kind, Value, Answer, Rules>;
}

const TEXT = Type.String();
const INTEGER = Type.Integer();
const describedBoolean = ({ description }: FieldRules = {}) =>
  Type.Boolean(description === undefined ? {} : { description });
const ANSWERED_TIMESTAMP = Type.String({ format: 'date-time' });

export const text = <Value extends TSchema, const Rules extends FieldRules = FieldRules>(value: Value, rules?: Rules) =>
  field('text', value, TEXT, rules);
export const integer = <Value extends TSchema, const Rules extends FieldRules = FieldRules>(
  value: Value,
  rules?: Rules,
) => field('integer', value, INTEGER, rules);
export const boolean = <const Rules extends FieldRules = FieldRules>(rules?: Rules) =>
  field('boolean', describedBoolean(rules), describedBoolean(rules), rules);
export const timestamp = <const Rules extends FieldRules = FieldRules>(rules?: Rules) =>
  field('timestamp', Timestamp, ANSWERED_TIMESTAMP, rules);
export const json = <Value extends TSchema, const Rules extends FieldRules & { answer: TSchema }>(
  value: Value,
  rules: Rules,
) => field('json', value, value, rules);

/** The end user that a resource belongs to. */
export const userField = text(Name, {
  column: 'endUser',
  create: 'optional',
  default: 'default',
  alwaysExported: true,
});

/** The address of the member who wrote a resource in a space. Exports name it; imports store who imports instead. */
export const authorField = text(Name, {
  answer: Type.String({ description: 'The address of the member who wrote it in a space; `null` elsewhere' }),
  nullable: true,
  default: null,
});

/** The project that a resource belongs to, if any. */
export const projectField = text(Project, {
  nullable: true,
  create: 'optional',
  change: 'set-or-clear',
  default: null,
});

/** Rules shared by the metadata of all resources. */
export const metadataRules = {
  answer: StoredMetadata,
  maxBytes: 16 * 1024,
  create: 'optional',
  default: {},
  alwaysExported: true,
} as const;

type OrNull<F, Schema extends TSchema> = F extends { nullable: true } ? TUnion<[Schema, TNull]> : Schema;
type IsRequiredInPortable<F> = F extends { alwaysExported: true }
  ? true
  : F extends { default: unknown }
    ? false
    : true;
type PortableValue<F extends Field> = F extends { portable: infer Own extends TSchema } ? Own : F['value'];

export type NewProperties<F extends Fields> = {
  [Name in keyof F as F[Name] extends { create: string } ? Name : never]: F[Name] extends { create: 'required' }
    ? F[Name]['value']
    : TOptional<F[Name]['value']>;
};

export type ChangeProperties<F extends Fields> = {
  [Name in keyof F as F[Name] extends { change: string } ? Name : never]: TOptional<
    F[Name] extends { change: 'set-or-clear' } ? TUnion<[F[Name]['value'], TNull]> : F[Name]['value']
  >;
};

export type AnswerProperties<F extends Fields> = { [Name in keyof F]: OrNull<F[Name], F[Name]['answer']> };

export type PortableProperties<F extends Fields> = {
  [Name in keyof F as F[Name] extends { portable: false } ? never : Name]: IsRequiredInPortable<F[Name]> extends true
    ? OrNull<F[Name], PortableValue<F[Name]>>
    : TOptional<OrNull<F[Name], PortableValue<F[Name]>>>;
};

export type NewOf<F extends Fields> = Static<TObject<NewProperties<F>>>;
export type ChangeOf<F extends Fields> = Static<TObject<ChangeProperties<F>>>;
export type AnswerOf<F extends Fields> = Static<TObject<AnswerProperties<F>>>;
export type PortableOf<F extends Fields> = Static<TObject<PortableProperties<F>>>;

/** Returns the schema properties of a create request. */
export function newProperties<F extends Fields>(fields: F): NewProperties<F> {
  const accepted = properties(fields, ({ create, value }) => {
    if (create === undefined) return undefined;
    return create === 'required' ? value : Type.Optional(value);
  });
  return accepted as NewProperties<F>;
}

/** Returns the schema properties of a PATCH request. */
export function changeProperties<F extends Fields>(fields: F): ChangeProperties<F> {
  const changed = properties(fields, ({ change, value }) => {
    if (change === undefined) return undefined;
    return Type.Optional(change === 'set-or-clear' ? Nullable(value) : value);
  });
  return changed as ChangeProperties<F>;
}

/** Returns the schema properties of a response: every field. */
export function answerProperties<F extends Fields>(fields: F): AnswerProperties<F> {
  const answered = properties(fields, ({ answer, nullable }) => (nullable ? Nullable(answer) : answer));
  return answered as AnswerProperties<F>;
}

/** Returns the schema properties of an exported record. Fields with a default are optional: older exports lack them. */
export function portableProperties<F extends Fields>(fields: F): PortableProperties<F> {
  const exported = properties(fields, (one) => {
    if (one.portable === false) return undefined;
    const schema = one.portable ?? one.value;
    const value = one.nullable ? Nullable(schema) : schema;
    return isRequiredInPortable(one) ? value : Type.Optional(value);
  });
  return exported as PortableProperties<F>;
}

function isRequiredInPortable({ default: byDefault, alwaysExported }: Field): boolean {
  return alwaysExported === true || byDefault === undefined;
}

function properties(fields: Fields, schemaOf: (field: Field) => TSchema | undefined): unknown {
  const schemas = Object.entries(fields).map(([name, one]) => [name, schemaOf(one)] as const);
  return Object.fromEntries(schemas.filter(([, schema]) => schema !== undefined));
}
