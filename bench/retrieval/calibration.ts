import type { SignalModel } from '../../src/features/learning/signal-model.ts';
import type { NumberedPool } from './pools.ts';

/**
 * Spread of each signal over a pool, and the temperature under which the default scores' softmax foretells the answers
 * best: what `signal-model.ts` holds as constants.
 */
export function calibrate(pools: readonly NumberedPool[], names: readonly string[], weights: readonly number[]) {
  const deviations = names.map((_, at) => {
    const variances = pools.map(({ signals }) => varianceOf(signals.map((row) => row[at]!))).filter((one) => one > 0);
    return variances.length === 0 ? 0.25 : Math.sqrt(variances.reduce((sum, one) => sum + one, 0) / variances.length);
  });
  const temperatures = Array.from({ length: 60 }, (_, step) => 0.05 * 1.08 ** step);
  const surprises = temperatures.map((temperature) => surpriseOf(pools, { names, weights, deviations, temperature }));
  return { deviations, temperature: temperatures[surprises.indexOf(Math.min(...surprises))]! };
}

const FIT_STEPS = 300;

/**
 * Default weights that fit the answers, by softmax regression: for pools whose signals are not those that the shipped
 * weights were found for, so that the average user is one whom the default ranking suits.
 */
export function fitWeights(pools: readonly NumberedPool[], names: readonly string[]): number[] {
  let weights = names.map(() => 1);
  for (let step = 0; step < FIT_STEPS; step += 1) {
    const total = { gradient: names.map(() => 0), curvature: names.map(() => 1) };
    for (const pool of pools) addSlope(total, pool, weights);
    weights = weights.map((weight, at) => weight + (0.3 * total.gradient[at]!) / total.curvature[at]!);
  }
  return weights;
}

function addSlope(total: Record<'gradient' | 'curvature', number[]>, pool: NumberedPool, weights: number[]): void {
  const scores = pool.signals.map((row) => row.reduce((sum, value, at) => sum + weights[at]! * value, 0));
  const highest = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - highest));
  const sum = powers.reduce((all, power) => all + power, 0);
  for (const at of weights.keys()) {
    const column = pool.signals.map((row) => row[at]!);
    const mean = column.reduce((all, value, index) => all + (value * powers[index]!) / sum, 0);
    const answers = pool.relevant.reduce((all, index) => all + column[index]! / pool.relevant.length, 0);
    total.gradient[at]! += answers - mean;
    total.curvature[at]! += column.reduce((all, value, index) => all + ((value - mean) ** 2 * powers[index]!) / sum, 0);
  }
}

function varianceOf(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
}

/** Mean of −ln p over the answers. */
function surpriseOf(pools: readonly NumberedPool[], { weights, temperature }: SignalModel): number {
  const surprises = pools.map(({ signals, relevant }) => {
    const scores = signals.map((row) => row.reduce((sum, value, at) => sum + weights[at]! * value, 0) / temperature);
    const highest = Math.max(...scores);
    const total = highest + Math.log(scores.reduce((sum, score) => sum + Math.exp(score - highest), 0));
    return relevant.reduce((sum, index) => sum + total - scores[index]!, 0) / relevant.length;
  });
  return surprises.reduce((sum, one) => sum + one, 0) / surprises.length;
}
