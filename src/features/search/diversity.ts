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
  const index = indexWords(items.map(({ text }) => text.slice(0, MAX_COMPARED_CHARACTERS)));
  const maxSimilarity = items.map(() => 0);
  const remaining = new Set(items.keys());
  while (remaining.size > 0) {
    const best = mostRelevant(remaining, items, maxSimilarity);
    const selected = newestVersion(best, remaining, items, similaritiesTo(best, index));
    remaining.delete(selected);
    yield selected;
    const similarities = similaritiesTo(selected, index);
    for (const other of remaining) maxSimilarity[other] = Math.max(maxSimilarity[other]!, similarities[other]!);
  }
}

/** The distinct words of texts, by number, and the texts of each word. */
interface WordIndex {
  words: number[][];
  texts: number[][];
}

function indexWords(texts: readonly string[]): WordIndex {
  const numbers = new Map<string, number>();
  const index: WordIndex = { words: [], texts: [] };
  for (const [number, text] of texts.entries()) {
    const words = [...new Set(termsOf(text))].map((word) => {
      const known = numbers.get(word) ?? numbers.size;
      numbers.set(word, known);
      return known;
    });
    index.words.push(words);
    for (const word of words) {
      index.texts[word] ??= [];
      index.texts[word].push(number);
    }
  }
  return index;
}

/** The Jaccard index of a text with each text, computed from the words they share. */
function similaritiesTo(selected: number, { words, texts }: WordIndex): number[] {
  const common = words.map(() => 0);
  for (const word of words[selected]!) for (const other of texts[word]!) common[other]! += 1;
  const size = words[selected]!.length;
  return common.map((shared, other) => (shared === 0 ? 0 : shared / (size + words[other]!.length - shared)));
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
  similarities: readonly number[],
): number {
  let newest = selected;
  for (const other of remaining) {
    const isNewer = items[other]!.atMs > items[newest]!.atMs;
    if (isNewer && similarities[other]! >= SAME_STATEMENT) newest = other;
  }
  return newest;
}
