import { SIGNAL_NAMES, type SignalName } from '../../contract/signals.ts';
import type { Signals } from './signals.ts';

export type Weights = Readonly<Record<SignalName, number>>;

const NONE = Object.fromEntries(SIGNAL_NAMES.map((name) => [name, 0])) as Weights;
const DEFAULT: Weights = {
  ...NONE,
  ...{
    lexical: 2,
    trigram: 1,
    window: 2.5,
    session: 1.5,
    speaker: 1,
    date: 5,
    answerCue: 1,
    reply: 1,
    self: 2,
    vector: 1.25,
  },
};

/** The strategies that can be asked for by name; `auto` is the default one until there is feedback to learn from. */
export const STRATEGY_WEIGHTS = {
  default: DEFAULT,
  lexical: { ...NONE, lexical: 1 },
  semantic: { ...NONE, vector: 1 },
  recent: { ...DEFAULT, recency: 4 },
} satisfies Record<string, Weights>;

/** Divides the default scores, so that their softmax over a pool is how often each result is the one that is used. */
export const TEMPERATURE = 0.85;

/** Something with what speaks for it. */
export interface Signalled<T> {
  item: T;
  signals: Signals;
}

export interface Fused<T> extends Signalled<T> {
  score: number;
}

/**
 * Orders items by the weighted sum of their signals, the best first; of equals the one that `compare` puts first. The
 * order does not depend on the order of the input. A score is the part of what could be had: 1 where every signal that
 * says anything in this query says all it can.
 */
export function fuse<T>(items: readonly Signalled<T>[], weights: Weights, compare: (a: T, b: T) => number): Fused<T>[] {
  const speaking = SIGNAL_NAMES.filter((name) => items.some(({ signals }) => signals[name] !== 0));
  const attainable = speaking.reduce((sum, name) => sum + Math.max(0, weights[name]), 0) || 1;
  return items
    .map(({ item, signals }) => ({ item, signals, score: scoreOf(signals, weights) / attainable }))
    .sort((a, b) => b.score - a.score || compare(a.item, b.item));
}

/** Whether words of the query lead to it, or its meaning, or it is of the very days asked for. */
export function isMeant({ signals }: { signals: Signals }): boolean {
  const { lexical, trigram, window, session, vector, date } = signals;
  return lexical > 0 || trigram > 0 || window > 0 || session > 0 || vector > 0 || date === 1;
}

/** Whether any signal that counts says anything for it. */
export function speaksFor(signals: Signals, weights: Weights): boolean {
  return SIGNAL_NAMES.some((name) => weights[name] > 0 && signals[name] > 0);
}

function scoreOf(signals: Signals, weights: Weights): number {
  return SIGNAL_NAMES.reduce((sum, name) => sum + weights[name] * signals[name], 0);
}

/**
 * What each signal gave to a score, for `explain`. The surroundings of what stands alone are its own words: all that is
 * said of them is told of these.
 */
export function sharesOf(
  signals: Signals,
  weights: Weights,
  standsAlone: boolean,
): Record<string, { value: number; weight: number; share: number }> {
  const told = standsAlone ? { ...signals, window: 0, session: 0 } : signals;
  const weighed = standsAlone ? { ...weights, lexical: weights.lexical + weights.window + weights.session } : weights;
  return Object.fromEntries(
    SIGNAL_NAMES.map((name) => [name, { value: told[name], weight: weighed[name], share: weighed[name] * told[name] }]),
  );
}
