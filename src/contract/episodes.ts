import { type Static, Type } from 'typebox';
import { KeptMetadata, Metadata, Name, Nullable, Page, PageQuery, strict, Timestamp } from './common.ts';

const Title = Type.String({ minLength: 1, maxLength: 500, pattern: '\\S' });
const Text = Type.String({ minLength: 1, maxLength: 20_000, pattern: '\\S' });
const Id = Type.String({ minLength: 1, maxLength: 64 });
const MemoryIds = Type.Array(Id, { maxItems: 500, uniqueItems: true });

export const NewEpisode = Type.Object(
  {
    title: Title,
    summary: Type.Optional(Text),
    conversationId: Type.Optional(Id),
    fromMessageId: Type.Optional(Id),
    toMessageId: Type.Optional(Id),
    startedAt: Timestamp,
    endedAt: Timestamp,
    outcome: Type.Optional(Text),
    memoryIds: Type.Optional(MemoryIds),
    user: Type.Optional(Name),
    metadata: Type.Optional(Metadata),
  },
  strict,
);
export type NewEpisode = Static<typeof NewEpisode>;

export const EpisodeChange = Type.Object(
  {
    title: Type.Optional(Title),
    summary: Type.Optional(Nullable(Text)),
    startedAt: Type.Optional(Timestamp),
    endedAt: Type.Optional(Timestamp),
    outcome: Type.Optional(Nullable(Text)),
    memoryIds: Type.Optional(MemoryIds),
    metadata: Type.Optional(Metadata),
  },
  { ...strict, minProperties: 1 },
);
export type EpisodeChange = Static<typeof EpisodeChange>;

export const Episode = Type.Object({
  id: Type.String(),
  title: Type.String(),
  summary: Nullable(Type.String()),
  user: Type.String(),
  conversationId: Nullable(Type.String()),
  fromMessageId: Nullable(Type.String()),
  toMessageId: Nullable(Type.String()),
  startedAt: Type.String({ format: 'date-time' }),
  endedAt: Type.String({ format: 'date-time' }),
  outcome: Nullable(Type.String()),
  memoryIds: Type.Array(Type.String()),
  metadata: KeptMetadata,
  cut: Type.Boolean({ description: 'Cut from its conversation by svc; it follows the messages' }),
  version: Type.Integer(),
  createdAt: Type.String({ format: 'date-time' }),
  updatedAt: Type.String({ format: 'date-time' }),
});
export type Episode = Static<typeof Episode>;
export const Episodes = Type.Object({ data: Type.Array(Episode) });
export const EpisodePage = Page(Episode);

export const EpisodesQuery = Type.Object(
  {
    ...PageQuery,
    user: Type.Optional(Name),
    conversationId: Type.Optional(Id),
    after: Type.Optional(Timestamp),
    before: Type.Optional(Timestamp),
  },
  strict,
);
export type EpisodesQuery = Static<typeof EpisodesQuery>;
