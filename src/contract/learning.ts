import { type Static, Type } from 'typebox';
import { Name, Nullable, strict } from './common.ts';

const Shift = Type.Object({ signal: Type.String(), delta: Type.Number() });

export const SearchParams = Type.Object({ searchId: Type.String({ maxLength: 300 }) });
export type SearchParams = Static<typeof SearchParams>;

const ResultIds = (description: string) =>
  Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 300 }), { maxItems: 100, uniqueItems: true, description }),
  );

export const Feedback = Type.Object(
  {
    used: ResultIds('Ids of results that helped'),
    irrelevant: ResultIds('Ids of results that had nothing to do with it'),
  },
  { ...strict, minProperties: 1 },
);
export type Feedback = Static<typeof Feedback>;

export const FeedbackTaken = Type.Object({
  learned: Type.Boolean({ description: 'False where it told nothing new: a search is learned from once' }),
  events: Type.Integer({ description: 'How many feedback events have shaped the retrieval for this user' }),
});
export type FeedbackTaken = Static<typeof FeedbackTaken>;

export const RetrievalQuery = Type.Object({ user: Type.Optional(Name) }, strict);
export type RetrievalQuery = Static<typeof RetrievalQuery>;

/** What shaped one search, for `explain`. */
export const LearnedShift = Type.Object({
  bucket: Type.String({ description: 'The kind of query' }),
  events: Type.Integer(),
  mixture: Type.Record(Type.String(), Type.Number(), { description: 'How far each expert is believed; sums to 1' }),
  largest: Type.Array(Shift, { description: 'The largest shifts, in deviations of the signal' }),
});
export type LearnedShift = Static<typeof LearnedShift>;

export const Retrieval = Type.Object({
  user: Type.String(),
  events: Type.Integer({ description: 'Feedback events; 0: nothing is learned, the default ranking holds' }),
  updatedAt: Nullable(Type.String({ format: 'date-time' })),
  mixture: Type.Record(Type.String(), Type.Number(), { description: 'How far each expert is believed; sums to 1' }),
  signals: Type.Record(
    Type.String(),
    Type.Object({
      delta: Type.Number({ description: 'Mean shift over all kinds of queries, in deviations of the signal' }),
      defaultWeight: Type.Number(),
      weight: Type.Number({ description: 'In force, as a mean over all kinds of queries' }),
    }),
  ),
  buckets: Type.Record(Type.String(), Type.Array(Shift), { description: 'The three largest shifts by kind of query' }),
});
export type Retrieval = Static<typeof Retrieval>;

/** One day of the learning curve. */
export const LearningDay = Type.Object({
  day: Type.String({ description: 'UTC, YYYY-MM-DD' }),
  feedbacks: Type.Integer({ description: 'Those that named a used result' }),
  meanReciprocalRank: Type.Object({
    shown: Type.Number({ description: 'Of the used results, as they were shown' }),
    default: Type.Number({ description: 'Where the default ranking had them' }),
  }),
});
export type LearningDay = Static<typeof LearningDay>;
