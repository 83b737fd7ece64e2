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
  matchesWithoutMeaning,
  STRATEGY_WEIGHTS,
  TEMPERATURE,
  type Weights,
  type WithSignals,
  withMeaning,
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

/**
 * Ranks matches by the strategy; `auto` uses the learned weights where there are any. `meaning` multiplies the weight of
 * `vector`, except for `semantic`, which has no other signal; with 0, items that match by meaning alone are left out.
 */
export function rankMatches(
  matches: readonly WithSignals<Candidate>[],
  strategy: Strategy,
  { learned, meaning = 1 }: { learned?: LearnedRanking | undefined; meaning?: number } = {},
): Ranking {
  const isSemantic = strategy === 'semantic';
  const counted = meaning > 0 || isSemantic ? matches : matches.filter(matchesWithoutMeaning);
  const fuseBy = (weights: Weights) => fuse(counted, weights, compareCandidates);
  const byDefault = fuseBy(withMeaning(STRATEGY_WEIGHTS.default, meaning));
  if (learned) return rankByLearned(byDefault, withMeaning(learned.weights as Weights, meaning), fuseBy);
  const named = STRATEGY_WEIGHTS[strategy === 'auto' ? 'default' : strategy];
  const weights = isSemantic ? named : withMeaning(named, meaning);
  const ranked = named === STRATEGY_WEIGHTS.default ? byDefault : fuseBy(weights);
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

/** Candidates in the form that learning stores: `vector` as far as it counted, so that learning sees what ranked. */
export function toRemembered(byDefault: readonly Fused<Candidate>[], meaning: number): RememberedCandidate[] {
  return byDefault.map(({ item, signals }) => ({
    id: item.facts.id,
    signals: { ...signals, vector: signals.vector * meaning },
  }));
}
