import { SIGNAL_NAMES, type SignalName } from '../../contract/signals.ts';
import { DEFAULT_WEIGHTS, type Signals } from './signals.ts';

export type Weights = Readonly<Record<SignalName, number>>;

const NONE = Object.fromEntries(SIGNAL_NAMES.map((name) => [name, 0])) as Weights;
const DEFAULT: Weights = { ...NONE, ...DEFAULT_WEIGHTS };

/** Weights of the named strategies; `auto` is `default` until there is feedback to learn from. */
export const STRATEGY_WEIGHTS = {
  default: DEFAULT,
  lexical: { ...NONE, lexical: 1 },
  semantic: { ...NONE, vector: 1 },
  recent: { ...DEFAULT, recency: 4 },
} satisfies Record<string, Weights>;

/** Divides default scores so that their softmax over a pool is the probability that a result gets used. */
export const TEMPERATURE = 0.85;

export interface WithSignals<T> {
  item: T;
  signals: Signals;
}

export interface Fused<T> extends WithSignals<T> {
  score: number;
}

/**
 * Sorts items by the weighted sum of their signals, best first, ties by `compare`; the order of the input does not
 * matter. Scores are divided by the best attainable one: 1 where every signal that is present in this query is at its
 * maximum.
 */
export function fuse<T>(
  items: readonly WithSignals<T>[],
  weights: Weights,
  compare: (a: T, b: T) => number,
): Fused<T>[] {
  const present = SIGNAL_NAMES.filter((name) => items.some(({ signals }) => signals[name] !== 0));
  const attainable = present.reduce((sum, name) => sum + Math.max(0, weights[name]), 0) || 1;
  return items
    .map(({ item, signals }) => ({ item, signals, score: scoreOf(signals, weights) / attainable }))
    .sort((a, b) => b.score - a.score || compare(a.item, b.item));
}

/** Whether an item matches by words, its own or learned ones, by meaning or by an exact date; other signals only rank matches. */
export function isMatch(item: { signals: Signals }): boolean {
  return matchesWithoutMeaning(item) || item.signals.vector > 0;
}

/** Whether an item matches by words, its own or learned ones, or by an exact date. */
export function matchesWithoutMeaning({ signals }: { signals: Signals }): boolean {
  const { lexical, trigram, window, session, date, learnedWords } = signals;
  return lexical > 0 || learnedWords > 0 || trigram > 0 || window > 0 || session > 0 || date === 1;
}

/** The weights with that of `vector` multiplied. */
export function withMeaning(weights: Weights, factor: number): Weights {
  return factor === 1 ? weights : { ...weights, vector: weights.vector * factor };
}

/** Whether any weighted signal is positive. */
export function hasPositiveSignal(signals: Signals, weights: Weights): boolean {
  return SIGNAL_NAMES.some((name) => weights[name] > 0 && signals[name] > 0);
}

function scoreOf(signals: Signals, weights: Weights): number {
  return SIGNAL_NAMES.reduce((sum, name) => sum + weights[name] * signals[name], 0);
}

/**
 * Each signal's contribution to a score, for `explain`. An item outside conversations has its own lexical score as
 * window and session, so their contributions are reported as lexical.
 */
export function explainSignals(
  signals: Signals,
  weights: Weights,
  isStandalone: boolean,
): Record<string, { value: number; weight: number; share: number }> {
  const values = isStandalone ? { ...signals, window: 0, session: 0 } : signals;
  const effective = isStandalone
    ? { ...weights, lexical: weights.lexical + weights.window + weights.session }
    : weights;
  return Object.fromEntries(
    SIGNAL_NAMES.map((name) => [
      name,
      { value: values[name], weight: effective[name], share: effective[name] * values[name] },
    ]),
  );
}
