import { type Static, Type } from 'typebox';
import { Name, NamedValues, strict, Timestamp } from './common.ts';
import { Memory } from './memories.ts';

export const ITEM_TYPES = ['memory', 'message', 'episode'] as const;
const Types = Type.Array(Type.Enum([...ITEM_TYPES]), { minItems: 1, maxItems: 3, uniqueItems: true });
export const STRATEGIES = ['auto', 'default', 'lexical', 'recent'] as const;

const Query = Type.String({ minLength: 1, maxLength: 10_000, pattern: '\\S' });

export const SearchFilter = Type.Object(
  {
    tags: Type.Optional(Type.Array(Name, { maxItems: 64, description: 'All of them' })),
    metadata: Type.Optional(
      NamedValues<string | number | boolean>(Type.Union([Type.String(), Type.Number(), Type.Boolean()]), {
        maxProperties: 16,
        description: 'Top-level members that equal these',
      }),
    ),
    after: Type.Optional(Timestamp),
    before: Type.Optional(Timestamp),
  },
  strict,
);
export type SearchFilter = Static<typeof SearchFilter>;

export const SearchRequest = Type.Object(
  {
    query: Query,
    user: Type.Optional(Name),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 10 })),
    types: Type.Optional(Types),
    filter: Type.Optional(SearchFilter),
    asOf: Type.Optional(Timestamp),
    strategy: Type.Optional(Type.Enum([...STRATEGIES])),
    explain: Type.Optional(Type.Boolean({ default: false })),
  },
  strict,
);
export type SearchRequest = Static<typeof SearchRequest>;

const Why = Type.Object({
  rank: Type.Integer(),
  signals: Type.Record(
    Type.String(),
    Type.Object({ value: Type.Number(), weight: Type.Number(), share: Type.Number() }),
  ),
});

export const SearchResult = Type.Object({
  type: Type.Enum([...ITEM_TYPES]),
  score: Type.Number(),
  ...Memory.properties,
  why: Type.Optional(Why),
});
export type SearchResult = Static<typeof SearchResult>;

export const SearchAnswer = Type.Object({
  searchId: Type.String(),
  results: Type.Array(SearchResult),
  strategy: Type.Object({
    name: Type.String(),
    weights: Type.Record(Type.String(), Type.Number()),
    learnedFrom: Type.Integer({ description: 'How many feedback events shaped it' }),
  }),
  tookMs: Type.Number(),
});
export type SearchAnswer = Static<typeof SearchAnswer>;

export const ContextRequest = Type.Object(
  {
    query: Query,
    user: Type.Optional(Name),
    maxTokens: Type.Optional(Type.Integer({ minimum: 16, maximum: 100_000, default: 1000 })),
    types: Type.Optional(Types),
  },
  strict,
);
export type ContextRequest = Static<typeof ContextRequest>;

export const ContextAnswer = Type.Object({
  searchId: Type.String(),
  text: Type.String({ description: 'Ready to paste into a prompt' }),
  citations: Type.Array(
    Type.Object({ marker: Type.String(), type: Type.Enum([...ITEM_TYPES]), id: Type.String(), score: Type.Number() }),
  ),
  tokens: Type.Integer({ description: 'Tokens of `text` (o200k_base), or a little more than they are' }),
});
export type ContextAnswer = Static<typeof ContextAnswer>;
