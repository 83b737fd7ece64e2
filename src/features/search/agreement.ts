import { type Candidate, compareCandidates } from './candidate.ts';
import { fuse, matchesWithoutMeaning, STRATEGY_WEIGHTS, type WithSignals, withMeaning } from './fusion.ts';
import type { ParsedQuery } from './parsed-query.ts';
import { rate } from './relevance.ts';

/** The best match by words must answer the query with this probability. */
const MIN_RELEVANCE = 0.2;
/** From this share of the answer's lexical score on, another match holds about as much of the query. */
const COMPARABLE_SCORE = 0.7;
const BY_WORDS = withMeaning(STRATEGY_WEIGHTS.default, 0);

/**
 * How far a model agrees with an answer that words find: the share (0 to 1) of the other texts with about as many of
 * the query's words that are less similar in meaning to the query than the answer is. Noise, and a model that only
 * compares words, agree in half of the cases. Texts found by meaning alone do not count: they were chosen by the model.
 * `undefined` where words have no answer or nothing compares to it; `memories` is how many the user has.
 */
export function agreementOf(
  matches: readonly WithSignals<Candidate>[],
  memories: number,
  query: Pick<ParsedQuery, 'ways'> = {},
): number | undefined {
  const ranked = fuse(matches.filter(matchesWithoutMeaning), BY_WORDS, compareCandidates);
  const [answer] = ranked;
  const cosine = answer?.item.scores.vector;
  if (answer === undefined || cosine === undefined || answer.signals.lexical === 0) return undefined;
  if (rate(ranked, memories, query).relevances.get(answer.item)! < MIN_RELEVANCE) return undefined;
  const cosines = ranked
    .slice(1)
    .filter(({ signals }) => signals.lexical >= COMPARABLE_SCORE * answer.signals.lexical)
    .flatMap(({ item }) => item.scores.vector ?? []);
  if (cosines.length === 0) return undefined;
  const points = cosines.map((other) => (other < cosine ? 1 : other === cosine ? 0.5 : 0));
  return points.reduce<number>((sum, point) => sum + point, 0) / cosines.length;
}
