import {
  bucketOf,
  guarded,
  type LearnedRanking,
  type QueryBucket,
  type RememberedCandidate,
  signalModelOf,
  textTraitsOf,
} from '../learning/learning.ts';
import type { Candidate } from './candidates-sqlite.ts';
import { type Fused, fuse, STRATEGY_WEIGHTS, TEMPERATURE, type Weights } from './fusion.ts';
import { compareCandidates } from './search-results.ts';
import { SIGNAL_NAMES, signalsOf } from './signals.ts';
import { queryTerms } from './terms.ts';

/** What learning knows of this search's signals. */
export const SIGNAL_MODEL = signalModelOf(SIGNAL_NAMES, STRATEGY_WEIGHTS.default, TEMPERATURE);

/** The kind of a query, as far as its text tells. */
export function bucketOfQuery(query: string): QueryBucket {
  const terms = queryTerms(query).length;
  return bucketOf({ ...textTraitsOf(query), terms, hasDate: false, unknownShare: 0, namesSpeaker: false });
}

/** Candidates in the order of the strategy, or of what was learned; and as the default ranking has them. */
export function rankCandidates(
  candidates: readonly Candidate[],
  nowMs: number,
  strategy: keyof typeof STRATEGY_WEIGHTS | 'auto',
  learned: LearnedRanking | undefined,
): { fused: Fused<Candidate>[]; byDefault: Fused<Candidate>[]; weights: Weights } {
  const signals = signalsOf(candidates, nowMs);
  const ranked = (weights: Weights) => fuse(candidates, signals, weights, compareCandidates);
  const byDefault = ranked(STRATEGY_WEIGHTS.default);
  if (!learned) {
    const weights = STRATEGY_WEIGHTS[strategy === 'auto' ? 'default' : strategy];
    return { fused: weights === STRATEGY_WEIGHTS.default ? byDefault : ranked(weights), byDefault, weights };
  }
  const weights = learned.weights as Weights;
  const byLearning = ranked(weights);
  const places = new Map(byLearning.map((hit) => [hit.item, hit]));
  const order = guarded(
    byLearning.map(({ item }) => item),
    byDefault.map(({ item }) => item),
  );
  return { fused: order.map((item) => places.get(item)!), byDefault, weights };
}

/** Candidates as the learning remembers them. */
export function toAnswered(byDefault: readonly Fused<Candidate>[]): RememberedCandidate[] {
  return byDefault.map(({ item, signals }) => ({ id: item.row.id, signals }));
}
