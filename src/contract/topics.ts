import { type Static, Type } from 'typebox';
import { AnyId, Name, Nullable, Page, PageQuery, strict } from './common.ts';
import { Memory } from './memories.ts';
import { TOPIC_SORTS } from './topic-sorts.ts';

/** The most names of a topic into which others are merged: all of them can be sent back in a change. */
export const MAX_ALIASES = 200;
/** Topics that are merged into another one at once. */
const MAX_MERGED = 20;

const TopicName = Type.String({ ...Name, maxLength: 80 });
const Aliases = Type.Array(TopicName, { maxItems: MAX_ALIASES, uniqueItems: true });

/** What memories of a user are about: a person, place, project or thing. */
export const Topic = Type.Object({
  id: Type.String(),
  user: Type.String(),
  name: Type.String(),
  aliases: Type.Array(Type.String(), { description: 'Other names by which memories mention it' }),
  memoryCount: Type.Integer({ description: 'Memories that mention it, superseded ones too' }),
  lastAt: Nullable(Type.String({ format: 'date-time', description: 'The time of the newest of them' })),
  hidden: Type.Boolean({ description: 'Hidden topics are left out of lists, profiles and related topics' }),
});
export type Topic = Static<typeof Topic>;

export const TopicsQuery = Type.Object(
  {
    ...PageQuery,
    user: Type.Optional(Name),
    q: Type.Optional(Type.String({ minLength: 1, maxLength: 80, description: 'The beginning of a word of a name' })),
    sort: Type.Optional(
      Type.Enum([...TOPIC_SORTS], {
        default: 'memories',
        description: '`memories` the most mentioned first, `latest` the last mentioned first, or `name`',
      }),
    ),
    hidden: Type.Optional(Type.Boolean({ default: false, description: 'Only the hidden ones' })),
  },
  strict,
);
export type TopicsQuery = Static<typeof TopicsQuery>;
export const TopicPage = Page(Topic);

/** A memory about a topic. */
export const TopicMemory = Type.Object({
  ...Memory.properties,
  possiblySupersededBy: Type.Optional(
    Type.String({ description: 'The newer memory that an open suggestion puts in its place' }),
  ),
});
export type TopicMemory = Static<typeof TopicMemory>;

export const MentionsOfMonth = Type.Object({
  month: Type.String({ description: '`YYYY-MM`, UTC' }),
  memories: Type.Integer(),
});
export type MentionsOfMonth = Static<typeof MentionsOfMonth>;

export const RelatedTopic = Type.Object({
  id: Type.String(),
  name: Type.String(),
  memoryCount: Type.Integer({ description: 'Memories that mention both' }),
});
export type RelatedTopic = Static<typeof RelatedTopic>;

export const TopicDetails = Type.Object({
  ...Topic.properties,
  now: Type.Array(TopicMemory, { description: 'What holds, newest first, at most 100' }),
  before: Type.Array(TopicMemory, {
    description: 'What was superseded, or is older than one that an open suggestion puts in its place, newest first',
  }),
  mentions: Type.Array(MentionsOfMonth, { description: 'The newest 2,000 mentions by month, oldest month first' }),
  related: Type.Array(RelatedTopic, { description: 'Topics that the newest of its memories mention too' }),
});
export type TopicDetails = Static<typeof TopicDetails>;

export const TopicChange = Type.Object(
  {
    name: Type.Optional(TopicName),
    aliases: Type.Optional(Aliases),
    hidden: Type.Optional(Type.Boolean()),
  },
  { ...strict, minProperties: 1 },
);
export type TopicChange = Static<typeof TopicChange>;

export const TopicMerge = Type.Object(
  {
    topicIds: Type.Array(AnyId, {
      minItems: 1,
      maxItems: MAX_MERGED,
      uniqueItems: true,
      description: 'The topics that become part of this one',
    }),
  },
  strict,
);
export type TopicMerge = Static<typeof TopicMerge>;

export const TopicSplit = Type.Object(
  {
    aliases: Type.Array(TopicName, {
      minItems: 1,
      maxItems: MAX_ALIASES,
      uniqueItems: true,
      description: 'The names that become a topic of their own',
    }),
  },
  strict,
);
export type TopicSplit = Static<typeof TopicSplit>;
