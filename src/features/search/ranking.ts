import type { Strategy } from '../../contract/search.ts';
import { SIGNAL_NAMES } from '../../contract/signals.ts';
import {
  bucketOf,
  type LearnedRanking,
  type QueryBucket,
  type RememberedCandidate,
  reserveDefaults,
  signalModelOf,
  textTraitsOf,
} from '../learning/learning.ts';
import { type Candidate, compareCandidates, type FoundCandidates } from './candidate.ts';
import {
  type Fused,
  fuse,
  hasPositiveSignal,
  isMatch,
  STRATEGY_WEIGHTS,
  TEMPERATURE,
  type Weights,
  type WithSignals,
} from './fusion.ts';
import type { ParsedQuery } from './parsed-query.ts';
import { signalsOf } from './signals.ts';

/** The signals as learning sees them. */
export const SIGNAL_MODEL = signalModelOf(SIGNAL_NAMES, STRATEGY_WEIGHTS.default, TEMPERATURE);

/** Classifies a query into the buckets that weights are learned for separately. */
export function bucketOfQuery(
  query: string,
  { terms, dates, asksForRecent }: ParsedQuery,
  found: FoundCandidates,
): QueryBucket {
  const traits = textTraitsOf(query);
  return bucketOf({
    ...traits,
    terms: terms.length,
    hasDate: dates.length > 0,
    hasRecencyCue: asksForRecent || traits.hasRecencyCue,
    unknownShare: found.unknown.length / Math.max(1, terms.length),
    namesSpeaker: found.speakers.size > 0,
  });
}

export interface Ranking {
  ranked: Fused<Candidate>[];
  /** The default ranking, for `explain` and for learning. */
  byDefault: Fused<Candidate>[];
  weights: Weights;
}

/** The candidates that match the query, with their signals. */
export function matchesOf(
  { candidates, speakers }: FoundCandidates,
  query: ParsedQuery,
  nowMs: number,
): WithSignals<Candidate>[] {
  const signals = signalsOf(candidates, query, speakers, nowMs);
  return candidates.map((item, index) => ({ item, signals: signals[index]! })).filter(isMatch);
}

/** Ranks matches by the strategy; `auto` uses the learned weights where there are any. */
export function rankMatches(
  matches: readonly WithSignals<Candidate>[],
  strategy: Strategy,
  learned: LearnedRanking | undefined,
): Ranking {
  const fuseBy = (weights: Weights) => fuse(matches, weights, compareCandidates);
  const byDefault = fuseBy(STRATEGY_WEIGHTS.default);
  if (learned) return rankByLearned(byDefault, learned.weights as Weights, fuseBy);
  const weights = STRATEGY_WEIGHTS[strategy === 'auto' ? 'default' : strategy];
  const ranked = weights === STRATEGY_WEIGHTS.default ? byDefault : fuseBy(weights);
  return { ranked: ranked.filter((hit) => hasPositiveSignal(hit.signals, weights)), byDefault, weights };
}

/** The learned order, with the last places of the first ten reserved for the default ranking. */
function rankByLearned(
  byDefault: Fused<Candidate>[],
  weights: Weights,
  fuseBy: (weights: Weights) => Fused<Candidate>[],
): Ranking {
  const hits = new Map(fuseBy(weights).map((hit) => [hit.item, hit]));
  const order = reserveDefaults(
    [...hits.keys()],
    byDefault.map(({ item }) => item),
  );
  return { ranked: order.map((item) => hits.get(item)!), byDefault, weights };
}

/** Candidates in the form that learning stores. */
export function toRemembered(byDefault: readonly Fused<Candidate>[]): RememberedCandidate[] {
  return byDefault.map(({ item, signals }) => ({ id: item.facts.id, signals }));
}
