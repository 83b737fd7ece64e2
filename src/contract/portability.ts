import { type Static, Type } from 'typebox';
import { LARGEST_COUNT, Name, strict, Timestamp } from './common.ts';
import { conversationFields, LAST_ORDINAL, messageFields } from './conversations.ts';
import { episodeFields } from './episodes.ts';
import { portableProperties } from './fields.ts';
import { IMPORT_FORMATS } from './import-formats.ts';
import { memoryFields } from './memories.ts';

export { IMPORT_FORMATS, type ImportFormat } from './import-formats.ts';

/**
 * The lines of an export, NDJSON: a head, then memories (one line per version, oldest first), then each conversation
 * followed by its messages, then episodes, then what was learned of each user, and last `end` with the counts, so that a
 * truncated file is recognized. An import reads the same lines.
 *
 * The version is raised when a line changes its meaning. A new field or a new type of line needs no new version: readers
 * leave out what they do not know and report it.
 */
export const EXPORT_VERSION = 2;

export const ExportHead = Type.Object({
  type: Type.Literal('svc-export'),
  format: Type.Literal('svc'),
  version: Type.Integer({ minimum: 1 }),
  exportedAt: Timestamp,
});
export type ExportHead = Static<typeof ExportHead>;

/** One version of a memory. Versions of one id follow each other, oldest first; the last is the present one. */
export const PortableMemory = Type.Object(
  { type: Type.Literal('memory'), ...portableProperties(memoryFields) },
  strict,
);
export type PortableMemory = Static<typeof PortableMemory>;

export const PortableConversation = Type.Object(
  {
    type: Type.Literal('conversation'),
    ...portableProperties(conversationFields),
    cut: Type.Boolean({ description: 'Cut into episodes by svc, which follow what is appended' }),
    cutThrough: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: LAST_ORDINAL,
        description: 'Up to which ordinal, where the last messages are not cut yet',
      }),
    ),
  },
  strict,
);
export type PortableConversation = Static<typeof PortableConversation>;

/** A message; its conversation stands before it. */
export const PortableMessage = Type.Object(
  { type: Type.Literal('message'), ...portableProperties(messageFields) },
  strict,
);
export type PortableMessage = Static<typeof PortableMessage>;

export const PortableEpisode = Type.Object(
  {
    type: Type.Literal('episode'),
    ...portableProperties(episodeFields),
    edited: Type.Array(Type.Enum(['title', 'summary']), { description: 'What of a cut one a person wrote' }),
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
    events: Type.Integer({ minimum: 1, maximum: LARGEST_COUNT, description: 'Feedback events that shaped it' }),
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
