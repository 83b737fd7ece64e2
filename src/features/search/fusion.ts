import { SIGNAL_NAMES, type SignalName, type Signals } from './signals.ts';

export type Weights = Readonly<Record<SignalName, number>>;

/** The strategies that can be asked for by name; `auto` is the default one until there is feedback to learn from. */
export const STRATEGY_WEIGHTS = {
  default: { lex: 1, rec: 0 },
  lexical: { lex: 1, rec: 0 },
  recent: { lex: 1, rec: 1 },
} satisfies Record<string, Weights>;

/** Divides the default scores, so that their softmax over a pool is how often each result is the one that is used. */
export const TEMPERATURE = 0.2;

export interface Fused<T> {
  item: T;
  score: number;
  signals: Signals;
}

/**
 * Orders items by the weighted sum of their signals, the best first; of equals the one that `compare` puts first. The
 * order does not depend on the order of the input.
 */
export function fuse<T>(
  items: readonly T[],
  signals: readonly Signals[],
  weights: Weights,
  compare: (a: T, b: T) => number,
): Fused<T>[] {
  return items
    .map((item, index) => ({ item, signals: signals[index]!, score: scoreOf(signals[index]!, weights) }))
    .sort((a, b) => b.score - a.score || compare(a.item, b.item));
}

function scoreOf(signals: Signals, weights: Weights): number {
  return SIGNAL_NAMES.reduce((sum, name) => sum + weights[name] * signals[name], 0);
}

/** What each signal gave to a score, for `explain`. */
export function sharesOf(
  signals: Signals,
  weights: Weights,
): Record<string, { value: number; weight: number; share: number }> {
  return Object.fromEntries(
    SIGNAL_NAMES.map((name) => [
      name,
      { value: signals[name], weight: weights[name], share: weights[name] * signals[name] },
    ]),
  );
}
