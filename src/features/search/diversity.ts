import { termsOf } from '../text/terms.ts';

/** What is chosen from: its text, when it was, and how good it is. */
export interface Choosable {
  text: string;
  atMs: number;
  score: number;
}

/** How much of a score likeness to what is chosen already may cost (the lambda of maximal marginal relevance, as 1 - λ). */
const LIKENESS_COST = 0.3;
/** From here on two texts say the same of the same thing: the newer stands first. */
const SAME_THING = 0.6;
/** So much of a text is compared. */
const COMPARED_CHARACTERS = 1000;

/**
 * The order in which items are to be taken: the best first, then always the one that is good and says something else
 * (maximal marginal relevance, Carbonell & Goldstein 1998, likeness as the Jaccard index of the words). Of items that
 * say the same of the same thing the newest state comes first. Gives places in `items`, which are sorted best first; who
 * has enough stops asking.
 */
export function* diverseOrder(items: readonly Choosable[]): Generator<number> {
  const words = items.map(({ text }) => new Set(termsOf(text.slice(0, COMPARED_CHARACTERS))));
  const likenessTo = items.map(() => 0);
  const left = new Set(items.keys());
  while (left.size > 0) {
    const chosen = newestOfSame(bestOf(left, items, likenessTo), left, items, words);
    left.delete(chosen);
    yield chosen;
    for (const other of left) {
      likenessTo[other] = Math.max(likenessTo[other]!, likeness(words[chosen]!, words[other]!));
    }
  }
}

function bestOf(left: ReadonlySet<number>, items: readonly Choosable[], likenessTo: readonly number[]): number {
  let [best, bestWorth] = [-1, Number.NEGATIVE_INFINITY];
  for (const place of left) {
    const worth = items[place]!.score - LIKENESS_COST * likenessTo[place]!;
    if (worth > bestWorth) [best, bestWorth] = [place, worth];
  }
  return best;
}

function newestOfSame(
  chosen: number,
  left: ReadonlySet<number>,
  items: readonly Choosable[],
  words: readonly ReadonlySet<string>[],
): number {
  let newest = chosen;
  for (const other of left) {
    const newer = items[other]!.atMs > items[newest]!.atMs;
    if (newer && likeness(words[chosen]!, words[other]!) >= SAME_THING) newest = other;
  }
  return newest;
}

function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const [small, large] = a.size < b.size ? [a, b] : [b, a];
  let common = 0;
  for (const word of small) if (large.has(word)) common += 1;
  return common === 0 ? 0 : common / (a.size + b.size - common);
}
