import type { ItemType } from '../../contract/search.ts';
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

/**
 * How many times as much meaning counts outside conversations: as much as words, whose score stands for that of the
 * neighbors, too. Measured in decision 0105.
 */
const STANDALONE_MEANING = (DEFAULT.lexical + DEFAULT.window + DEFAULT.session) / DEFAULT.vector;

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
export function fuse<T extends { type: ItemType }>(
  items: readonly WithSignals<T>[],
  weights: Weights,
  compare: (a: T, b: T) => number,
): Fused<T>[] {
  const present = SIGNAL_NAMES.filter((name) => items.some(({ signals }) => signals[name] !== 0));
  const standalone = standaloneWeights(weights);
  const most = items.some(({ item }) => isStandalone(item)) ? standalone : weights;
  const attainable = present.reduce((sum, name) => sum + Math.max(0, most[name]), 0) || 1;
  const scoreOf = ({ item, signals }: WithSignals<T>) => weigh(signals, isStandalone(item) ? standalone : weights);
  return items
    .map((one) => ({ ...one, score: scoreOf(one) / attainable }))
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

/** How far meaning counted in the score of an item, as a signal of the weight that it has in conversations. */
export function meaningOf({ item, signals }: WithSignals<{ type: ItemType }>): number {
  return isStandalone(item) ? signals.vector * STANDALONE_MEANING : signals.vector;
}

/** The weights with that of `vector` multiplied. */
export function withMeaning(weights: Weights, factor: number): Weights {
  return factor === 1 ? weights : { ...weights, vector: weights.vector * factor };
}

/** Whether any weighted signal is positive. */
export function hasPositiveSignal(signals: Signals, weights: Weights): boolean {
  return SIGNAL_NAMES.some((name) => weights[name] > 0 && signals[name] > 0);
}

/**
 * Each signal's contribution to a score, for `explain`. An item outside conversations has its own lexical score as
 * window and session, so their contributions are reported as lexical.
 */
export function explainSignals(
  { item, signals }: WithSignals<{ type: ItemType }>,
  weights: Weights,
): Record<string, { value: number; weight: number; share: number }> {
  const { lexical, window, session } = weights;
  const [values, effective] = isStandalone(item)
    ? [
        { ...signals, window: 0, session: 0 },
        { ...standaloneWeights(weights), lexical: lexical + window + session },
      ]
    : [signals, weights];
  return Object.fromEntries(
    SIGNAL_NAMES.map((name) => [
      name,
      { value: values[name], weight: effective[name], share: effective[name] * values[name] },
    ]),
  );
}

/** Whether an item has no neighbors that were said before and after it. */
function isStandalone({ type }: { type: ItemType }): boolean {
  return type !== 'message';
}

/** What the signals of an item outside conversations count for; where words count for nothing, meaning as elsewhere. */
function standaloneWeights(weights: Weights): Weights {
  return weights.lexical === 0 ? weights : withMeaning(weights, STANDALONE_MEANING);
}

function weigh(signals: Signals, weights: Weights): number {
  return SIGNAL_NAMES.reduce((sum, name) => sum + weights[name] * signals[name], 0);
}
