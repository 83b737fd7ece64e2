import type { ContextAnswer, SearchAnswer, SearchResult } from '../../contract/search.ts';
import { OWN_SPACE } from '../../contract/spaces.ts';
import type { CountTokens } from '../../outside/tokens.ts';
import type { Principal } from '../keys/keys.ts';

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

/**
 * Joins ranked lists by relevance, which is calibrated and therefore comparable between spaces, unlike scores. Each list
 * keeps its own order, so that a newer statement stays before the older one that it replaces.
 */
export function joinByRelevance<Result extends Pick<SearchResult, 'relevance'>>(
  lists: readonly (readonly Result[])[],
  limit: number,
): Result[] {
  const next = lists.map(() => 0);
  const joined: Result[] = [];
  while (joined.length < limit) {
    let best = -1;
    for (const [index, list] of lists.entries()) {
      const head = list[next[index]!];
      if (head && (best < 0 || head.relevance > lists[best]![next[best]!]!.relevance)) best = index;
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

/** Joins answers over the same question; each space has a search of its own, for feedback. */
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
    results: joinByRelevance(lists, limit),
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
    const part = space ? `In the shared space ${JSON.stringify(space.name)}:\n${own}` : own;
    const text = joined.text === '' ? part : `${joined.text}\n\n${part}`;
    const tokens = await countTokens(text);
    if (tokens <= maxTokens) joined = { text, citations: [...joined.citations, ...citations], tokens };
  }
  return { searchId: null, confidence: null, ...joined };
}
