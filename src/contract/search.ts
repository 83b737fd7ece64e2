import { type Static, Type } from 'typebox';
import { AnyId, Name, NamedValues, Nullable, StoredMetadata, strict, Timestamp } from './common.ts';
import { Message } from './conversations.ts';
import { Episode } from './episodes.ts';
import { LearnedShift } from './learning.ts';
import { Memory, MemoryOrigin } from './memories.ts';
import { projectQuery } from './project.ts';
import { ReadSpaces } from './spaces.ts';

export const ITEM_TYPES = ['memory', 'message', 'episode'] as const;
export type ItemType = (typeof ITEM_TYPES)[number];
export const ItemTypeName = Type.Enum([...ITEM_TYPES]);
const Types = Type.Array(ItemTypeName, { minItems: 1, maxItems: 3, uniqueItems: true });
export const STRATEGIES = ['auto', 'default', 'lexical', 'semantic', 'recent'] as const;
export type Strategy = (typeof STRATEGIES)[number];

/** The first line of a context, by which svc recognizes its own output when it is submitted again. */
export const CONTEXT_HEADING = 'What is remembered (newest knowledge wins; cite by number):';
/** The parts of a context for the start of a session, in order. */
export const START_SECTIONS = [
  'Pinned',
  'Of this project, oldest first',
  'Of the user, oldest first',
  'Latest sessions',
] as const;

const Query = Type.String({ minLength: 1, maxLength: 10_000, pattern: '\\S' });

const Wordings = Type.Optional(
  Type.Array(Type.String({ minLength: 1, maxLength: 500, pattern: '\\S' }), {
    maxItems: 10,
    description:
      'Other words in which it may have been told: "our home, house number and street" for "where do I live?"',
  }),
);

const SpaceName = Type.Optional(
  Type.String({ description: 'The space that it is of, where the request names `spaces`' }),
);

const MinRelevance = Type.Number({ minimum: 0, maximum: 1, description: 'Leaves out what is less relevant' });
const Confidence = Type.Number({
  minimum: 0,
  maximum: 1,
  description: 'Calibrated probability that anything found answers the query, whatever `minRelevance` leaves out',
});
const Relevance = Type.Number({
  minimum: 0,
  maximum: 1,
  description: 'Calibrated probability that it answers the query; comparable between queries, unlike `score`',
});

/** Bounds of the tokens of a context. */
const TOKEN_BOUNDS = { minimum: 16, maximum: 100_000 };

export const SearchFilter = Type.Object(
  {
    tags: Type.Optional(Type.Array(Name, { maxItems: 64, description: 'A memory must have all of them' })),
    metadata: Type.Optional(
      NamedValues<string | number | boolean>(Type.Union([Type.String(), Type.Number(), Type.Boolean()]), {
        maxProperties: 16,
        description: 'Top-level members that must be equal',
      }),
    ),
    topic: Type.Optional(Type.String({ ...AnyId, description: 'Id of a topic that a memory must mention' })),
    after: Type.Optional(Timestamp),
    before: Type.Optional(Timestamp),
  },
  strict,
);
export type SearchFilter = Static<typeof SearchFilter>;

export const SearchRequest = Type.Object(
  {
    query: Query,
    wordings: Wordings,
    user: Type.Optional(Name),
    ...projectQuery,
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 10 })),
    types: Type.Optional(Types),
    filter: Type.Optional(SearchFilter),
    asOf: Type.Optional(Timestamp),
    includeSuperseded: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Finds outdated and superseded memories too, by their words; no effect with `asOf`',
      }),
    ),
    strategy: Type.Optional(Type.Enum([...STRATEGIES])),
    minRelevance: Type.Optional(MinRelevance),
    contextTokens: Type.Optional(
      Type.Integer({
        ...TOKEN_BOUNDS,
        description: 'Adds `context`: what a context of as many tokens has for the query, without counting as another',
      }),
    ),
    spaces: Type.Optional(ReadSpaces),
    explain: Type.Optional(
      Type.Boolean({ default: false, description: 'Adds `why` to each result, `learned`, `meaning` and `timings`' }),
    ),
  },
  strict,
);
export type SearchRequest = Static<typeof SearchRequest>;

