import { type Static, Type } from 'typebox';
import { ClientName } from './activity.ts';
import { AnyId, Name, Nullable, Page, PageQuery, strict } from './common.ts';
import { ItemTypeName } from './search.ts';

/** The characters of a query that are stored with its search. */
export const MAX_STORED_QUERY = 2000;

const ShownResult = Type.Object({
  type: ItemTypeName,
  id: Type.String(),
  rank: Type.Integer({ description: 'From 1, as shown' }),
  used: Type.Boolean({ description: 'Feedback named it as used, or it was read or changed soon after' }),
  irrelevant: Type.Boolean({ description: 'Feedback named it as irrelevant' }),
});

/** A search or context of the last 24 hours. */
export const StoredSearch = Type.Object({
  id: Type.String(),
  query: Nullable(
    Type.String({
      description: `The first ${MAX_STORED_QUERY} characters; null in a space for a prompt that read several, and for a search that an earlier version stored`,
    }),
  ),
  user: Type.String(),
  project: Nullable(Type.String()),
  client: Nullable(Type.String({ description: 'The client that ran it, as in activity; null if unknown' })),
  bucket: Type.String({ description: 'Class of the query' }),
  types: Type.Array(ItemTypeName),
  results: Type.Array(ShownResult, { description: 'What was shown, best first' }),
  learned: Type.Boolean({ description: 'The ranking learned from feedback or use' }),
  createdAt: Type.String({ format: 'date-time' }),
});
export type StoredSearch = Static<typeof StoredSearch>;
export const StoredSearchPage = Page(StoredSearch);

export const StoredSearchesQuery = Type.Object(
  {
    user: Type.Optional(Name),
    exceptClient: Type.Optional(Type.String({ ...ClientName, description: 'Leaves out searches of this client' })),
    ...PageQuery,
  },
  strict,
);
export type StoredSearchesQuery = Static<typeof StoredSearchesQuery>;

/** How often searches showed a memory, and how often it was of use. */
export const MemoryUse = Type.Object({
  shown: Type.Integer({
    description: 'Searches and contexts that showed the memory, not counting those of the web app',
  }),
  used: Type.Integer({ description: 'How many of them it was used in, by feedback or by being read or changed' }),
});
export type MemoryUse = Static<typeof MemoryUse>;

export const MAX_USES = 200;
/** The ids of up to `MAX_USES` memories, `id` once or repeated. */
export const MemoryUsesQuery = Type.Object(
  { id: Type.Union([AnyId, Type.Array(AnyId, { minItems: 1, maxItems: MAX_USES })], { description: 'Repeatable' }) },
  strict,
);
export type MemoryUsesQuery = Static<typeof MemoryUsesQuery>;
export const MemoryUses = Type.Object({
  data: Type.Array(Type.Object({ id: Type.String(), ...MemoryUse.properties }), {
    description: 'Only memories that a search showed',
  }),
});
export type MemoryUses = Static<typeof MemoryUses>;
