import { EXPERTS, mixtureOf, updateBeliefs } from './experts.ts';
import type { LearnedState } from './learned-state.ts';
import { LEARNERS, type Shifts, slopeOf, updateEstimate } from './learner.ts';
import { QUERY_BUCKETS, type QueryBucket } from './query-bucket.ts';
import type { SignalModel } from './signal-model.ts';

/** One search with its feedback. Candidates are referred to by their index in `signals`. */
export interface FeedbackEvent {
  bucket: QueryBucket;
  /** The signals of each candidate, in the order of the model's names. */
  signals: readonly ArrayLike<number>[];
  /** The results shown, best first. */
  shown: readonly number[];
  used: readonly number[];
  irrelevant: readonly number[];
}

/** Signals are about -1 to 1; values beyond this are clamped. */
const MAX_SIGNAL = 4;
/** Its weight stays: words are learned and forgotten one by one. */
const WORDS = 'learnedWords';
/** Exponent by which attention falls with rank. */
const POSITION_BIAS = 0.25;

/**
 * Learns from one event: since all signals of all candidates are known, one use teaches about every weight. Returns the
 * same state for an event without information. The result is finite for any input.
 */
export function learnFrom(state: LearnedState, model: SignalModel, event: FeedbackEvent): LearnedState {
  const signals = event.signals.map((row) => model.names.map((_, index) => clamped(row[index])));
  const exists = (index: number) => signals[index] !== undefined;
  const feedback = { used: distinct(event.used, exists), irrelevant: distinct(event.irrelevant, exists) };
  const scales = model.names.map((name, at) => (name === WORDS ? 0 : 1 / model.deviations[at]!));
  const shifts: Shifts = signals.map((row) => Float64Array.from(row, (value, at) => value * scales[at]!));
  const base = signals.map((row) => baseScoreOf(row, model));
  const bucket = QUERY_BUCKETS.indexOf(event.bucket);
  const scores = LEARNERS.map((_, learner) => shiftedScores(base, shifts, deltasOf(state, learner, bucket)));
  const slopes = scores.map((learned) => slopeOf(shifts, softmax(learned), feedback));
  if (slopes.some((slope) => slope === undefined)) return state;
  const uniform = base.map(() => 0);
  const shown = distinct(event.shown, exists);
  const beliefs = updateBeliefs(
    state.beliefs,
    [uniform, base, ...scores].map((expert) => probabilitiesOf(expert, shown, feedback)),
  );
  return {
    ...state,
    events: state.events + 1,
    beliefs,
    overall: state.overall.map((estimate, learner) =>
      updateEstimate(estimate, slopes[learner]!, LEARNERS[learner]!.priorPrecision),
    ),
    byBucket: state.byBucket.map((estimates, learner) =>
      estimates.map((estimate, index) =>
        index === bucket ? updateEstimate(estimate, slopes[learner]!, LEARNERS[learner]!.bucketPrecision!) : estimate,
      ),
    ),
  };
}

/** Each signal's weight shift for one query bucket, averaged over the experts. */
export function expectedDeltas(state: LearnedState, bucket: QueryBucket): number[] {
  const mixture = mixtureOf(state.beliefs);
  const bucketIndex = QUERY_BUCKETS.indexOf(bucket);
  const total = state.signals.map(() => 0);
  for (const learner of LEARNERS.keys()) {
    const belief = mixture[EXPERTS.length - LEARNERS.length + learner]!;
    deltasOf(state, learner, bucketIndex).forEach((delta, signal) => {
      total[signal]! += belief * delta;
    });
  }
  return total;
}

function deltasOf({ overall, byBucket }: LearnedState, learner: number, bucket: number): number[] {
  const extra = byBucket[learner]![bucket];
  return Array.from(overall[learner]!.deltas, (delta, signal) => delta + (extra?.deltas[signal] ?? 0));
}

/** The probabilities an expert gave to the feedback among the shown results: of each use, and of all irrelevant at once. */
function probabilitiesOf(
  scores: readonly number[],
  shown: readonly number[],
  { used, irrelevant }: { used: readonly number[]; irrelevant: readonly number[] },
): number[] {
  const attention = softmax(shown.map((index, rank) => scores[index]! - POSITION_BIAS * Math.log(1 + rank)));
  const probabilities = new Map(shown.map((index, rank) => [index, attention[rank]!]));
  const uses = used.flatMap((index) => probabilities.get(index) ?? []);
  const rejected = irrelevant.filter((index) => probabilities.has(index));
  if (uses.length > 0 || rejected.length === 0 || rejected.length === shown.length) return uses;
  return [1 - rejected.reduce((sum, index) => sum + probabilities.get(index)!, 0)];
}

function shiftedScores(base: readonly number[], shifts: Shifts, deltas: readonly number[]): number[] {
  return base.map((score, index) => {
    const row = shifts[index]!;
    let shifted = score;
    for (let signal = 0; signal < row.length; signal += 1) shifted += deltas[signal]! * row[signal]!;
    return shifted;
  });
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

function clamped(value: number | undefined): number {
  if (value === undefined || Number.isNaN(value)) return 0;
  return Math.min(MAX_SIGNAL, Math.max(-MAX_SIGNAL, value));
}

function distinct(indices: readonly number[], exists: (index: number) => boolean): number[] {
  return [...new Set(indices)].filter(exists);
}
