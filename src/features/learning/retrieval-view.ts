import type { LearnedShift, LearningDay, Retrieval } from '../../contract/learning.ts';
import { toTimestampOrNull } from '../../lib/clock.ts';
import { EXPERTS, mixtureOf } from './experts.ts';
import { learnedWeights } from './learned-ranking.ts';
import type { LearnedState } from './learned-state.ts';
import { expectedDeltas } from './learning-step.ts';
import type { LearningDayRow } from './learning-store.ts';
import { QUERY_BUCKETS, type QueryBucket } from './query-bucket.ts';
import type { SignalModel } from './signal-model.ts';

const MAX_SHIFTS = 3;

/** What was learned for a user, as the API returns it. */
export function toRetrieval(
  user: string,
  state: LearnedState,
  updatedAtMs: number | null,
  model: SignalModel,
): Retrieval {
  const deltas = QUERY_BUCKETS.map((bucket) => expectedDeltas(state, bucket));
  const weights = QUERY_BUCKETS.map((bucket) => learnedWeights(state, model, bucket));
  const meanOf = (values: readonly number[]) => round(values.reduce((sum, value) => sum + value, 0) / values.length);
  return {
    user,
    events: state.events,
    updatedAt: toTimestampOrNull(updatedAtMs),
    mixture: mixtureByName(state),
    signals: Object.fromEntries(
      model.names.map((name, at) => [
        name,
        {
          delta: meanOf(deltas.map((row) => row[at]!)),
          defaultWeight: model.weights[at]!,
          weight: meanOf(weights.map((row) => row[name]!)),
        },
      ]),
    ),
    buckets: Object.fromEntries(QUERY_BUCKETS.map((bucket) => [bucket, largestShifts(state, bucket)])),
  };
}

/** What learning contributed to one search. */
export function toLearnedShift(state: LearnedState, bucket: QueryBucket): LearnedShift {
  return { bucket, events: state.events, mixture: mixtureByName(state), largest: largestShifts(state, bucket) };
}

/** Converts the totals of a day to means. */
export function toLearningDay({ day, feedbacks, shownRanks, defaultRanks }: LearningDayRow): LearningDay {
  const meanReciprocalRank = { shown: round(shownRanks / feedbacks), default: round(defaultRanks / feedbacks) };
  return { day, feedbacks, meanReciprocalRank };
}

function mixtureByName({ beliefs }: LearnedState): Record<string, number> {
  const mixture = mixtureOf(beliefs);
  return Object.fromEntries(EXPERTS.map((expert, index) => [expert, round(mixture[index]!)]));
}

function largestShifts(state: LearnedState, bucket: QueryBucket): { signal: string; delta: number }[] {
  return expectedDeltas(state, bucket)
    .map((delta, at) => ({ signal: state.signals[at]!, delta: round(delta) }))
    .filter(({ delta }) => delta !== 0)
    .sort((a, b) => Math.abs(b.delta) - Math.abs(a.delta))
    .slice(0, MAX_SHIFTS);
}

function round(value: number): number {
  // Adding 0 turns −0 into 0.
  return Math.round(value * 1e4) / 1e4 + 0;
}
