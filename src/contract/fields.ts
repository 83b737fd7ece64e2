import { type Static, type TNull, type TObject, type TOptional, type TSchema, type TUnion, Type } from 'typebox';
import { KeptMetadata, Name, Nullable, Timestamp } from './common.ts';

/**
 * One table of fields per resource: each field says once what it accepts, how it is stored, who may set it and whether
 * it is exported. The schemas of the API follow from the table here; the columns and the conversion between rows and
 * values follow from it in `db/row-codec.ts`.
 */
export type Fields = Readonly<Record<string, Field>>;

export interface Field extends FieldRules {
  kind: FieldKind;
  /** Schema of what is accepted, from callers and from exports. */
  value: TSchema;
  /** Schema of what is answered. */
  answer: TSchema;
}

/** How a value is stored: timestamps as epoch milliseconds, booleans as 0 or 1, `json` as JSON text. */
export type FieldKind = 'text' | 'integer' | 'boolean' | 'timestamp' | 'json';

export interface FieldRules {
  /** The column, where its name differs from the field's. */
  column?: string;
  /** The column may be empty; the answer then says `null`. */
  nullable?: true;
  /** Whether a caller gives it on creation; absent: never. */
  create?: 'required' | 'optional';
  /** Whether PATCH sets it, or sets it and clears it with `null`; absent: never. */
  change?: 'set' | 'set-or-clear';
  /** What is stored where the caller, or an export written before the field existed, gives nothing. */
  default?: unknown;
  /** `false`: not in the export; a schema: what an import accepts, where that differs from `value`. */
  portable?: false | TSchema;
  /** Every export has it, so that an import requires it although it has a default. */
  alwaysExported?: true;
  /** The schema of the answer, where its kind does not say enough. */
  answer?: TSchema;
  /** What a `boolean` says. */
  description?: string;
  /** Size limit of `json` as it is stored. */
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

/** The tenant's user whom a resource belongs to. */
export const userField = text(Name, {
  column: 'endUser',
  create: 'optional',
  default: 'default',
  alwaysExported: true,
});

/** Rules that the metadata of every resource shares. */
export const metadataRules = {
  answer: KeptMetadata,
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

/** What a caller gives on creation. */
export function newProperties<F extends Fields>(fields: F): NewProperties<F> {
  const given = properties(fields, ({ create, value }) => {
    if (create === undefined) return undefined;
    return create === 'required' ? value : Type.Optional(value);
  });
  return given as NewProperties<F>;
}

/** What PATCH changes. */
export function changeProperties<F extends Fields>(fields: F): ChangeProperties<F> {
  const changed = properties(fields, ({ change, value }) => {
    if (change === undefined) return undefined;
    return Type.Optional(change === 'set-or-clear' ? Nullable(value) : value);
  });
  return changed as ChangeProperties<F>;
}

/** What is answered: every field. */
export function answerProperties<F extends Fields>(fields: F): AnswerProperties<F> {
  const answered = properties(fields, ({ answer, nullable }) => (nullable ? Nullable(answer) : answer));
  return answered as AnswerProperties<F>;
}

/** What an export holds. An import may do without a field that has a default: older exports do not have it. */
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
