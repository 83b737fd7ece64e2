import { type Static, type TSchema, Type } from 'typebox';
import { Nullable, strict, Timestamp } from './common.ts';

/** The pages of lists that contain the content of each item. */
export const MAX_FULL_ITEMS = 20;
export const MAX_STORE_METADATA = 16;

export const MemoryView = Type.Enum(['basic', 'full']);
/** What Anthropic's SDK appends to every address of a beta. */
const sentBySdk = { beta: Type.Optional(Type.String({ maxLength: 16, description: 'Ignored' })) };
const pageQuery = {
  ...sentBySdk,
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
  page: Type.Optional(Type.String({ maxLength: 2000, description: 'The `next_page` of the previous page' })),
};
const createdQuery = {
  'created_at[gte]': Type.Optional({ ...Timestamp, description: 'Only those made at this time or later' }),
  'created_at[lte]': Type.Optional({ ...Timestamp, description: 'Only those made at this time or earlier' }),
};
const Page = <T extends TSchema>(item: T) =>
  Type.Object({ data: Type.Array(item), next_page: Nullable(Type.String()) });

/** The id of a user's store is its name in base64url after `memstore_user_`: 256 characters of up to four bytes. */
const StoreId = Type.String({ maxLength: 1380, description: 'The id of the memory store' });
const Id = (of: string) => Type.String({ maxLength: 300, description: `The id of the ${of}` });
export const StoreParams = Type.Object({ memory_store_id: StoreId });
export const FileParams = Type.Object({ memory_store_id: StoreId, memory_id: Id('memory') });
export const FileVersionParams = Type.Object({ memory_store_id: StoreId, memory_version_id: Id('version') });

