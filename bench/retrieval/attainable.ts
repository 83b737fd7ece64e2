import type { SignalModel } from '../../src/features/learning/signal-model.ts';
import { entriesBelow, solveSymmetric } from '../../src/features/learning/symmetric-matrix.ts';
import type { NumberedPool } from './pools.ts';

/** A question, and how probable each of its candidates is to be the one its user wants. */
export interface LabeledPool {
  pool: NumberedPool;
  wishes: readonly number[];
}

const MAX_STEPS = 15;
/** Longest step per signal, in units of its standard deviation. */
const MAX_STEP = 1;
const TOLERANCE = 0.01;
/** Precision of the prior: only decides about signals that no question has. */
const RIDGE = 1e-3;

/**
 * Weights of an oracle: the one fixed shift of the default weights, over the signals that learning has, that makes the
 * user's wishes most probable (maximum likelihood of the softmax over each question's candidates, by Newton's method). It
 * sees every wish in full, on the very questions it is evaluated on, where a learner sees noisy feedback on others. What
 * it gains in MRR over the default weights is called *attainable*.
 */
export function oracleWeights(labeled: readonly LabeledPool[], model: SignalModel): number[] {
  const shift = new Float64Array(model.names.length);
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const { gradient, diagonal, below } = slopeOf(labeled, weightsOf(shift, model), model);
    for (const [at, value] of shift.entries()) {
      gradient[at]! -= RIDGE * value;
      diagonal[at]! += RIDGE;
    }
    const newton = solveSymmetric({ diagonal, below }, gradient)!;
    const move = newton.map((value) => Math.min(MAX_STEP, Math.max(-MAX_STEP, value)));
    for (const [at, value] of move.entries()) shift[at]! += value;
    if (Math.max(...move.map(Math.abs)) < TOLERANCE) break;
  }
  return weightsOf(shift, model);
}

function weightsOf(shift: Float64Array, { weights, deviations, temperature }: SignalModel): number[] {
  return weights.map((weight, at) => weight + (temperature * shift[at]!) / deviations[at]!);
}

/** Gradient and negated second derivatives of the log-likelihood by the shift of each signal. */
function slopeOf(
  labeled: readonly LabeledPool[],
  weights: readonly number[],
  { deviations, temperature }: SignalModel,
) {
  const width = weights.length;
  const gradient = new Float64Array(width);
  const diagonal = new Float64Array(width);
  const below = new Float64Array(entriesBelow(width));
  const offsets = new Float64Array(width);
  for (const { pool, wishes } of labeled) {
    const probabilities = softmax(pool.signals.map((row) => dot(weights, row) / temperature));
    const mean = new Float64Array(width);
    for (const [index, row] of pool.signals.entries()) {
      for (let at = 0; at < width; at += 1) mean[at]! += probabilities[index]! * row[at]!;
    }
    for (const [index, row] of pool.signals.entries()) {
      const probability = probabilities[index]!;
      for (let at = 0, entry = 0; at < width; at += 1) {
        const offset = (row[at]! - mean[at]!) / deviations[at]!;
        offsets[at] = offset;
        gradient[at]! += wishes[index]! * offset;
        diagonal[at]! += probability * offset * offset;
        for (let other = 0; other < at; other += 1, entry += 1) below[entry]! += probability * offset * offsets[other]!;
      }
    }
  }
  return { gradient, diagonal, below };
}

function dot(weights: readonly number[], row: Float64Array): number {
  let sum = 0;
  for (let at = 0; at < row.length; at += 1) sum += weights[at]! * row[at]!;
  return sum;
}

export function softmax(scores: readonly number[]): number[] {
  const highest = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - highest));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}
