import type { LearnedState } from './learned-state.ts';
import { expectedDeltas } from './learning-step.ts';
import type { QueryBucket } from './query-bucket.ts';
import type { SignalModel } from './signal-model.ts';

/** Weights for one query bucket, on the scale of the default weights; equal to them where nothing is learned. */
export function learnedWeights(state: LearnedState, model: SignalModel, bucket: QueryBucket): Record<string, number> {
  const deltas = learnedDeltas(state, model, bucket);
  return Object.fromEntries(
    model.names.map((name, index) => {
      const shift = (model.temperature * deltas[index]!) / model.deviations[index]!;
      return [name, model.weights[index]! + shift];
    }),
  );
}

/**
 * The shifts of the weights for one query bucket, in standard deviations of each signal. A signal without a weight by default
 * (how new a result is) gets a positive one or none: feedback on a few old facts must not move everything new down.
 */
export function learnedDeltas(state: LearnedState, model: SignalModel, bucket: QueryBucket): number[] {
  return expectedDeltas(state, bucket).map((delta, index) => (model.weights[index] === 0 ? Math.max(0, delta) : delta));
}

/** The last two of the first ten results come from the default ranking. */
const TOP_RESULTS = 10;
const RESERVED_RESULTS = 2;

/**
 * The learned order with ranks nine and ten given to the default ranking's best remaining items, so that wrong learning
 * hides nothing and can be unlearned. Both lists must hold the same items.
 */
export function reserveDefaults<T>(learned: readonly T[], byDefault: readonly T[]): T[] {
  const top = learned.slice(0, TOP_RESULTS - RESERVED_RESULTS);
  const shown = new Set(top);
  for (const item of byDefault) {
    if (shown.size >= Math.min(TOP_RESULTS, learned.length)) break;
    shown.add(item);
  }
  return [...shown, ...learned.filter((item) => !shown.has(item))];
}
