import { type Static, Type } from 'typebox';
import { LARGEST_COUNT, MadeId, Name, Nullable, strict, Text, Timestamp } from './common.ts';
import { conversationFields, LAST_ORDINAL, messageFields } from './conversations.ts';
import { episodeFields } from './episodes.ts';
import { portableProperties } from './fields.ts';
import { IMPORT_FORMATS } from './import-formats.ts';
import { MAX_CONTENT, memoryFields } from './memories.ts';
import { Project } from './project.ts';
import {
  MAX_EVIDENCE,
  MAX_EVIDENCE_CHARACTERS,
  MAX_SUGGESTED_MEMORIES,
  SuggesterName,
  SuggestionKindName,
} from './suggestions.ts';

export { IMPORT_FORMATS, type ImportFormat } from './import-formats.ts';

/**
 * Version of the export format. An export is NDJSON: a head, memories (one line per version, oldest first), each
 * conversation followed by its messages, episodes, the learned state of each user, suggestions, and `end` with the
 * counts, by which a truncated file is detected. An import reads the same lines.
 *
 * Raise the version when a line changes its meaning. A new field or line type needs no new version: readers leave out
 * what they do not know and report it.
 */
export const EXPORT_VERSION = 2;

export const ExportHead = Type.Object({
  type: Type.Literal('svc-export'),
  format: Type.Literal('svc'),
  version: Type.Integer({ minimum: 1 }),
  exportedAt: Timestamp,
});
export type ExportHead = Static<typeof ExportHead>;

/** One version of a memory. The versions of a memory are adjacent, oldest first; the last is the current one. */
export const PortableMemory = Type.Object(
  { type: Type.Literal('memory'), ...portableProperties(memoryFields) },
  strict,
);
export type PortableMemory = Static<typeof PortableMemory>;

export const PortableConversation = Type.Object(
  {
    type: Type.Literal('conversation'),
    ...portableProperties(conversationFields),
    cut: Type.Boolean({ description: 'Whether svc cuts it into episodes as messages are appended' }),
    cutThrough: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: LAST_ORDINAL,
        description: 'Last ordinal that is cut into episodes, if later messages are not yet',
      }),
    ),
    extractedThrough: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: LAST_ORDINAL,
        description: 'Last ordinal that memories were extracted through',
      }),
    ),
  },
  strict,
);
export type PortableConversation = Static<typeof PortableConversation>;

/** A message. It follows its conversation. */
export const PortableMessage = Type.Object(
  { type: Type.Literal('message'), ...portableProperties(messageFields) },
  strict,
);
export type PortableMessage = Static<typeof PortableMessage>;

export const PortableEpisode = Type.Object(
  {
    type: Type.Literal('episode'),
    ...portableProperties(episodeFields),
    edited: Type.Array(Type.Enum(['title', 'summary']), {
      description: 'Fields of an automatically cut episode that a person edited',
    }),
  },
  strict,
);
export type PortableEpisode = Static<typeof PortableEpisode>;

const PortableWord = Type.Object(
  {
    word: Type.String({ minLength: 1, maxLength: 64 }),
    itemId: Type.String({ minLength: 1, maxLength: 64 }),
    strength: Type.Number({ minimum: 0, maximum: 3 }),
    uses: Type.Integer({ minimum: 0, maximum: LARGEST_COUNT }),
    observedUses: Type.Integer({ minimum: 0, maximum: LARGEST_COUNT }),
    lastUsedAt: Timestamp,
  },
  strict,
);

/** The learned state of one user, and the words of questions that lead to items. */
export const PortableLearned = Type.Object(
  {
    type: Type.Literal('learned'),
    user: Name,
    state: Type.String({
      minLength: 1,
      maxLength: 32_768,
      pattern: '^[A-Za-z0-9_-]+$',
      description: 'Opaque state, base64url',
    }),
    events: Type.Integer({
      minimum: 0,
      maximum: LARGEST_COUNT,
      description: 'Number of feedback events it is based on',
    }),
    updatedAt: Timestamp,
    usesWords: Type.Optional(Type.Boolean({ description: 'Whether words are learned; absent for true' })),
    infersUses: Type.Optional(
      Type.Boolean({ description: 'Whether uses that nobody reported count; absent for true' }),
    ),
    words: Type.Optional(Type.Array(PortableWord, { maxItems: 5000 })),
  },
  strict,
);
export type PortableLearned = Static<typeof PortableLearned>;

