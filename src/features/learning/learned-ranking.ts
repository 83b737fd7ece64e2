import type { LearnedState } from './learned-state.ts';
import { believedDeltas } from './learning-step.ts';
import type { QueryBucket } from './query-bucket.ts';
import type { SignalModel } from './signal-model.ts';

/** Weights for one kind of query, on the scale of the default ones: those themselves where nothing is learned. */
export function learnedWeights(state: LearnedState, model: SignalModel, bucket: QueryBucket): Record<string, number> {
  const deltas = believedDeltas(state, bucket);
  return Object.fromEntries(
    model.names.map((name, index) => {
      const shift = (model.temperature * deltas[index]!) / model.deviations[index]!;
      return [name, model.weights[index]! + shift];
    }),
  );
}

/** Of the first ten places, the last so many are the default ranking's. */
const GUARDED = { of: 10, places: 2 };

/**
 * The learned order, but for places nine and ten: there stand the default ranking's best that are not above already, so
 * that what was learned wrongly hides nothing and can be unlearned. Both lists hold the same items.
 */
export function guarded<T>(learned: readonly T[], byDefault: readonly T[]): T[] {
  const top = learned.slice(0, GUARDED.of - GUARDED.places);
  const shown = new Set(top);
  for (const item of byDefault) {
    if (shown.size >= Math.min(GUARDED.of, learned.length)) break;
    shown.add(item);
  }
  return [...shown, ...learned.filter((item) => !shown.has(item))];
}
