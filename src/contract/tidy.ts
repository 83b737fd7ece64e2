import { type Static, Type } from 'typebox';
import { ItemError, Name, Nullable, Page, PageQuery, strict } from './common.ts';
import { Project } from './project.ts';
import { AddedSuggestion, Suggestion } from './suggestions.ts';

/** The characters of a memory that a model reads to tidy. */
export const MAX_TIDY_CHARACTERS = 1000;

export const TidyQuery = Type.Object(
  {
    user: Type.Optional(Name),
    project: Type.Optional(Project),
    cursor: PageQuery.cursor,
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, default: 24 })),
  },
  strict,
);
export type TidyQuery = Static<typeof TidyQuery>;

/** A memory as a model reads it. */
export const TidyMemory = Type.Object({
  id: Type.String(),
  project: Nullable(Type.String()),
  at: Type.String({ format: 'date-time', description: 'When it happened, or else when it was stored' }),
  author: Nullable(Type.String({ description: 'The address of the member who wrote it in a space; `null` elsewhere' })),
  content: Type.String({ description: `The first ${MAX_TIDY_CHARACTERS} characters` }),
  isCut: Type.Boolean(),
});
export type TidyMemory = Static<typeof TidyMemory>;

/** Memories that are about the same, by portions of all memories of a user. */
export const TidyWork = Type.Object({
  ...Page(Type.Object({ memories: Type.Array(TidyMemory, { description: 'Oldest first' }) })).properties,
  suggestions: Type.Array(Suggestion, { description: 'Open ones about these memories' }),
  read: Type.Integer({ description: 'How many memories the portion has' }),
});
export type TidyWork = Static<typeof TidyWork>;

/** What became of one proposed suggestion. */
export const ProposedSuggestion = Type.Object({
  suggestion: Nullable(AddedSuggestion),
  error: Nullable(ItemError),
});
export type ProposedSuggestion = Static<typeof ProposedSuggestion>;
export const ProposedSuggestions = Type.Object({ data: Type.Array(ProposedSuggestion) });
export type ProposedSuggestions = Static<typeof ProposedSuggestions>;