const Digest = Type.String({ minLength: 1, maxLength: 200 });
const AppliedTo = { id: MadeId('mem'), after: Digest };
const MAX_APPLIED = 200;

/** A suggestion that is open or was decided. It follows what it is about. */
export const PortableSuggestion = Type.Object(
  {
    type: Type.Literal('suggestion'),
    id: MadeId('sug'),
    textsHash: Type.String({
      pattern: '^[A-Za-z0-9_-]{43}$',
      description: 'Identifies it by the texts that it is about, so that it is made once',
    }),
    kind: SuggestionKindName,
    user: Name,
    project: Nullable(Project),
    memoryIds: Type.Array(MadeId('mem'), { maxItems: MAX_SUGGESTED_MEMORIES, uniqueItems: true }),
    content: Nullable(Text(MAX_CONTENT)),
    validFrom: Nullable(Timestamp),
    evidence: Type.Array(
      Type.Object(
        { id: Type.String({ pattern: '^(?:mem|msg)_[0-9a-f]{32}$' }), text: Text(MAX_EVIDENCE_CHARACTERS) },
        strict,
      ),
      { maxItems: MAX_EVIDENCE },
    ),
    reason: Text(500),
    confidence: Type.Number({ minimum: 0, maximum: 1 }),
    by: SuggesterName,
    byName: Nullable(Type.String({ maxLength: 256 })),
    state: Type.Enum(['open', 'accepted', 'rejected']),
    createdAt: Timestamp,
    decidedAt: Nullable(Timestamp),
    decidedBy: Nullable(Type.String({ maxLength: 256 })),
    undoneAt: Nullable(Timestamp),
    applied: Nullable(
      Type.Object(
        {
          changed: Type.Array(
            Type.Object({ ...AppliedTo, version: Type.Integer({ minimum: 1, maximum: LARGEST_COUNT }) }, strict),
            { maxItems: MAX_APPLIED },
          ),
          closed: Type.Array(Type.Object(AppliedTo, strict), { maxItems: MAX_APPLIED }),
          added: Type.Array(Type.Object(AppliedTo, strict), { maxItems: MAX_APPLIED }),
        },
        { ...strict, description: 'What accepting it changed, from which it is undone' },
      ),
    ),
  },
  strict,
);
export type PortableSuggestion = Static<typeof PortableSuggestion>;

/** A line of an export between head and end. */
export type PortableRecord =
  | PortableMemory
  | PortableConversation
  | PortableMessage
  | PortableEpisode
  | PortableLearned
  | PortableSuggestion;

export const TransferCounts = Type.Object({
  memories: Type.Integer(),
  conversations: Type.Integer(),
  messages: Type.Integer(),
  episodes: Type.Integer(),
  learned: Type.Integer({ description: 'Users with a learned ranking' }),
  suggestions: Type.Integer({ description: 'Suggestions that are open or decided' }),
});

export const ExportEnd = Type.Object({ type: Type.Literal('end'), ...TransferCounts.properties });
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

/** Result of an import. */
export const ImportReport = Type.Object({
  added: TransferCounts,
  known: Type.Object(TransferCounts.properties, { description: 'Already present: nothing is added twice' }),
  skipped: Type.Integer({ description: 'Number of items that were left out' }),
  reasons: Type.Array(
    Type.Object({
      place: Type.String({ description: 'Location in the file: a line, or the path of an item' }),
      reason: Type.String(),
      fault: Type.Boolean({ description: 'Whether it needs attention; false if it was left out on purpose' }),
    }),
    { description: 'The first 1,000 reasons' },
  ),
  complete: Type.Boolean({ description: 'False if an export of svc is truncated: its last line is missing' }),
});
export type ImportReport = Static<typeof ImportReport>;
export type ImportCounts = Static<typeof TransferCounts>;
