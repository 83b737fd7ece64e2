import { type Static, Type } from 'typebox';
import {
  AnyId,
  CountedPage,
  MadeId,
  Metadata,
  Name,
  NamedValues,
  orderQuery,
  Page,
  PageQuery,
  partlyIndexedProperty,
  redactedProperty,
  strict,
  Text,
  Timestamp,
  Version,
} from './common.ts';
import { AppError } from './errors.ts';
import {
  answerProperties,
  authorField,
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
import { EXPIRES_SOON_DAYS, EXPIRIES, SOURCE_KINDS } from './memory-filters.ts';
import { ORIGINS } from './origin.ts';
import { projectQuery } from './project.ts';
import { MAX_RELATED } from './related.ts';

export const MAX_TAGS = 64;
export const MAX_CONTENT = 100_000;
const MAX_METADATA_FILTERS = 16;
const Tags = Type.Array(Name, { maxItems: MAX_TAGS, uniqueItems: true });
/** An id in the caller's own system. Compared byte for byte. */
export const ExternalId = Type.String({ minLength: 1, maxLength: 255, pattern: '^[^\\u0000-\\u001f\\u007f]+$' });
const SourceId = Type.Optional(AnyId);
/** Where a memory comes from. */
export const MemorySource = Type.Object({ conversationId: SourceId, messageId: SourceId, episodeId: SourceId }, strict);

export const MemorySourceKind = Type.Enum([...SOURCE_KINDS]);
export const MemoryExpiry = Type.Enum([...EXPIRIES]);

/** The origin of a memory, as its writer states it. */
export const MemoryOrigin = Type.Enum([...ORIGINS], {
  description: 'Who said it: a person, an assistant, a tool, a program, an import or an extraction; `null` if unknown',
});
const StoringClient = Type.String({
  description: 'The client that stored it, as in activity but without a version; `null` if unknown',
});

const SaidAgain = Type.String({
  format: 'date-time',
  description: 'When its text was corrected or stored again: newer than `occurredAt` and `createdAt`, or else `null`',
});

export const memoryFields = {
  id: text(MadeId('mem')),
  content: text(Text(MAX_CONTENT), { create: 'required', change: 'set' }),
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
  client: text(Name, { answer: StoringClient, nullable: true, default: null }),
  author: authorField,
  origin: text(MemoryOrigin, {
    answer: MemoryOrigin,
    nullable: true,
    create: 'optional',
    change: 'set-or-clear',
    default: null,
  }),
  occurredAt: timestamp({ nullable: true, create: 'optional', change: 'set-or-clear' }),
  expiresAt: timestamp({ nullable: true, create: 'optional', change: 'set-or-clear' }),
  pinned: boolean({
    description: 'Lists the memory first in the profile; does not affect search ranking',
    create: 'optional',
    change: 'set',
    default: false,
  }),
  saidAt: timestamp({ answer: SaidAgain, nullable: true, default: null }),
  validFrom: timestamp(),
  validTo: timestamp({ nullable: true }),
  supersededBy: text(MadeId('mem'), { nullable: true }),
  version: integer(Version),
  createdAt: timestamp(),
  updatedAt: timestamp(),
};

/** When a memory was last said: of two about the same, the later one holds. Takes an item of the API or a row. */
export function lastSaid<T>({
  saidAt,
  occurredAt,
  createdAt,
}: {
  saidAt: T | null;
  occurredAt: T | null;
  createdAt: T;
}): T {
  return saidAt ?? occurredAt ?? createdAt;
}

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

/** Body of a POST of one memory. */
export const MemoryAddition = Type.Object(
  {
    ...NewMemory.properties,
    related: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_RELATED,
        default: 0,
        description: 'How many memories about the same the answer lists, of which it may replace one',
      }),
    ),
  },
  strict,
);
export type MemoryAddition = Static<typeof MemoryAddition>;

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
    validTo: Type.Optional(
      Type.Union([Timestamp, Type.Null()], {
        description:
          'Since when it is outdated and nothing replaces it; `null` makes it current again. The only field of its request',
      }),
    ),
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
  related: Type.Optional(
    Type.Array(Memory, {
      description:
        'What is stored about the same, most alike first, if the request asks for it with `related`. If the new memory replaces one of them, send it again with `supersedes`',
    }),
  ),
  ...partlyIndexedProperty,
  ...redactedProperty,
});
export type AddedMemory = Static<typeof AddedMemory>;
export const AddedMemories = Type.Object({ data: Type.Array(AddedMemory) });

/** The answer to changing a memory. */
export const ChangedMemory = Type.Object({ ...Memory.properties, ...partlyIndexedProperty, ...redactedProperty });
export type ChangedMemory = Static<typeof ChangedMemory>;