const StoreName = Type.String({ minLength: 1, maxLength: 255, pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]+$' });
const Description = Type.String({ maxLength: 1024 });
const Value = Type.String({ maxLength: 512 });
const Pairs = <T>(value: TSchema, description: string) =>
  Type.Unsafe<Record<string, T>>({
    type: 'object',
    propertyNames: { minLength: 1, maxLength: 64 },
    additionalProperties: value,
    maxProperties: 2 * MAX_STORE_METADATA,
    description,
  });

export const NewMemoryStore = Type.Object(
  {
    name: StoreName,
    description: Type.Optional(Description),
    metadata: Type.Optional(Pairs<string>(Value, 'At most 16 pairs of your own')),
  },
  strict,
);
export type NewMemoryStore = Static<typeof NewMemoryStore>;

export const MemoryStoreChange = Type.Object(
  {
    name: Type.Optional(Nullable(StoreName)),
    description: Type.Optional(Nullable(Description)),
    metadata: Type.Optional(Nullable(Pairs<string | null>(Nullable(Value), 'Pairs to set, or to remove with null'))),
  },
  strict,
);
export type MemoryStoreChange = Static<typeof MemoryStoreChange>;

export const MemoryStore = Type.Object({
  id: Type.String(),
  type: Type.Literal('memory_store'),
  name: Type.String(),
  description: Type.String(),
  metadata: Type.Unsafe<Record<string, string>>({ type: 'object', additionalProperties: { type: 'string' } }),
  created_at: Type.String({ format: 'date-time' }),
  updated_at: Type.String({ format: 'date-time' }),
  archived_at: Nullable(Type.String({ format: 'date-time' })),
});
export type MemoryStore = Static<typeof MemoryStore>;

export const SdkQuery = Type.Object(sentBySdk, strict);
export const MemoryStoresQuery = Type.Object(
  {
    ...pageQuery,
    ...createdQuery,
    include_archived: Type.Optional(Type.Boolean({ description: 'Adds archived stores' })),
  },
  strict,
);
export type MemoryStoresQuery = Partial<Static<typeof MemoryStoresQuery>>;
export const MemoryStorePage = Page(MemoryStore);
export type MemoryStorePage = Static<typeof MemoryStorePage>;
export const DeletedMemoryStore = Type.Object({ id: Type.String(), type: Type.Literal('memory_store_deleted') });

const Content = Type.String({ maxLength: 102_400 });
const Path = Type.String({ maxLength: 1024, description: 'Such as `/projects/notes.md`' });
const Sha256 = Type.String({ minLength: 64, maxLength: 64, pattern: '^[0-9a-f]{64}$' });

export const NewMemoryFile = Type.Object({ path: Path, content: Nullable(Content) }, strict);
export type NewMemoryFile = Static<typeof NewMemoryFile>;

export const MemoryFileChange = Type.Object(
  {
    path: Type.Optional(Nullable(Path)),
    content: Type.Optional(Nullable(Content)),
    precondition: Type.Optional(
      Type.Object(
        { type: Type.Literal('content_sha256'), content_sha256: Type.Optional(Sha256) },
        { ...strict, description: 'What the content must be for the change to apply' },
      ),
    ),
  },
  strict,
);
export type MemoryFileChange = Static<typeof MemoryFileChange>;

export const MemoryFile = Type.Object({
  id: Type.String(),
  type: Type.Literal('memory'),
  memory_store_id: Type.String(),
  memory_version_id: Type.String(),
  path: Type.String(),
  content: Nullable(Type.String({ description: 'null in the view `basic`' })),
  content_sha256: Type.String({ description: 'SHA-256 of the content, in hex' }),
  content_size_bytes: Type.Integer(),
  created_at: Type.String({ format: 'date-time' }),
  updated_at: Type.String({ format: 'date-time' }),
});
export type MemoryFile = Static<typeof MemoryFile>;

export const MemoryFilePrefix = Type.Object({ type: Type.Literal('memory_prefix'), path: Type.String() });
export type MemoryFilePrefix = Static<typeof MemoryFilePrefix>;

export const FileViewQuery = Type.Object({ ...sentBySdk, view: Type.Optional(MemoryView) }, strict);
export const MemoryFilesQuery = Type.Object(
  {
    ...pageQuery,
    view: Type.Optional(MemoryView),
    path_prefix: Type.Optional(
      Type.String({ maxLength: 1024, pattern: '^/(.*/)?$', description: 'Only memories below it, such as `/notes/`' }),
    ),
    depth: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 1, description: '1: only children; what is deeper becomes a prefix' }),
    ),
  },
  strict,
);
export type MemoryFilesQuery = Partial<Static<typeof MemoryFilesQuery>>;
export const MemoryFilePage = Page(Type.Union([MemoryFile, MemoryFilePrefix]));
export type MemoryFilePage = Static<typeof MemoryFilePage>;
export const MemoryFileDeletion = Type.Object(
  { ...sentBySdk, expected_content_sha256: Type.Optional({ ...Sha256, description: 'What the content must be' }) },
  strict,
);
export const DeletedMemoryFile = Type.Object({ id: Type.String(), type: Type.Literal('memory_deleted') });

export const FILE_OPERATIONS = ['created', 'modified', 'deleted'] as const;
export const FileOperation = Type.Enum([...FILE_OPERATIONS]);

export const MemoryFileVersion = Type.Object({
  id: Type.String(),
  type: Type.Literal('memory_version'),
  memory_store_id: Type.String(),
  memory_id: Type.String(),
  operation: FileOperation,
  path: Nullable(Type.String()),
  content: Nullable(Type.String()),
  content_sha256: Nullable(Type.String()),
  content_size_bytes: Nullable(Type.Integer()),
  created_at: Type.String({ format: 'date-time' }),
  created_by: Type.Null({ description: 'svc does not record it' }),
  redacted_at: Nullable(Type.String({ format: 'date-time' })),
  redacted_by: Type.Null(),
});
export type MemoryFileVersion = Static<typeof MemoryFileVersion>;

const Author = Type.Optional(Type.String({ maxLength: 300, description: 'svc records no author: matches nothing' }));
export const MemoryFileVersionsQuery = Type.Object(
  {
    ...pageQuery,
    ...createdQuery,
    view: Type.Optional(MemoryView),
    memory_id: Type.Optional(Type.String({ maxLength: 300, description: 'Only versions of this memory' })),
    operation: Type.Optional(FileOperation),
    api_key_id: Author,
    service_account_id: Author,
    session_id: Author,
  },
  strict,
);
export type MemoryFileVersionsQuery = Partial<Static<typeof MemoryFileVersionsQuery>>;
export const MemoryFileVersionPage = Page(MemoryFileVersion);
export type MemoryFileVersionPage = Static<typeof MemoryFileVersionPage>;
