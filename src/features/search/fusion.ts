import { SIGNAL_NAMES, type SignalName } from '../../contract/signals.ts';
import type { Signals } from './signals.ts';

export type Weights = Readonly<Record<SignalName, number>>;

const NONE = Object.fromEntries(SIGNAL_NAMES.map((name) => [name, 0])) as Weights;
const DEFAULT: Weights = {
  ...NONE,
  ...{ lex: 2, tri: 1, win: 2.5, sess: 1.5, spk: 1, date: 5, cue: 1, reply: 1, self: 2, vec: 1.25 },
};

/** The strategies that can be asked for by name; `auto` is the default one until there is feedback to learn from. */
export const STRATEGY_WEIGHTS = {
  default: DEFAULT,
  lexical: { ...NONE, lex: 1 },
  semantic: { ...NONE, vec: 1 },
  recent: { ...DEFAULT, rec: 4 },
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
  const { lex, tri, win, sess, vec, date } = signals;
  return lex > 0 || tri > 0 || win > 0 || sess > 0 || vec > 0 || date === 1;
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
  const told = standsAlone ? { ...signals, win: 0, sess: 0 } : signals;
  const weighed = standsAlone ? { ...weights, lex: weights.lex + weights.win + weights.sess } : weights;
  return Object.fromEntries(
    SIGNAL_NAMES.map((name) => [name, { value: told[name], weight: weighed[name], share: weighed[name] * told[name] }]),
  );
}
