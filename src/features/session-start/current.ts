import { mayReplace, type Origin } from '../../contract/origin.ts';
import { rarityAmong, replacesSentence, type SentenceWords, sentenceWordsOf } from '../search/sentence-replacement.ts';

/** A sentence with when it was said. */
export interface Said {
  text: string;
  atMs: number;
  origin: Origin | null;
}

/** Sentences that share no word rarer than this are not compared. */
const MIN_TELLS = 0.25;

/**
 * Returns the sentences that no newer one takes the place of, in steps; of two from the same time the later one stays.
 * `isRejected` tells of an older and a newer one that somebody said that both hold.
 */
export function* currentOf<Item extends Said>(
  items: readonly Item[],
  isRejected: (older: Item, newer: Item) => boolean = () => false,
): Generator<void, Set<Item>> {
  const read: { item: Item; words: SentenceWords }[] = [];
  for (const item of items) {
    read.push({ item, words: sentenceWordsOf(item.text) });
    yield;
  }
  const tells = rarityAmong(read.map(({ words }) => words));
  const newestFirst = [...read.entries()].sort(([a, one], [b, other]) => other.item.atMs - one.item.atMs || b - a);
  const current = new Set<Item>();
  const byRoot = new Map<string, { item: Item; words: SentenceWords }[]>();
  for (const [index, { item, words }] of newestFirst) {
    const rare = words.telling.filter((root) => tells(root) >= MIN_TELLS);
    const newer = new Set(rare.flatMap((root) => byRoot.get(root) ?? []));
    const isReplaced = [...newer].some(
      (other) =>
        mayReplace(other.item.origin, item.origin) &&
        replacesSentence(other.words, words, tells) &&
        !isRejected(item, other.item),
    );
    if (!isReplaced) current.add(item);
    for (const root of rare) {
      const sharing = byRoot.get(root);
      if (sharing) sharing.push(read[index]!);
      else byRoot.set(root, [read[index]!]);
    }
    yield;
  }
  return current;
}
