import type { SignalModel } from '../../src/features/learning/signal-model.ts';
import type { NumberedPool } from './pools.ts';

/**
 * Fits the standard deviation of each signal over a pool, and the temperature at which the softmax of the default scores
 * predicts the answers best: the constants of `signal-model.ts`.
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