const Why = Type.Object({
  rank: Type.Integer(),
  defaultRank: Type.Integer({ description: 'Rank by the default weights' }),
  signals: Type.Record(
    Type.String(),
    Type.Object({ value: Type.Number(), weight: Type.Number(), share: Type.Number() }),
  ),
  related: Type.Optional(
    Type.Array(Type.Object({ term: Type.String(), word: Type.String() }), {
      description: 'Words of a memory that matched a related word of the query: `manager` for `boss`',
    }),
  ),
  learnedWords: Type.Optional(
    Type.Array(Type.Object({ word: Type.String(), uses: Type.Integer(), observedUses: Type.Integer() }), {
      description: 'Words of the query that the item was used for before, and how often',
    }),
  ),
});

/** Fields of every result. */
export const Found = Type.Object({
  type: ItemTypeName,
  id: Type.String(),
  score: Type.Number(),
  relevance: Relevance,
  restatedBy: Type.Optional(Type.String({ description: 'A newer result that updates this statement' })),
  possiblySupersededBy: Type.Optional(
    Type.String({ description: 'A newer memory that an open suggestion puts in the place of this one' }),
  ),
  content: Type.String({ description: 'For an episode, its title and summary' }),
  user: Type.String(),
  project: Nullable(Type.String({ description: 'Of a message: that of its conversation' })),
  metadata: StoredMetadata,
  origin: Nullable(MemoryOrigin),
  createdAt: Type.String({ format: 'date-time' }),
  space: SpaceName,
  why: Type.Optional(Why),
});
export type Found = Static<typeof Found>;

const { version, updatedAt, ...OfMemory } = Type.Omit(Memory, [
  'id',
  'content',
  'user',
  'project',
  'metadata',
  'origin',
  'createdAt',
]).properties;
const OfMessage = Type.Pick(Message, ['conversationId', 'ordinal', 'role', 'name', 'author']).properties;
const { conversationId, ...OfEpisode } = Type.Pick(Episode, [
  'conversationId',
  'title',
  'summary',
  'startedAt',
  'endedAt',
  'outcome',
]).properties;

export type FoundMemory = Found & { type: 'memory' } & Memory;
export type FoundMessage = Found & { type: 'message' } & Message;
export type FoundEpisode = Found & { type: 'episode' } & Omit<
    Episode,
    'fromMessageId' | 'toMessageId' | 'memoryIds' | 'cut'
  >;

/** One response schema with the fields of all types; `type` says which are present. */
export type SearchResult = FoundMemory | FoundMessage | FoundEpisode;
export const SearchResult = Type.Unsafe<SearchResult>(
  Type.Object({
    ...Found.properties,
    ...Type.Partial(Type.Object({ version, updatedAt, ...OfMemory })).properties,
    ...Type.Partial(Type.Object({ ...OfMessage, ...OfEpisode, conversationId })).properties,
  }),
);

/** How long each stage of a search took, in milliseconds, in the order of the stages. */
export const SearchTimings = Type.Object({
  queryMs: Type.Number({
    description: 'Reading the query, and computing its vector where there is an embedding model',
  }),
  waitMs: Type.Number({ description: 'Waiting for other searches of the account and for a database connection' }),
  candidatesMs: Type.Number({ description: 'Finding what shares words, days or meaning with the query' }),
  signalsMs: Type.Number({ description: 'Computing the signals of each candidate' }),
  rankMs: Type.Number({ description: 'Weighing the signals, with what was learned, and sorting' }),
  resultsMs: Type.Number({ description: 'Reading the results and putting newer statements first' }),
  contextMs: Type.Optional(Type.Number({ description: 'Composing the text; only for a context' })),
  totalMs: Type.Number(),
});
export type SearchTimings = Static<typeof SearchTimings>;

const Timings = Type.Optional(SearchTimings);

