import { type Static, Type } from 'typebox';
import { AnyId, ItemError, Name, Nullable, Page, PageQuery, strict, Text, Timestamp } from './common.ts';
import { MAX_CONTENT } from './memories.ts';
import { Project, projectQuery } from './project.ts';
import { SUGGESTERS, SUGGESTION_KINDS, SUGGESTION_STATES } from './suggestion-names.ts';

export const MAX_SUGGESTIONS = 100;
export const MAX_SUGGESTED_MEMORIES = 20;
export const MAX_EVIDENCE = 20;
export const MAX_EVIDENCE_CHARACTERS = 2000;

export const SuggestionKindName = Type.Enum([...SUGGESTION_KINDS], {
  description:
    '`add` a fact that was said; `merge` memories that say the same; `supersede` older ones by a newer one; `contradiction`: of memories that cannot all hold, a person chooses; `expire`: its time has passed; `split` one that says several things',
});
export const SuggestionStateName = Type.Enum([...SUGGESTION_STATES]);
export const SuggesterName = Type.Enum([...SUGGESTERS]);

const Content = Text(MAX_CONTENT);

/** The words of a memory or message that support a suggestion. */
export const Evidence = Type.Object({
  id: Type.String({ description: 'The id of a memory or message' }),
  text: Type.String({ description: 'Its words that support the suggestion' }),
});

export const Suggestion = Type.Object({
  id: Type.String(),
  kind: SuggestionKindName,
  user: Type.String(),
  project: Nullable(Type.String()),
  memoryIds: Type.Array(Type.String(), { description: 'The memories that it is about, oldest first' }),
  content: Nullable(
    Type.String({ description: 'The text that would be stored; for `split`, a line for each memory; null to keep it' }),
  ),
  validFrom: Nullable(
    Type.String({
      format: 'date-time',
      description: 'Since when the newer one holds, or the expired one no longer does',
    }),
  ),
  evidence: Type.Array(Evidence),
  reason: Type.String(),
  confidence: Type.Number({ minimum: 0, maximum: 1, description: 'The share of such suggestions that are right' }),
  by: SuggesterName,
  byName: Nullable(Type.String({ description: 'The model or the assistant' })),
  state: SuggestionStateName,
  createdAt: Type.String({ format: 'date-time' }),
  decidedAt: Nullable(Type.String({ format: 'date-time' })),
  decidedBy: Nullable(Type.String({ description: 'The client with which it was decided' })),
  undoneAt: Nullable(Type.String({ format: 'date-time', description: 'When a decision was last undone' })),
});
export type Suggestion = Static<typeof Suggestion>;
export type Evidence = Static<typeof Evidence>;

export const NewSuggestion = Type.Object(
  {
    kind: SuggestionKindName,
    user: Type.Optional(Name),
    project: Type.Optional(Project),
    memoryIds: Type.Optional(Type.Array(AnyId, { maxItems: MAX_SUGGESTED_MEMORIES, uniqueItems: true })),
    content: Type.Optional(Content),
    validFrom: Type.Optional(Timestamp),
    evidence: Type.Optional(
      Type.Array(Type.Object({ id: AnyId, text: Text(MAX_EVIDENCE_CHARACTERS) }, strict), { maxItems: MAX_EVIDENCE }),
    ),
    reason: Text(500),
    confidence: Type.Optional(Type.Number({ minimum: 0, maximum: 1, default: 0.5 })),
  },
  strict,
);
export type NewSuggestion = Static<typeof NewSuggestion>;

export const NewSuggestions = Type.Object(
  { suggestions: Type.Array(NewSuggestion, { minItems: 1, maxItems: MAX_SUGGESTIONS }) },
  strict,
);
export type NewSuggestions = Static<typeof NewSuggestions>;

/** A suggestion that was made before, by anyone, is answered as it stands: a rejected one stays rejected. */
export const AddedSuggestion = Type.Object({
  ...Suggestion.properties,
  duplicate: Type.Optional(Type.Literal(true, { description: 'The same was suggested before' })),
});
export type AddedSuggestion = Static<typeof AddedSuggestion>;
export const AddedSuggestions = Type.Object({ data: Type.Array(AddedSuggestion) });

export const SuggestionsQuery = Type.Object(
  {
    ...PageQuery,
    ...projectQuery,
    user: Type.Optional(Name),
    kind: Type.Optional(SuggestionKindName),
    state: Type.Optional(SuggestionStateName),
    by: Type.Optional(SuggesterName),
  },
  strict,
);
export type SuggestionsQuery = Static<typeof SuggestionsQuery>;
export const SuggestionPage = Page(Suggestion);

const acceptance = {
  content: Type.Optional(Content),
  keep: Type.Optional(
    Type.String({ minLength: 1, maxLength: 64, description: 'Of a contradiction, the memory that holds' }),
  ),
};

/** How a suggestion is accepted: unchanged, with another text, or with the choice that it asks for. */
export const Acceptance = Type.Object(acceptance, strict);
export type Acceptance = Static<typeof Acceptance>;

export const DECISION_NAMES = ['accept', 'reject', 'undo'] as const;
export const SuggestionDecision = Type.Object(
  { id: AnyId, decision: Type.Enum([...DECISION_NAMES]), ...acceptance },
  strict,
);
export type SuggestionDecision = Static<typeof SuggestionDecision>;
export const SuggestionDecisions = Type.Object(
  { decisions: Type.Array(SuggestionDecision, { minItems: 1, maxItems: MAX_SUGGESTIONS }) },
  strict,
);
export type SuggestionDecisions = Static<typeof SuggestionDecisions>;

export const DecidedSuggestions = Type.Object({
  data: Type.Array(
    Type.Object({
      id: Type.String(),
      suggestion: Nullable(Suggestion),
      error: Nullable(ItemError),
    }),
    { description: 'In the order sent; each has either a suggestion or an error' },
  ),
});
export type DecidedSuggestions = Static<typeof DecidedSuggestions>;