export const MemoryPage = CountedPage(Memory);
export const MemoryHistory = Page(Memory);
export const MemoryHistoryQuery = Type.Object(PageQuery, strict);
export type MemoryHistoryQuery = Static<typeof MemoryHistoryQuery>;

/** The conditions of a filter. */
export const filterFields = {
  user: Type.Optional(Name),
  ...projectQuery,
  tag: Type.Optional(Name),
  tags: Type.Optional(Type.Array(Name, { maxItems: MAX_TAGS, description: 'A memory must have all of them' })),
  metadata: Type.Optional(
    NamedValues<string | number | boolean>(Type.Union([Type.String(), Type.Number(), Type.Boolean()]), {
      maxProperties: MAX_METADATA_FILTERS,
      description: 'Top-level members with these values, compared as text',
    }),
  ),
  source: Type.Optional(Type.String({ ...AnyId, description: 'Id of a conversation, message or episode in `source`' })),
  sourceKind: Type.Optional(
    Type.Enum([...SOURCE_KINDS], { description: 'The most specific id in `source`; `none`: without a source' }),
  ),
  client: Type.Optional(Type.String({ ...Name, description: 'Only memories that this client stored' })),
  externalId: Type.Optional(ExternalId),
  after: Type.Optional(Timestamp),
  before: Type.Optional(Timestamp),
  pinned: Type.Optional(Type.Boolean({ description: 'true: only pinned memories; false: only unpinned ones' })),
  expires: Type.Optional(
    Type.Enum([...EXPIRIES], {
      description: `soon: only memories that expire within ${EXPIRES_SOON_DAYS} days; any: only memories with an \`expiresAt\``,
    }),
  ),
  includeSuperseded: Type.Optional(Type.Boolean({ default: false })),
};

/** Selects memories; all conditions must hold. */
export const MemoryFilter = Type.Object(filterFields, strict);
export type MemoryFilter = Static<typeof MemoryFilter>;

export const MEMORY_ORDERS = ['createdAt', 'occurredAt', 'updatedAt'] as const;
export const MemoryOrder = Type.Enum([...MEMORY_ORDERS]);
/** Parameters of a list of memories besides the filter. */
export const memoryPageFields = {
  ...PageQuery,
  orderBy: Type.Optional(
    Type.Enum([...MEMORY_ORDERS], {
      default: 'createdAt',
      description: 'Memories without `occurredAt` come last, whatever the order',
    }),
  ),
  ...orderQuery,
};

export const MemoriesQuery = Type.Object({ ...memoryPageFields, ...filterFields }, strict);
export type MemoriesQuery = Static<typeof MemoriesQuery>;

const { metadata: _, ...textFields } = filterFields;
const METADATA_PREFIX = 'metadata.';

/** A filter in a URL: `tags` may be repeated, and each `metadata.KEY=VALUE` is a member of `metadata`. */
export const filterTextFields = { ...textFields, tags: Type.Optional(Type.Union([Name, filterFields.tags])) };
/** Schema options of a query string with a filter. */
export const filterTextOptions = {
  ...strict,
  patternProperties: { '^metadata\\..': { type: 'string', maxLength: 16_384 } },
} as const;

/** `MemoriesQuery` in a URL. */
export const MemoriesQueryText = Type.Object({ ...memoryPageFields, ...filterTextFields }, filterTextOptions);

/** Reads a query string. Throws `invalid_request` for too many members of `metadata`. */
export function filterOf<Given extends { tags?: string | string[] }>(
  given: Given,
): Omit<Given, 'tags'> & Pick<MemoryFilter, 'tags' | 'metadata'> {
  const { tags, ...rest } = given;
  const members = Object.entries(rest).filter(([name]) => name.startsWith(METADATA_PREFIX)) as [string, string][];
  if (members.length > MAX_METADATA_FILTERS) {
    const errors = [{ path: members.at(-1)![0], message: `is more than the ${MAX_METADATA_FILTERS}th` }];
    throw new AppError('invalid_request', `At most ${MAX_METADATA_FILTERS} metadata parameters are allowed.`, {
      errors,
    });
  }
  const others = Object.fromEntries(Object.entries(rest).filter(([name]) => !name.startsWith(METADATA_PREFIX)));
  return {
    ...(others as Omit<Given, 'tags'>),
    ...(tags !== undefined && { tags: [tags].flat() }),
    ...(members.length > 0 && {
      metadata: Object.fromEntries(members.map(([name, value]) => [name.slice(METADATA_PREFIX.length), value])),
    }),
  };
}
