import { type Static, Type } from 'typebox';
import { Name, Nullable, strict } from './common.ts';

export const WeightShift = Type.Object({ signal: Type.String(), delta: Type.Number() });

export const SearchParams = Type.Object({ searchId: Type.String({ maxLength: 300 }) });
export type SearchParams = Static<typeof SearchParams>;

const ResultIds = (description: string) =>
  Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 300 }), { maxItems: 100, uniqueItems: true, description }),
  );

export const Feedback = Type.Object(
  {
    used: ResultIds('Ids of results that helped'),
    irrelevant: ResultIds('Ids of results that were irrelevant'),
  },
  strict,
);
export type Feedback = Static<typeof Feedback>;

export const FeedbackResult = Type.Object({
  learned: Type.Boolean({ description: 'False where the feedback added nothing: each search is learned from once' }),
  events: Type.Integer({ description: 'Number of feedback events the ranking of this user is based on' }),
});
export type FeedbackResult = Static<typeof FeedbackResult>;

const user = Type.Optional(Name);

export const RetrievalQuery = Type.Object(
  {
    user,
    days: Type.Optional(Type.Integer({ minimum: 1, maximum: 366, description: 'Adds `history` for this many days' })),
    weights: Type.Optional(
      Type.Enum(['largest', 'all'], {
        default: 'largest',
        description: 'Weight shifts of each query class: the three largest, or all that are not 0',
      }),
    ),
  },
  strict,
);
export type RetrievalQuery = Static<typeof RetrievalQuery>;

export const RetrievalReset = Type.Object({ user }, strict);
export type RetrievalReset = Static<typeof RetrievalReset>;

const Mixture = Type.Record(Type.String(), Type.Number(), {
  description: 'Probability of each expert; sums to 1',
});

/** How far each expert was trusted after the last feedback of a day. */
export const MixtureDay = Type.Object({
  day: Type.String({ description: 'UTC, YYYY-MM-DD' }),
  mixture: Mixture,
});
export type MixtureDay = Static<typeof MixtureDay>;

/** The contribution of learning to one search, for `explain`. */
export const LearnedShift = Type.Object({
  bucket: Type.String({ description: 'Class of the query' }),
  events: Type.Integer(),
  mixture: Mixture,
  largest: Type.Array(WeightShift, { description: 'The largest weight shifts, in standard deviations of the signal' }),
});
export type LearnedShift = Static<typeof LearnedShift>;

export const Retrieval = Type.Object({
  user: Type.String(),
  events: Type.Integer({ description: 'Number of feedback events; with 0 the default ranking applies' }),
  updatedAt: Nullable(Type.String({ format: 'date-time' })),
  usesWords: Type.Boolean({ description: 'Whether words of questions are learned, and find what was used for them' }),
  infersUses: Type.Boolean({ description: 'Whether uses that nobody reported are inferred, and learned from' }),
  mixture: Mixture,
  signals: Type.Record(
    Type.String(),
    Type.Object({
      delta: Type.Number({
        description: 'Mean weight shift over all query classes, in standard deviations of the signal',
      }),
      defaultWeight: Type.Number(),
      weight: Type.Number({ description: 'Mean effective weight over all query classes' }),
    }),
  ),
  buckets: Type.Record(Type.String(), Type.Array(WeightShift), {
    description:
      'Weight shifts of each query class, the largest first: three, or with `weights=all` those that are not 0',
  }),
  history: Type.Optional(
    Type.Array(MixtureDay, {
      description:
        'Days with feedback, oldest first. The first may be older than the requested days: it holds until the next',
    }),
  ),
});
export type Retrieval = Static<typeof Retrieval>;

/** One day of the learning curve. */
export const LearningDay = Type.Object({
  day: Type.String({ description: 'UTC, YYYY-MM-DD' }),
  feedbacks: Type.Integer({ description: 'Feedback events that named a used result' }),
  meanReciprocalRank: Type.Object({
    shown: Type.Number({ description: 'Of the used results, in the ranking shown' }),
    default: Type.Number({ description: 'Of the used results, in the default ranking' }),
  }),
});
export type LearningDay = Static<typeof LearningDay>;
