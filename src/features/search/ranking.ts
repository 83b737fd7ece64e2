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
  meaningOf,
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
  /** By the default weights, with learned words. */
  byDefault: Fused<Candidate>[];
  /** As for a user who taught nothing. */
  untaught: Fused<Candidate>[];
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
  const defaults = withMeaning(STRATEGY_WEIGHTS.default, meaning);
  const byDefault = fuseBy(defaults);
  const isTaught = counted.some(({ signals }) => signals.learnedWords > 0);
  const untaught = isTaught ? fuseBy({ ...defaults, learnedWords: 0 }) : byDefault;
  if (learned) {
    const weights = withMeaning(learned.weights as Weights, meaning);
    return { ranked: rankByLearned(untaught, weights, fuseBy), byDefault, untaught, weights };
  }
  const named = STRATEGY_WEIGHTS[strategy === 'auto' ? 'default' : strategy];
  const weights = isSemantic ? named : withMeaning(named, meaning);
  const ranked = named === STRATEGY_WEIGHTS.default ? byDefault : fuseBy(weights);
  return { ranked: ranked.filter((hit) => hasPositiveSignal(hit.signals, weights)), byDefault, untaught, weights };
}

/** The learned order, with the last places of the first ten reserved for what is best without learning. */
function rankByLearned(
  untaught: Fused<Candidate>[],
  weights: Weights,
  fuseBy: (weights: Weights) => Fused<Candidate>[],
): Fused<Candidate>[] {
  const hits = new Map(fuseBy(weights).map((hit) => [hit.item, hit]));
  const order = reserveDefaults(
    [...hits.keys()],
    untaught.map(({ item }) => item),
  );
  return order.map((item) => hits.get(item)!);
}

/** Candidates in the form that learning stores: `vector` as far as it counted, so that learning sees what ranked. */
export function toRemembered(untaught: readonly Fused<Candidate>[], meaning: number): RememberedCandidate[] {
  return untaught.map((hit) => ({
    id: hit.item.facts.id,
    signals: { ...hit.signals, vector: meaningOf(hit) * meaning },
  }));
}
