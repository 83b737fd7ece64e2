import { type Static, Type } from 'typebox';
import { Metadata, Name, Nullable, strict, Timestamp } from './common.ts';
import { ROLES } from './conversations.ts';
import { IMPORT_FORMATS } from './import-formats.ts';

export { IMPORT_FORMATS, type ImportFormat } from './import-formats.ts';

/**
 * The lines of an export, NDJSON: first `svc-export`, then memories (each version a line, oldest first), then each
 * conversation with its messages behind it, then episodes, then what was learned of each user, last `end` with how many
 * there were, so that a file that was cut off is told from a whole one. The same lines are what an import reads.
 */
export const EXPORT_FORMAT = 1;

const id = (prefix: string) => Type.String({ pattern: `^${prefix}_[0-9a-f]{32}$` });
const Text = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: '\\S' });
const OtherId = Type.String({ minLength: 1, maxLength: 64 });
const kept = { user: Name, metadata: Metadata, createdAt: Timestamp, updatedAt: Timestamp };
/** Both are counted on from here. */
const LARGEST = 2_000_000_000;
/** The last place in a conversation. */
const LAST_PLACE = 4_194_303;
const version = Type.Integer({ minimum: 1, maximum: LARGEST });

export const ExportHead = Type.Object({
  type: Type.Literal('svc-export'),
  format: Type.Integer(),
  exportedAt: Timestamp,
});
export type ExportHead = Static<typeof ExportHead>;

/** One version of a memory. Versions of one id follow each other, oldest first; the last is the present one. */
export const PortableMemory = Type.Object(
  {
    type: Type.Literal('memory'),
    id: id('mem'),
    content: Text(100_000),
    tags: Type.Array(Name, { maxItems: 64, uniqueItems: true }),
    source: Nullable(
      Type.Object(
        {
          conversationId: Type.Optional(OtherId),
          messageId: Type.Optional(OtherId),
          episodeId: Type.Optional(OtherId),
        },
        strict,
      ),
    ),
    occurredAt: Nullable(Timestamp),
    expiresAt: Nullable(Timestamp),
    validFrom: Timestamp,
    validTo: Nullable(Timestamp),
    supersededBy: Nullable(id('mem')),
    version,
    ...kept,
  },
  strict,
);
export type PortableMemory = Static<typeof PortableMemory>;

export const PortableConversation = Type.Object(
  {
    type: Type.Literal('conversation'),
    id: id('conv'),
    title: Nullable(Text(500)),
    version,
    cut: Type.Boolean({ description: 'Cut into episodes by svc, which follow what is appended' }),
    cutThrough: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: LAST_PLACE,
        description: 'Up to which ordinal, where the last messages are not cut yet',
      }),
    ),
    ...kept,
  },
  strict,
);
export type PortableConversation = Static<typeof PortableConversation>;

/** A message; its conversation stands before it. */
export const PortableMessage = Type.Object(
  {
    type: Type.Literal('message'),
    id: id('msg'),
    conversationId: id('conv'),
    ordinal: Type.Integer({ minimum: 1, maximum: LAST_PLACE }),
    role: Type.Enum([...ROLES]),
    name: Nullable(Name),
    content: Text(100_000),
    metadata: Metadata,
    createdAt: Timestamp,
  },
  strict,
);
export type PortableMessage = Static<typeof PortableMessage>;

export const PortableEpisode = Type.Object(
  {
    type: Type.Literal('episode'),
    id: id('ep'),
    title: Text(500),
    summary: Nullable(Type.String({ maxLength: 20_000 })),
    outcome: Nullable(Text(20_000)),
    conversationId: Nullable(id('conv')),
    fromMessageId: Nullable(id('msg')),
    toMessageId: Nullable(id('msg')),
    startedAt: Timestamp,
    endedAt: Timestamp,
    memoryIds: Type.Array(OtherId, { maxItems: 500, uniqueItems: true }),
    cut: Type.Boolean(),
    edited: Type.Array(Type.Enum(['title', 'summary']), { description: 'What of a cut one a person wrote' }),
    version,
    ...kept,
  },
  strict,
);
export type PortableEpisode = Static<typeof PortableEpisode>;

/** What the retrieval learned of one user. */
export const PortableLearned = Type.Object(
  {
    type: Type.Literal('learned'),
    user: Name,
    state: Type.String({
      minLength: 1,
      maxLength: 32_768,
      pattern: '^[A-Za-z0-9_-]+$',
      description: 'base64url; svc alone reads it',
    }),
    events: Type.Integer({ minimum: 1, maximum: LARGEST, description: 'Feedback events that shaped it' }),
    updatedAt: Timestamp,
  },
  strict,
);
export type PortableLearned = Static<typeof PortableLearned>;

/** What an export holds between its first line and its last. */
export type PortableRecord =
  | PortableMemory
  | PortableConversation
  | PortableMessage
  | PortableEpisode
  | PortableLearned;

const Counts = Type.Object({
  memories: Type.Integer(),
  conversations: Type.Integer(),
  messages: Type.Integer(),
  episodes: Type.Integer(),
  learned: Type.Integer({ description: 'Users of whom the retrieval learned something' }),
});

export const ExportEnd = Type.Object({ type: Type.Literal('end'), ...Counts.properties });
export type ExportEnd = Static<typeof ExportEnd>;

export const ExportQuery = Type.Object({ user: Type.Optional(Name) }, strict);
export type ExportQuery = Static<typeof ExportQuery>;

export const ImportQuery = Type.Object(
  {
    format: Type.Optional(Type.Enum([...IMPORT_FORMATS], { default: 'svc' })),
    user: Type.Optional(Name),
    tag: Type.Optional(Type.Union([Name, Type.Array(Name, { maxItems: 64, uniqueItems: true })])),
  },
  strict,
);
export type ImportQuery = Static<typeof ImportQuery>;

/** What an import did. */
export const ImportReport = Type.Object({
  added: Counts,
  known: Type.Object(Counts.properties, { description: 'There already: nothing is added twice' }),
  skipped: Type.Integer({ description: 'How many were left out' }),
  reasons: Type.Array(
    Type.Object({
      place: Type.String({ description: 'Where in the file: a line, or the path of a thing in it' }),
      reason: Type.String(),
      fault: Type.Boolean({ description: 'Somebody should look at it' }),
    }),
    { description: 'The first thousand of them' },
  ),
  complete: Type.Boolean({ description: 'False where an export of svc was cut off: its last line is missing' }),
});
export type ImportReport = Static<typeof ImportReport>;
export type ImportCounts = Static<typeof Counts>;
