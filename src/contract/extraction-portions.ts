import { type Static, Type } from 'typebox';
import { AnyId, ItemError, Name, Nullable, strict, Timestamp } from './common.ts';
import { DECISIONS, Decision } from './jobs.ts';
import { Project } from './project.ts';

export const MAX_EXTRACTED_CHARACTERS = 2000;
/** More than one portion can plausibly contain. */
export const MAX_EXTRACTED = 100;

/** How far back messages are read, where a request does not say. */
export const DEFAULT_EXTRACTED_DAYS = 7;

/** Asks for messages of a user that memories were not extracted from. */
export const PortionQuery = Type.Object(
  {
    user: Type.Optional(Name),
    project: Type.Optional(Project),
    after: Type.Optional(
      Type.String({ ...Timestamp, description: 'Only conversations with messages after it; by default, of 7 days' }),
    ),
  },
  strict,
);
export type PortionQuery = Static<typeof PortionQuery>;

/** Messages as a model reads them, with what is known about the same. */
export const MessagePortion = Type.Object({
  portion: Nullable(
    Type.String({ description: 'Names the portion to those that store its memories; null if all is read' }),
  ),
  conversationId: Nullable(Type.String()),
  text: Type.String({ description: 'Numbered messages, and known memories with labels' }),
});
export type MessagePortion = Static<typeof MessagePortion>;

/** A memory as a model extracts it from a portion. What cannot be stored is refused when it is, so that it does not lose the others. */
const ExtractedMemory = Type.Object(
  {
    content: Type.String({ maxLength: 100_000 }),
    messages: Type.Array(Type.Integer(), { maxItems: 1000 }),
    tags: Type.Optional(Type.Array(Type.String(), { maxItems: 100 })),
    decision: Type.Optional(Type.Enum([...DECISIONS], { default: 'add' })),
    known: Type.Optional(Type.String({ maxLength: 1000 })),
    date: Type.Optional(Type.String({ maxLength: 1000 })),
    reason: Type.Optional(Type.String({ maxLength: 10_000 })),
  },
  strict,
);

const pair = { older: AnyId, newer: AnyId };

/** The memories of a portion, and which older ones those of earlier portions take the place of. */
export const ExtractedMemories = Type.Object(
  {
    portion: Type.Optional(Type.String({ maxLength: 2000 })),
    memories: Type.Optional(Type.Array(ExtractedMemory, { maxItems: MAX_EXTRACTED })),
    replaced: Type.Optional(Type.Array(Type.Object(pair, strict), { maxItems: MAX_EXTRACTED })),
  },
  strict,
);
export type ExtractedMemories = Static<typeof ExtractedMemories>;

/** What became of an extracted memory, and what is stored about the same that it may replace. */
export const StoredMemory = Type.Object({
  ...Decision.properties,
  related: Type.Array(
    Type.Object({ id: Type.String(), at: Type.String({ format: 'date-time' }), content: Type.String() }),
    {
      description: 'Most alike first; none of those that the portion showed',
    },
  ),
});
export type StoredMemory = Static<typeof StoredMemory>;

/** What became of the memories of a portion and of each pair, in their order; and the next portion, if one was stored. */
export const StoredPortion = Type.Object({
  decisions: Type.Array(StoredMemory),
  replaced: Type.Array(Type.Object({ ...pair, error: Nullable(ItemError) })),
  next: Type.Optional(MessagePortion),
});
export type StoredPortion = Static<typeof StoredPortion>;
