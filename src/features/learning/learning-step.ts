import { believe, EXPERTS, mixtureOf } from './experts.ts';
import type { LearnedState } from './learned-state.ts';
import { LEARNERS, type Shifts, slopeOf, stepped } from './learner.ts';
import { QUERY_BUCKETS, type QueryBucket } from './query-bucket.ts';
import type { SignalModel } from './signal-model.ts';

/** One search with what its user made of the results; candidates by their place in `signals`. */
export interface FeedbackEvent {
  bucket: QueryBucket;
  /** The signals of each candidate, in the order of the model's names. */
  signals: readonly ArrayLike<number>[];
  /** What was shown, best first. */
  shown: readonly number[];
  used: readonly number[];
  irrelevant: readonly number[];
}

/** Signals lie in about -1 to 1; nothing beyond this is believed. */
const LARGEST_SIGNAL = 4;
/** A result further down is less often looked at. */
const POSITION_BIAS = 0.25;

/**
 * What is known after one event. All signals of all candidates are known, so that one use teaches about every weight.
 * The same state where the event tells nothing. Finite whatever comes in.
 */
export function learnFrom(state: LearnedState, model: SignalModel, event: FeedbackEvent): LearnedState {
  const signals = event.signals.map((row) => model.names.map((_, index) => bounded(row[index])));
  const there = (index: number) => signals[index] !== undefined;
  const known = { used: distinct(event.used, there), irrelevant: distinct(event.irrelevant, there) };
  const shifts: Shifts = signals.map((row) => Float64Array.from(row, (value, at) => value / model.deviations[at]!));
  const base = signals.map((row) => baseScoreOf(row, model));
  const bucket = QUERY_BUCKETS.indexOf(event.bucket);
  const scores = LEARNERS.map((_, learner) => shiftedScores(base, shifts, deltasOf(state, learner, bucket)));
  const slopes = scores.map((learned) => slopeOf(shifts, softmax(learned), known));
  if (slopes.some((slope) => slope === undefined)) return state;
  const nobody = base.map(() => 0);
  const shown = distinct(event.shown, there);
  const beliefs = believe(
    state.beliefs,
    [nobody, base, ...scores].map((expert) => probabilitiesOf(expert, shown, known)),
  );
  return {
    ...state,
    events: state.events + 1,
    beliefs,
    overall: state.overall.map((estimate, learner) =>
      stepped(estimate, slopes[learner]!, LEARNERS[learner]!.priorPrecision),
    ),
    byBucket: state.byBucket.map((estimates, learner) =>
      estimates.map((estimate, index) =>
        index === bucket ? stepped(estimate, slopes[learner]!, LEARNERS[learner]!.bucketPrecision!) : estimate,
      ),
    ),
  };
}

/** The shift of each signal's weight that all experts together believe in, for one kind of query. */
export function believedDeltas(state: LearnedState, bucket: QueryBucket): number[] {
  const mixture = mixtureOf(state.beliefs);
  const place = QUERY_BUCKETS.indexOf(bucket);
  const total = state.signals.map(() => 0);
  for (const learner of LEARNERS.keys()) {
    const belief = mixture[EXPERTS.length - LEARNERS.length + learner]!;
    deltasOf(state, learner, place).forEach((delta, signal) => {
      total[signal]! += belief * delta;
    });
  }
  return total;
}

function deltasOf({ overall, byBucket }: LearnedState, learner: number, bucket: number): number[] {
  const extra = byBucket[learner]![bucket];
  return Array.from(overall[learner]!.deltas, (delta, signal) => delta + (extra?.deltas[signal] ?? 0));
}

/** The probability that each expert gave to what happened, among what was shown: each use, and all irrelevant at once. */
function probabilitiesOf(
  scores: readonly number[],
  shown: readonly number[],
  { used, irrelevant }: { used: readonly number[]; irrelevant: readonly number[] },
): number[] {
  const seen = softmax(shown.map((index, rank) => scores[index]! - POSITION_BIAS * Math.log(1 + rank)));
  const places = new Map(shown.map((index, place) => [index, seen[place]!]));
  const uses = used.flatMap((index) => places.get(index) ?? []);
  const ruledOut = irrelevant.filter((index) => places.has(index));
  if (uses.length > 0 || ruledOut.length === 0 || ruledOut.length === shown.length) return uses;
  return [1 - ruledOut.reduce((sum, index) => sum + places.get(index)!, 0)];
}

function shiftedScores(base: readonly number[], shifts: Shifts, deltas: readonly number[]): number[] {
  return base.map((score, index) =>
    deltas.reduce((sum, delta, signal) => sum + delta * shifts[index]![signal]!, score),
  );
}

function baseScoreOf(row: readonly number[], { weights, temperature }: SignalModel): number {
  return row.reduce((sum, value, signal) => sum + weights[signal]! * value, 0) / temperature;
}

function softmax(scores: readonly number[]): number[] {
  const highest = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - highest));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}

function bounded(value: number | undefined): number {
  if (value === undefined || Number.isNaN(value)) return 0;
  return Math.min(LARGEST_SIGNAL, Math.max(-LARGEST_SIGNAL, value));
}

function distinct(indices: readonly number[], there: (index: number) => boolean): number[] {
  return [...new Set(indices)].filter(there);
}
