/**
 * The models that are averaged: uniform chance, the default ranking, and three learners. `chance` makes random feedback
 * harmless: while it explains the feedback as well as a learner does, no learner gains weight.
 */
export const EXPERTS = ['chance', 'default', 'careful', 'medium', 'bold'] as const;

/** Prior probability of each expert. */
export const EXPERT_PRIORS: readonly number[] = [0.25, 0.5, 0.1, 0.1, 0.05];

/** Factor by which each event discounts all earlier evidence. */
const EVIDENCE_DECAY = 0.99;
/** Share of `chance` mixed into every expert's prediction, so that none is ever zero. */
const CHANCE_SHARE = 0.05;
/** Lower bound of an expert's probability, so that it can recover after a change of habit. */
const MIN_PROBABILITY = 1e-4;

/** The probability of each expert, in the order of `EXPERTS`; sums to 1. */
export function mixtureOf(beliefs: ArrayLike<number>): number[] {
  const highest = Math.max(...Array.from(beliefs));
  const weights = Array.from(beliefs, (belief) => Math.exp(belief - highest));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}

/** Bayesian update of the log-probabilities, given the likelihood each expert assigned to an event. */
export function updateBeliefs(beliefs: ArrayLike<number>, probabilities: readonly (readonly number[])[]): Float32Array {
  const [chance] = probabilities;
  const updated = Array.from(beliefs, (belief, expert) => {
    const prior = Math.log(EXPERT_PRIORS[expert]!);
    const logs = probabilities[expert]!.map((probability, index) =>
      Math.log((1 - CHANCE_SHARE) * probability + CHANCE_SHARE * chance![index]!),
    );
    return (
      prior + EVIDENCE_DECAY * (belief - prior) + logs.reduce((sum, log) => sum + log, 0) / Math.max(1, logs.length)
    );
  });
  return Float32Array.from(mixtureOf(updated), (share) => Math.log(Math.max(share, MIN_PROBABILITY)));
}