/** How much the account's embedding model counts, for `explain`. */
export const MeaningWeight = Type.Object({
  factor: Type.Number({
    description: 'What the weight of `vector` is multiplied by: 0 to 1, 1 until enough is known',
  }),
  agreement: Nullable(
    Type.Number({
      description:
        'How often the model prefers what words find to what holds as many of the words: 0.5 for noise; null without searches',
    }),
  ),
  searches: Type.Integer({ description: 'Number of searches behind it; older ones count less' }),
});
export type MeaningWeight = Static<typeof MeaningWeight>;

/** An item that a line of a context shows. */
export const Citation = Type.Object({
  ...{ marker: Type.String(), type: ItemTypeName, id: Type.String() },
  ...{ score: Nullable(Type.Number()), relevance: Nullable(Relevance), space: SpaceName },
});

const contextText = {
  text: Type.String({ description: 'Ready to paste into a prompt' }),
  citations: Type.Array(Citation),
  tokens: Type.Integer({ description: 'Tokens of `text` (o200k_base), possibly slightly overestimated' }),
};

/** The text of a context, with what it cites. */
export const ContextText = Type.Object(contextText);
export type ContextText = Static<typeof ContextText>;

/** The search of a space, for feedback there. */
export const SpaceSearch = Type.Object({ space: Type.String(), searchId: Type.String() });
const Searches = Type.Optional(
  Type.Array(SpaceSearch, {
    description: 'The search of each space, for feedback in that space; `searchId` is the first',
  }),
);

export const SearchAnswer = Type.Object({
  searchId: Type.String(),
  confidence: Confidence,
  results: Type.Array(SearchResult),
  strategy: Type.Object({
    name: Type.String(),
    weights: Type.Record(Type.String(), Type.Number()),
    learnedFrom: Type.Integer({ description: 'Number of feedback events behind the weights' }),
  }),
  learned: Type.Optional(LearnedShift),
  meaning: Type.Optional(MeaningWeight),
  context: Type.Optional(ContextText),
  searches: Searches,
  tookMs: Type.Number(),
  timings: Timings,
});
export type SearchAnswer = Static<typeof SearchAnswer>;

/** What a context is for: without one, for a question that somebody asked of the memory. */
export const CONTEXT_PURPOSES = ['prompt', 'session_start'] as const;

const Exclude = Type.Object(
  {
    conversationId: Type.Optional(Type.String({ maxLength: 64, description: 'Leaves out its messages and episodes' })),
    ids: Type.Optional(Type.Array(Type.String({ maxLength: 64 }), { maxItems: 1000 })),
  },
  { ...strict, description: 'What the model has already' },
);

export const ContextRequest = Type.Object(
  {
    query: Query,
    wordings: Wordings,
    user: Type.Optional(Name),
    ...projectQuery,
    maxTokens: Type.Optional(Type.Integer({ ...TOKEN_BOUNDS, default: 1000 })),
    types: Type.Optional(Types),
    minRelevance: Type.Optional(MinRelevance),
    purpose: Type.Optional(
      Type.Enum([...CONTEXT_PURPOSES], {
        description:
          '`prompt`: `query` is what a person typed to an assistant without asking for a memory. Empty unless something is likely to be of use; one sentence of each text; of messages only those of the user; nothing that a newer one replaced. `session_start`: `query` is what the working folder shows; what holds in the project and of the user, each thing once, as much as fits',
      }),
    ),
    exclude: Type.Optional(Exclude),
    spaces: Type.Optional(ReadSpaces),
    explain: Type.Optional(Type.Boolean({ default: false, description: 'Adds `timings`' })),
  },
  strict,
);
export type ContextRequest = Static<typeof ContextRequest>;

export const ContextAnswer = Type.Object({
  searchId: Nullable(
    Type.String({ description: 'null at the start of a session: there is nothing to give feedback on' }),
  ),
  confidence: Nullable(Confidence),
  ...contextText,
  searches: Searches,
  timings: Timings,
});
export type ContextAnswer = Static<typeof ContextAnswer>;
