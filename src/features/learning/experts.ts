/**
 * Who says what will be used: nobody can tell (`chance`), the default ranking, and the three learners. `chance` is what
 * makes feedback without sense harmless: where it explains as much as a learner does, no learner is believed.
 */
export const EXPERTS = ['chance', 'default', 'careful', 'medium', 'bold'] as const;

/** How far each is believed before any feedback. */
export const EXPERT_PRIORS: readonly number[] = [0.3, 0.5, 0.12, 0.06, 0.02];

/** What one event takes away of all earlier evidence. */
const FORGETTING = 0.99;
/** No expert says of anything that it cannot be: this share of each one's word is chance's. */
const DOUBT = 0.05;
/** Nobody is believed less, so that a change of habit brings everyone back. */
const LEAST_BELIEF = 1e-4;

/** How far each expert is believed, in the order of `EXPERTS`; sums to 1. */
export function mixtureOf(beliefs: ArrayLike<number>): number[] {
  const highest = Math.max(...Array.from(beliefs));
  const weights = Array.from(beliefs, (belief) => Math.exp(belief - highest));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}

/** The beliefs after an event to which each expert had given such a probability. */
export function believe(beliefs: ArrayLike<number>, probabilities: readonly (readonly number[])[]): Float32Array {
  const [chance] = probabilities;
  const updated = Array.from(beliefs, (belief, expert) => {
    const prior = Math.log(EXPERT_PRIORS[expert]!);
    const logs = probabilities[expert]!.map((probability, index) =>
      Math.log((1 - DOUBT) * probability + DOUBT * chance![index]!),
    );
    return prior + FORGETTING * (belief - prior) + logs.reduce((sum, log) => sum + log, 0) / Math.max(1, logs.length);
  });
  return Float32Array.from(mixtureOf(updated), (share) => Math.log(Math.max(share, LEAST_BELIEF)));
}
