import { type Static, type TSchema, Type } from 'typebox';
import { Problem } from './problem.ts';

/** An object that refuses fields it does not name. */
export const strict = { additionalProperties: false } as const;

export const Timestamp = Type.String({ format: 'date-time', maxLength: 40, description: 'RFC 3339' });
export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** A name that a caller gives: a user, a tag. Compared byte for byte; control characters are refused. */
export const Name = Type.String({ minLength: 1, maxLength: 256, pattern: '^[^\\u0000-\\u001f\\u007f]+$' });

/** Text of up to so many characters, not all of them white space. */
export const Text = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: '\\S' });

/** An id that svc makes, as an import accepts it. */
export const MadeId = (prefix: string) => Type.String({ pattern: `^${prefix}_[0-9a-f]{32}$` });
/** The id of something that need not exist. */
export const AnyId = Type.String({ minLength: 1, maxLength: 64 });

/** Versions and counts are counted on from what an import says. */
export const LARGEST_COUNT = 2_000_000_000;
export const Version = Type.Integer({ minimum: 1, maximum: LARGEST_COUNT });

/** A JSON object under names that the caller chooses; `value` is the schema of each member, `true` any JSON. */
export const NamedValues = <T = unknown>(
  value: TSchema | true,
  options: { maxProperties: number; description: string },
) =>
  Type.Unsafe<Record<string, T>>({
    type: 'object',
    propertyNames: { minLength: 1, maxLength: 256 },
    additionalProperties: value,
    ...options,
  });

/** What a caller keeps beside a thing of his, of any shape. */
export const Metadata = NamedValues(true, { maxProperties: 64, description: 'Any JSON, 16 KiB at most' });
/** The same in an answer. */
export const KeptMetadata = Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true });

/** The id in a path. Anything that is no id is an id that does not exist. */
export const IdParams = Type.Object({ id: Type.String({ maxLength: 300 }) });
export type IdParams = Static<typeof IdParams>;

export const PageQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  cursor: Type.Optional(Type.String({ maxLength: 2000 })),
};

export const Page = <T extends TSchema>(item: T) =>
  Type.Object({ data: Type.Array(item), nextCursor: Nullable(Type.String()) });

export const NoContent = Type.Null({ description: 'No content' });

/** The error answers that every route shares, for the OpenAPI document. */
export const problems = { '4xx': Problem, '5xx': Problem } as const;
