import { replacesSentence, type SentenceWords, sentenceWordsOf } from '../search/sentence-replacement.ts';

/** A sentence with when it was said. */
export interface Said {
  text: string;
  atMs: number;
}

/** A word of more sentences than this tells less and less that two of them are about the same thing. */
const RARE = 4;
/** A word of more does not. */
const MAX_SHARING = 40;

/** Returns the sentences that no newer one takes the place of, in steps; of two from the same time the later one stays. */
export function* currentOf<Item extends Said>(items: readonly Item[]): Generator<void, Set<Item>> {
  const read: { item: Item; words: SentenceWords }[] = [];
  const sentences = new Map<string, number>();
  for (const item of items) {
    const words = sentenceWordsOf(item.text);
    for (const root of words.telling) sentences.set(root, (sentences.get(root) ?? 0) + 1);
    read.push({ item, words });
    yield;
  }
  const tells = (root: string) => Math.min(1, RARE / (sentences.get(root) ?? 1));
  const newestFirst = [...read.entries()].sort(([a, one], [b, other]) => other.item.atMs - one.item.atMs || b - a);
  const current = new Set<Item>();
  const byRoot = new Map<string, SentenceWords[]>();
  for (const [, { item, words }] of newestFirst) {
    const rare = words.telling.filter((root) => sentences.get(root)! <= MAX_SHARING);
    const newer = new Set(rare.flatMap((root) => byRoot.get(root) ?? []));
    if (![...newer].some((other) => replacesSentence(other, words, tells))) current.add(item);
    for (const root of rare) byRoot.set(root, [...(byRoot.get(root) ?? []), words]);
    yield;
  }
  return current;
}
