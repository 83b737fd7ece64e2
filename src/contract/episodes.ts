import { type Static, Type } from 'typebox';
import {
  AnyId,
  CountedPage,
  MadeId,
  Metadata,
  Name,
  orderQuery,
  PageQuery,
  partlyIndexedProperty,
  strict,
  Text,
  Timestamp,
  Version,
} from './common.ts';
import {
  answerProperties,
  boolean,
  changeProperties,
  integer,
  json,
  metadataRules,
  newProperties,
  projectField,
  text,
  timestamp,
  userField,
} from './fields.ts';
import { projectQuery } from './project.ts';

const MemoryIds = Type.Array(AnyId, { maxItems: 500, uniqueItems: true });

export const episodeFields = {
  id: text(MadeId('ep')),
  title: text(Text(500), { create: 'required', change: 'set' }),
  summary: text(Text(20_000), {
    nullable: true,
    create: 'optional',
    change: 'set-or-clear',
    // A generated summary is empty if the messages contain no sentences.
    portable: Type.String({ maxLength: 20_000 }),
  }),
  user: userField,
  project: projectField,
  conversationId: text(AnyId, { nullable: true, create: 'optional', portable: MadeId('conv') }),
  fromMessageId: text(AnyId, { nullable: true, create: 'optional', portable: MadeId('msg') }),
  toMessageId: text(AnyId, { nullable: true, create: 'optional', portable: MadeId('msg') }),
  startedAt: timestamp({ create: 'required', change: 'set' }),
  endedAt: timestamp({ create: 'required', change: 'set' }),
  outcome: text(Text(20_000), { nullable: true, create: 'optional', change: 'set-or-clear' }),
  memoryIds: json(MemoryIds, {
    answer: Type.Array(Type.String()),
    create: 'optional',
    change: 'set',
    default: [],
    alwaysExported: true,
  }),
  metadata: json(Metadata, { ...metadataRules, change: 'set' }),
  cut: boolean({ description: 'Whether svc cut this episode from its conversation and updates it with the messages' }),
  version: integer(Version),
  createdAt: timestamp(),
  updatedAt: timestamp(),
};

export const NewEpisode = Type.Object(newProperties(episodeFields), strict);
export type NewEpisode = Static<typeof NewEpisode>;

export const EpisodeChange = Type.Object(changeProperties(episodeFields), { ...strict, minProperties: 1 });
export type EpisodeChange = Static<typeof EpisodeChange>;

export const Episode = Type.Object(answerProperties(episodeFields));
export type Episode = Static<typeof Episode>;

/** The answer to creating or changing an episode. */
export const WrittenEpisode = Type.Object({ ...Episode.properties, ...partlyIndexedProperty });
export type WrittenEpisode = Static<typeof WrittenEpisode>;
export const Episodes = Type.Object({ data: Type.Array(Episode) });
export const EpisodePage = CountedPage(Episode);

export const EpisodesQuery = Type.Object(
  {
    ...PageQuery,
    ...orderQuery,
    user: Type.Optional(Name),
    ...projectQuery,
    conversationId: Type.Optional(AnyId),
    after: Type.Optional(Timestamp),
    before: Type.Optional(Timestamp),
  },
  strict,
);
export type EpisodesQuery = Static<typeof EpisodesQuery>;
