import { type Static, Type } from 'typebox';
import {
  AnyId,
  MadeId,
  Metadata,
  Name,
  NamedValues,
  Page,
  PageQuery,
  partlyIndexedProperty,
  strict,
  Text,
  Timestamp,
  Version,
} from './common.ts';
import {
  answerProperties,
  boolean,
  changeProperties,
  integer,
  json,
  metadataRules,
  newProperties,
  projectField,
  text,
  timestamp,
  userField,
} from './fields.ts';
import { projectQuery } from './project.ts';

export const MAX_TAGS = 64;
const Tags = Type.Array(Name, { maxItems: MAX_TAGS, uniqueItems: true });
/** An id in the caller's own system. Compared byte for byte. */
export const ExternalId = Type.String({ minLength: 1, maxLength: 255, pattern: '^[^\\u0000-\\u001f\\u007f]+$' });
const SourceId = Type.Optional(AnyId);
/** Where a memory comes from. */
export const MemorySource = Type.Object({ conversationId: SourceId, messageId: SourceId, episodeId: SourceId }, strict);

export const memoryFields = {
  id: text(MadeId('mem')),
  content: text(Text(100_000), { create: 'required', change: 'set' }),
  user: userField,
  project: projectField,
  externalId: text(ExternalId, { nullable: true, create: 'optional', change: 'set-or-clear', default: null }),
  tags: json(Tags, {
    answer: Type.Array(Type.String()),
    create: 'optional',
    change: 'set',
    default: [],
    alwaysExported: true,
  }),
  metadata: json(Metadata, { ...metadataRules, change: 'set' }),
  source: json(MemorySource, { answer: MemorySource, nullable: true, create: 'optional' }),
  occurredAt: timestamp({ nullable: true, create: 'optional', change: 'set-or-clear' }),
  expiresAt: timestamp({ nullable: true, create: 'optional', change: 'set-or-clear' }),
  pinned: boolean({
    description: 'Lists the memory first in the profile; does not affect search ranking',
    create: 'optional',
    change: 'set',
    default: false,
  }),
  validFrom: timestamp(),
  validTo: timestamp({ nullable: true }),
  supersededBy: text(MadeId('mem'), { nullable: true }),
  version: integer(Version),
  createdAt: timestamp(),
  updatedAt: timestamp(),
};

export const NewMemory = Type.Object(
  {
    ...newProperties(memoryFields),
    supersedes: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: 'Id of the memory that this one replaces' }),
    ),
  },
  strict,
);
export type NewMemory = Static<typeof NewMemory>;

export const NewMemories = Type.Object({ memories: Type.Array(NewMemory, { minItems: 1, maxItems: 500 }) }, strict);

/** Body of a PUT by external id, like that of POST without `supersedes`. */
export const ExternalMemory = Type.Object(newProperties(memoryFields), strict);
export type ExternalMemory = Static<typeof ExternalMemory>;

/** The external id in a path. */
export const ExternalParams = Type.Object({ externalId: ExternalId });
export const ExternalQuery = Type.Object({ user: Type.Optional(Name) }, strict);

export const MemoryChange = Type.Object(
  {
    ...changeProperties(memoryFields),
    metadataPatch: Type.Optional(
      NamedValues(true, { maxProperties: 256, description: 'JSON Merge Patch (RFC 7396) of the metadata' }),
    ),
    addTags: Type.Optional(Tags),
    removeTags: Type.Optional(Tags),
  },
  { ...strict, minProperties: 1 },
);
export type MemoryChange = Static<typeof MemoryChange>;

export const Memory = Type.Object(answerProperties(memoryFields));
export type Memory = Static<typeof Memory>;

/** The answer to adding a memory: `duplicate` is true if the memory existed already. */
export const AddedMemory = Type.Object({
  ...Memory.properties,
  duplicate: Type.Optional(Type.Boolean()),
  ...partlyIndexedProperty,
});
export type AddedMemory = Static<typeof AddedMemory>;
export const AddedMemories = Type.Object({ data: Type.Array(AddedMemory) });

/** The answer to changing a memory. */
export const ChangedMemory = Type.Object({ ...Memory.properties, ...partlyIndexedProperty });
export type ChangedMemory = Static<typeof ChangedMemory>;

export const MemoryPage = Page(Memory);
export const MemoryHistory = Type.Object({ data: Type.Array(Memory, { description: 'All versions, newest first' }) });

export const MemoriesQuery = Type.Object(
  {
    ...PageQuery,
    user: Type.Optional(Name),
    ...projectQuery,
    tag: Type.Optional(Name),
    externalId: Type.Optional(ExternalId),
    after: Type.Optional(Timestamp),
    before: Type.Optional(Timestamp),
    pinned: Type.Optional(Type.Boolean({ description: 'true: only pinned memories; false: only unpinned ones' })),
    includeSuperseded: Type.Optional(Type.Boolean({ default: false })),
  },
  strict,
);
export type MemoriesQuery = Static<typeof MemoriesQuery>;
