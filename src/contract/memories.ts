import { type Static, Type } from 'typebox';
import { KeptMetadata, Metadata, Name, Nullable, Page, PageQuery, strict, Timestamp } from './common.ts';

const Content = Type.String({ minLength: 1, maxLength: 100_000, pattern: '\\S' });
const Tags = Type.Array(Name, { maxItems: 64, uniqueItems: true });
const SourceId = Type.Optional(Type.String({ minLength: 1, maxLength: 64 }));
const Source = Type.Object({ conversationId: SourceId, messageId: SourceId, episodeId: SourceId }, strict);

export const NewMemory = Type.Object(
  {
    content: Content,
    user: Type.Optional(Name),
    tags: Type.Optional(Tags),
    metadata: Type.Optional(Metadata),
    occurredAt: Type.Optional(Timestamp),
    expiresAt: Type.Optional(Timestamp),
    source: Type.Optional(Source),
    supersedes: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: 'The memory that this replaces' }),
    ),
  },
  strict,
);
export type NewMemory = Static<typeof NewMemory>;

export const NewMemories = Type.Object({ memories: Type.Array(NewMemory, { minItems: 1, maxItems: 500 }) }, strict);

export const MemoryChange = Type.Object(
  {
    content: Type.Optional(Content),
    tags: Type.Optional(Tags),
    metadata: Type.Optional(Metadata),
    occurredAt: Type.Optional(Nullable(Timestamp)),
    expiresAt: Type.Optional(Nullable(Timestamp)),
  },
  { ...strict, minProperties: 1 },
);
export type MemoryChange = Static<typeof MemoryChange>;

export const Memory = Type.Object({
  id: Type.String(),
  content: Type.String(),
  user: Type.String(),
  tags: Type.Array(Type.String()),
  metadata: KeptMetadata,
  source: Nullable(Source),
  occurredAt: Nullable(Type.String({ format: 'date-time' })),
  expiresAt: Nullable(Type.String({ format: 'date-time' })),
  validFrom: Type.String({ format: 'date-time' }),
  validTo: Nullable(Type.String({ format: 'date-time' })),
  supersededBy: Nullable(Type.String()),
  version: Type.Integer(),
  createdAt: Type.String({ format: 'date-time' }),
  updatedAt: Type.String({ format: 'date-time' }),
});
export type Memory = Static<typeof Memory>;

/** A memory as the answer to adding it: `duplicate` where it was there already. */
export const AddedMemory = Type.Object({ ...Memory.properties, duplicate: Type.Optional(Type.Boolean()) });
export type AddedMemory = Static<typeof AddedMemory>;
export const AddedMemories = Type.Object({ data: Type.Array(AddedMemory) });

export const MemoryPage = Page(Memory);
export const MemoryHistory = Type.Object({ data: Type.Array(Memory, { description: 'All versions, newest first' }) });

export const MemoriesQuery = Type.Object(
  {
    ...PageQuery,
    user: Type.Optional(Name),
    tag: Type.Optional(Name),
    after: Type.Optional(Timestamp),
    before: Type.Optional(Timestamp),
    includeSuperseded: Type.Optional(Type.Boolean({ default: false })),
  },
  strict,
);
export type MemoriesQuery = Static<typeof MemoriesQuery>;
