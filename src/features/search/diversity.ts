import { termsOf } from '../text/terms.ts';

export interface DiverseItem {
  text: string;
  atMs: number;
  score: number;
}

/** Weight of similarity to what was already selected: 1 - λ in maximal marginal relevance. */
const SIMILARITY_PENALTY = 0.3;
/** From this similarity on, two texts are versions of the same statement. */
const SAME_STATEMENT = 0.6;
/** Only the beginning of a text is compared. */
const MAX_COMPARED_CHARACTERS = 1000;

/**
 * Yields indices of `items` by maximal marginal relevance (Carbonell & Goldstein 1998), with the Jaccard index of the
 * words as similarity; among versions of the same statement the newest comes first. Lazy: stop when you have enough.
 * `items` must be sorted best first.
 */
export function* diverseOrder(items: readonly DiverseItem[]): Generator<number> {
  const words = items.map(({ text }) => new Set(termsOf(text.slice(0, MAX_COMPARED_CHARACTERS))));
  const maxSimilarity = items.map(() => 0);
  const remaining = new Set(items.keys());
  while (remaining.size > 0) {
    const selected = newestVersion(mostRelevant(remaining, items, maxSimilarity), remaining, items, words);
    remaining.delete(selected);
    yield selected;
    for (const other of remaining) {
      maxSimilarity[other] = Math.max(maxSimilarity[other]!, similarity(words[selected]!, words[other]!));
    }
  }
}

function mostRelevant(
  remaining: ReadonlySet<number>,
  items: readonly DiverseItem[],
  maxSimilarity: readonly number[],
): number {
  let [best, bestRelevance] = [-1, Number.NEGATIVE_INFINITY];
  for (const index of remaining) {
    const relevance = items[index]!.score - SIMILARITY_PENALTY * maxSimilarity[index]!;
    if (relevance > bestRelevance) [best, bestRelevance] = [index, relevance];
  }
  return best;
}

function newestVersion(
  selected: number,
  remaining: ReadonlySet<number>,
  items: readonly DiverseItem[],
  words: readonly ReadonlySet<string>[],
): number {
  let newest = selected;
  for (const other of remaining) {
    const newer = items[other]!.atMs > items[newest]!.atMs;
    if (newer && similarity(words[selected]!, words[other]!) >= SAME_STATEMENT) newest = other;
  }
  return newest;
}

function similarity(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const [small, large] = a.size < b.size ? [a, b] : [b, a];
  let common = 0;
  for (const word of small) if (large.has(word)) common += 1;
  return common === 0 ? 0 : common / (a.size + b.size - common);
}
