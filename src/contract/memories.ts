import { type Static, Type } from 'typebox';
import { AnyId, MadeId, Metadata, Name, Page, PageQuery, strict, Text, Timestamp, Version } from './common.ts';
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

const Tags = Type.Array(Name, { maxItems: 64, uniqueItems: true });
const SourceId = Type.Optional(AnyId);
/** Where a memory comes from. */
export const MemorySource = Type.Object({ conversationId: SourceId, messageId: SourceId, episodeId: SourceId }, strict);

export const memoryFields = {
  id: text(MadeId('mem')),
  content: text(Text(100_000), { create: 'required', change: 'set' }),
  user: userField,
  project: projectField,
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

export const MemoryChange = Type.Object(changeProperties(memoryFields), { ...strict, minProperties: 1 });
export type MemoryChange = Static<typeof MemoryChange>;

export const Memory = Type.Object(answerProperties(memoryFields));
export type Memory = Static<typeof Memory>;

/** The answer to adding a memory: `duplicate` is true if the memory existed already. */
export const AddedMemory = Type.Object({ ...Memory.properties, duplicate: Type.Optional(Type.Boolean()) });
export type AddedMemory = Static<typeof AddedMemory>;
export const AddedMemories = Type.Object({ data: Type.Array(AddedMemory) });

export const MemoryPage = Page(Memory);
export const MemoryHistory = Type.Object({ data: Type.Array(Memory, { description: 'All versions, newest first' }) });

export const MemoriesQuery = Type.Object(
  {
    ...PageQuery,
    user: Type.Optional(Name),
    ...projectQuery,
    tag: Type.Optional(Name),
    after: Type.Optional(Timestamp),
    before: Type.Optional(Timestamp),
    pinned: Type.Optional(Type.Boolean({ description: 'true: only pinned memories; false: only unpinned ones' })),
    includeSuperseded: Type.Optional(Type.Boolean({ default: false })),
  },
  strict,
);
export type MemoriesQuery = Static<typeof MemoriesQuery>;
