import { oneLine, withoutTags } from '../../contract/fence.ts';
import type { ContextAnswer, SearchAnswer, SearchResult } from '../../contract/search.ts';
import { OWN_SPACE } from '../../contract/spaces.ts';
import type { CountTokens } from '../../outside/tokens.ts';
import type { Principal } from '../keys/keys.ts';
import { type FoundCandidates, NO_CANDIDATES } from './candidate.ts';
import type { ParsedQuery } from './parsed-query.ts';
import { matchesOf, rankMatches } from './ranking.ts';
import { rate } from './relevance.ts';

/** A result with the name of the space that it is of. */
export type PlacedResult = SearchResult & { space: string };

/** How answers name the spaces of members: by name, or by id where two have the same name. */
export function labelsOf(members: readonly Pick<Principal, 'space'>[]): string[] {
  const names = members.map(({ space }) => space?.name ?? OWN_SPACE);
  const isTaken = (name: string) => names.indexOf(name) !== names.lastIndexOf(name);
  return names.map((name, index) => (isTaken(name) ? (members[index]!.space?.id ?? name) : name));
}

/** Adds to results the space that they are of. */
export function placed(results: readonly SearchResult[], space: string): PlacedResult[] {
  return results.map((result) => ({ ...result, space }));
}

/** Score and relevance of a result among all spaces. */
export type Rating = Pick<SearchResult, 'score' | 'relevance'>;

/**
 * Rates each candidate as if all were of one space: signals are relative to the best of a query, so that in a space without an
 * answer the best of little would count as much as the answer elsewhere. Returns the lookup by the index of the space and
 * the result, without what took the place of a candidate and was not found itself.
 */
export function jointRatings(
  all: readonly FoundCandidates[],
  parsed: ParsedQuery,
  nowMs: number,
): (index: number, result: Pick<SearchResult, 'id'>) => Rating | undefined {
  const candidates = all.flatMap((found) => found.candidates);
  const speakers = new Set(all.flatMap((found) => [...found.speakers]));
  const matches = matchesOf({ ...NO_CANDIDATES, candidates, speakers }, parsed, nowMs);
  const { byDefault } = rankMatches(matches, 'default');
  const { relevances } = rate(
    byDefault,
    all.reduce((sum, { memories }) => sum + memories, 0),
    parsed,
  );
  const ratings = new Map(byDefault.map(({ item, score }) => [item, { score, relevance: relevances.get(item)! }]));
  const byId = all.map(({ candidates: own }) => new Map(own.map((one) => [one.facts.id, ratings.get(one)])));
  return (index, { id }) => byId[index]!.get(id);
}

/** Gives results their ratings among all spaces. As in one, a newer result is at least as relevant as the one that it updates. */
export function withRatings(
  results: readonly SearchResult[],
  ratingOf: (result: Pick<SearchResult, 'id'>) => Rating | undefined,
): SearchResult[] {
  const rated = results.map((result) => ({ ...result, ...ratingOf(result) }));
  const byId = new Map(rated.map((result) => [result.id, result]));
  // Newer ones come first, and may themselves be updated by those before them.
  for (const older of rated.toReversed()) {
    for (const id of [older.restatedBy, older.possiblySupersededBy]) {
      const newer = id === undefined ? undefined : byId.get(id);
      if (newer) newer.relevance = Math.max(newer.relevance, older.relevance);
    }
  }
  return rated;
}

/**
 * What joined lists are ordered by: of score alone, relevance alone and their sums, this one came closest to one space that
 * holds everything (`bench/retrieval/spaces.ts`).
 */
const strengthOf = ({ score, relevance }: Rating) => score + 2 * relevance;

/**
 * Joins ranked lists by score and relevance among all spaces. Each list keeps its own order, so that a newer statement stays before
 * the older one that it replaces.
 */
export function joinByStrength<Result extends Rating>(lists: readonly (readonly Result[])[], limit: number): Result[] {
  const next = lists.map(() => 0);
  const joined: Result[] = [];
  while (joined.length < limit) {
    let best = -1;
    for (const [index, list] of lists.entries()) {
      const head = list[next[index]!];
      if (head && (best < 0 || strengthOf(head) > strengthOf(lists[best]![next[best]!]!))) best = index;
    }
    if (best < 0) break;
    joined.push(lists[best]![next[best]!]!);
    next[best]! += 1;
  }
  return joined;
}

/** The heaviest weight of each term: a term that is rare in one space tells as much there as if it were searched alone. */
export function joinWeights(all: readonly ReadonlyMap<string, number>[]): Map<string, number> {
  const joined = new Map<string, number>();
  for (const weights of all) {
    for (const [term, weight] of weights) joined.set(term, Math.max(weight, joined.get(term) ?? 0));
  }
  return joined;
}

/** Joins answers over the same question; each space has its own search id, for feedback. */
export function joinAnswers(
  labels: readonly string[],
  answers: readonly SearchAnswer[],
  limit: number,
): SearchAnswer & { results: PlacedResult[] } {
  const first = answers[0]!;
  const lists = answers.map(({ results }, index) => placed(results, labels[index]!));
  return {
    searchId: first.searchId,
    confidence: Math.max(...answers.map(({ confidence }) => confidence)),
    results: joinByStrength(lists, limit),
    strategy: first.strategy,
    searches: answers.map(({ searchId }, index) => ({ space: labels[index]!, searchId })),
    tookMs: Math.max(...answers.map(({ tookMs }) => tookMs)),
  };
}

/** Joins what sessions start with, under the name of each space; one that does not fit any more is left out. */
export async function joinStarts(
  members: readonly Principal[],
  starts: readonly ContextAnswer[],
  { maxTokens, countTokens }: { maxTokens: number; countTokens: CountTokens },
): Promise<ContextAnswer> {
  let joined = { text: '', citations: [] as ContextAnswer['citations'], tokens: 0 };
  for (const [index, { text: own, citations }] of starts.entries()) {
    if (own === '') continue;
    const { space } = members[index]!;
    const part = space ? `In the shared space ${JSON.stringify(withoutTags(oneLine(space.name)))}:\n${own}` : own;
    const text = joined.text === '' ? part : `${joined.text}\n\n${part}`;
    const tokens = await countTokens(text);
    if (tokens <= maxTokens) joined = { text, citations: [...joined.citations, ...citations], tokens };
  }
  return { searchId: null, confidence: null, ...joined };
}
