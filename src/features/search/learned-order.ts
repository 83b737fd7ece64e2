import { SIGNAL_NAMES } from '../../contract/signals.ts';
import {
  bucketOf,
  guarded,
  type LearnedRanking,
  type QueryBucket,
  type RememberedCandidate,
  signalModelOf,
  textTraitsOf,
} from '../learning/learning.ts';
import type { Candidate, FoundCandidates } from './candidate.ts';
import { type Fused, fuse, isMeant, STRATEGY_WEIGHTS, speaksFor, TEMPERATURE, type Weights } from './fusion.ts';
import type { Question } from './question.ts';
import { compareCandidates } from './search-results.ts';
import { signalsOf } from './signals.ts';

/** What learning knows of this search's signals. */
export const SIGNAL_MODEL = signalModelOf(SIGNAL_NAMES, STRATEGY_WEIGHTS.default, TEMPERATURE);

/** The kind of a query, by which what was learned is told apart. */
export function bucketOfQuery(query: string, { terms, dates, recent }: Question, found: FoundCandidates): QueryBucket {
  const traits = textTraitsOf(query);
  return bucketOf({
    ...traits,
    terms: terms.length,
    hasDate: dates.length > 0,
    hasRecencyCue: recent || traits.hasRecencyCue,
    unknownShare: found.unknown.length / Math.max(1, terms.length),
    namesSpeaker: found.speakers.size > 0,
  });
}

/** Candidates in the order of the strategy, or of what was learned; and as the default ranking has them. */
export function rankCandidates(
  { candidates, speakers }: FoundCandidates,
  question: Question,
  nowMs: number,
  strategy: keyof typeof STRATEGY_WEIGHTS | 'auto',
  learned: LearnedRanking | undefined,
): { ranked: Fused<Candidate>[]; byDefault: Fused<Candidate>[]; weights: Weights } {
  const all = signalsOf(candidates, question, speakers, nowMs);
  const meant = candidates.map((item, index) => ({ item, signals: all[index]! })).filter(isMeant);
  const fused = (weights: Weights) => fuse(meant, weights, compareCandidates);
  const byDefault = fused(STRATEGY_WEIGHTS.default);
  if (!learned) {
    const weights = STRATEGY_WEIGHTS[strategy === 'auto' ? 'default' : strategy];
    const ranked = weights === STRATEGY_WEIGHTS.default ? byDefault : fused(weights);
    return { ranked: ranked.filter(({ signals }) => speaksFor(signals, weights)), byDefault, weights };
  }
  const weights = learned.weights as Weights;
  const byLearning = fused(weights);
  const hitOf = new Map(byLearning.map((hit) => [hit.item, hit]));
  const order = guarded(
    byLearning.map(({ item }) => item),
    byDefault.map(({ item }) => item),
  );
  return { ranked: order.map((item) => hitOf.get(item)!), byDefault, weights };
}

/** Candidates as the learning remembers them. */
export function toRemembered(byDefault: readonly Fused<Candidate>[]): RememberedCandidate[] {
  return byDefault.map(({ item, signals }) => ({ id: item.facts.id, signals }));
}
