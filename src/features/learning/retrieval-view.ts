import { changedSinceRead } from '../../contract/errors.ts';
import type { LearnedShift, LearningDay, MixtureDay, Retrieval } from '../../contract/learning.ts';
import { toTimestampOrNull } from '../../lib/clock.ts';
import { countedTagOf, matchesState } from '../../lib/entity-tag.ts';
import { EXPERTS, mixtureOf } from './experts.ts';
import type { Learned } from './learned-cache.ts';
import { learnedDeltas, learnedWeights } from './learned-ranking.ts';
import type { LearnedState } from './learned-state.ts';
import type { LearningDayRow, MixtureRow } from './learning-days-store.ts';
import { QUERY_BUCKETS, type QueryBucket } from './query-bucket.ts';
import type { SignalModel } from './signal-model.ts';

/** The shifts of a query class that are shown unless all are asked for. */
const SHOWN_SHIFTS = 3;

/** The learned state of a user, as the API returns it. */
export function toRetrieval(
  user: string,
  { state, usesWords, infersUses }: Learned,
  updatedAtMs: number | null,
  { model, maxShifts = SHOWN_SHIFTS }: { model: SignalModel; maxShifts: number | undefined },
): Retrieval {
  const deltas = QUERY_BUCKETS.map((bucket) => learnedDeltas(state, model, bucket));
  const weights = QUERY_BUCKETS.map((bucket) => learnedWeights(state, model, bucket));
  const meanOf = (values: readonly number[]) => round(values.reduce((sum, value) => sum + value, 0) / values.length);
  return {
    user,
    events: state.events,
    updatedAt: toTimestampOrNull(updatedAtMs),
    usesWords,
    infersUses,
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
    buckets: Object.fromEntries(
      QUERY_BUCKETS.map((bucket) => [bucket, largestShifts(state, model, bucket, maxShifts)]),
    ),
  };
}

/** The part of `Retrieval` that `If-Match` compares: it is the same for every query of a user. */
type ComparedRetrieval = Pick<Retrieval, 'user' | 'events' | 'updatedAt' | 'usesWords' | 'infersUses'>;

function comparedPartOf({ user, events, updatedAt, usesWords, infersUses }: ComparedRetrieval): unknown[] {
  return [user, events, updatedAt, usesWords, infersUses];
}

/** The entity tag of what was learned from a user. */
export function etagOfRetrieval(retrieval: Retrieval): string {
  return countedTagOf(comparedPartOf(retrieval), retrieval);
}

/** Throws `precondition_failed` if `If-Match` names another state of what was learned from a user. */
export function requireRetrievalMatch(
  ifMatch: string | undefined,
  user: string,
  { state: { events }, usesWords, infersUses }: Learned,
  updatedAtMs: number | null,
): void {
  const current = { user, events, updatedAt: toTimestampOrNull(updatedAtMs), usesWords, infersUses };
  if (ifMatch !== undefined && !matchesState(ifMatch, comparedPartOf(current))) throw changedSinceRead('ranking');
}

/** The contribution of learning to one search. */
export function toLearnedShift(state: LearnedState, model: SignalModel, bucket: QueryBucket): LearnedShift {
  return {
    bucket,
    events: state.events,
    mixture: mixtureByName(state),
    largest: largestShifts(state, model, bucket, SHOWN_SHIFTS),
  };
}

/** Converts the totals of a day to means. */
export function toLearningDay({ day, feedbacks, shownRanks, defaultRanks }: LearningDayRow): LearningDay {
  const meanReciprocalRank = { shown: round(shownRanks / feedbacks), default: round(defaultRanks / feedbacks) };
  return { day, feedbacks, meanReciprocalRank };
}

/** The mixtures since a day, led by the one that held when it began. */
export function toHistory(rows: readonly MixtureRow[], fromDay: string): MixtureDay[] {
  const first = Math.max(
    0,
    rows.findLastIndex(({ day }) => day <= fromDay),
  );
  return rows.slice(first).map(({ day, mixture }) => ({ day, mixture: JSON.parse(mixture) }));
}

/** The probability of each expert, rounded. */
export function mixtureByName({ beliefs }: LearnedState): Record<string, number> {
  const mixture = mixtureOf(beliefs);
  return Object.fromEntries(EXPERTS.map((expert, index) => [expert, round(mixture[index]!)]));
}

function largestShifts(
  state: LearnedState,
  model: SignalModel,
  bucket: QueryBucket,
  most: number,
): { signal: string; delta: number }[] {
  return learnedDeltas(state, model, bucket)
    .map((delta, at) => ({ signal: state.signals[at]!, delta: round(delta) }))
    .filter(({ delta }) => delta !== 0)
    .sort((a, b) => Math.abs(b.delta) - Math.abs(a.delta))
    .slice(0, most);
}

function round(value: number): number {
  // Adding 0 turns −0 into 0.
  return Math.round(value * 1e4) / 1e4 + 0;
}
