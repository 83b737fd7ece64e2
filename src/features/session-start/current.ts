import { mayReplace, type Origin } from '../../contract/origin.ts';
import type { Language } from '../languages/language.ts';
import { languageOf } from '../languages/languages.ts';
import { searchReadingOf } from '../languages/search-words.ts';
import {
  type Replacement,
  rarityAmong,
  replacementOf,
  type SentenceWords,
  sentenceWordsOf,
} from '../search/sentence-replacement.ts';
import { statementReader } from '../search/statement-words.ts';
import { relationOf } from '../suggestions/pair-rules.ts';
import { type ReadStatement, readStatement } from '../suggestions/read-statement.ts';
import { isSubset, saysItEnds } from '../suggestions/same-statement.ts';

/** A sentence with when it was said. */
export interface Said {
  text: string;
  atMs: number;
  origin: Origin | null;
  /** By default, that of the text; a short sentence is in the language of its message. */
  language?: Language;
}

/** A sentence, read to compare it with others. */
interface Read<Item> {
  item: Item;
  language: Language;
  words: SentenceWords;
  statement: () => ReadStatement;
}

/** Replacements for which words that both share suffice. */
const SHARED_WORDS: ReadonlySet<Replacement> = new Set<Replacement>(['most words', 'beginning']);
/** Sentences that share no word rarer than this are not compared. */
const MIN_TELLS = 0.25;

/** Returns the sentences that no newer one takes the place of, in steps; see `successorsAmong`. */
export function* currentOf<Item extends Said>(
  items: readonly Item[],
  isRejected?: (older: Item, newer: Item) => boolean,
): Generator<void, Set<Item>> {
  const successors = yield* successorsAmong(items, isRejected);
  return new Set(items.filter((item) => !successors.has(item)));
}

/**
 * Finds for each sentence that no longer holds one that takes its place, in steps; of two from the same time the later one
 * stays. `isRejected` tells of an older and a newer one that somebody said that both hold.
 */
export function* successorsAmong<Item extends Said>(
  items: readonly Item[],
  isRejected: (older: Item, newer: Item) => boolean = () => false,
): Generator<void, Map<Item, Item>> {
  const read: Read<Item>[] = [];
  for (const item of items) {
    read.push(readItem(item));
    yield;
  }
  const tells = rarityAmong(read.map(({ words }) => words));
  const newestFirst = [...read.entries()].sort(([a, one], [b, other]) => other.item.atMs - one.item.atMs || b - a);
  const successors = new Map<Item, Item>();
  const byRoot = new Map<string, Read<Item>[]>();
  for (const [index, one] of newestFirst) {
    const { item, words } = one;
    const rare = words.telling.filter((root) => tells(root) >= MIN_TELLS);
    const newer = new Set(rare.flatMap((root) => byRoot.get(root) ?? []));
    const successor = [...newer].find(
      (other) =>
        mayReplace(other.item.origin, item.origin) && replaces(other, one, tells) && !isRejected(item, other.item),
    );
    if (successor) successors.set(item, successor.item);
    for (const root of rare) {
      const sharing = byRoot.get(root);
      if (sharing) sharing.push(read[index]!);
      else byRoot.set(root, [read[index]!]);
    }
    yield;
  }
  return successors;
}

/** Whether a newer sentence says all that an older one says, and announces no change of it. */
export function saysAgain(newer: string, older: string): boolean {
  const [now, then] = [readStatement(newer), readStatement(older)];
  if (relationOf(now, then, () => false)?.kind === 'merge') return true;
  return (
    [...then.roots.keys()].every((root) => now.roots.has(root)) &&
    isSubset(then.numbers, now.numbers) &&
    isSubset(then.limits, now.limits) &&
    isSubset(now.limits, then.limits) &&
    !saysItEnds(now) &&
    !now.language.statements.replaces.test(newer)
  );
}

function readItem<Item extends Said>(item: Item): Read<Item> {
  const { text, language = languageOf(text) } = item;
  const words = sentenceWordsOf(text, statementReader(searchReadingOf(language)));
  let statement: ReadStatement | undefined;
  return { item, language, words, statement: () => (statement ??= readStatement(text)) };
}

/**
 * Whether a newer sentence takes the place of an older one. In other languages than English, two that share words may state
 * two things ("my daughter likes tea", "my daughter likes football"), which the rules for suggestions tell apart.
 */
function replaces(newer: Read<Said>, older: Read<Said>, tells: (root: string) => number): boolean {
  const by = replacementOf(newer.words, older.words, tells);
  if (newer.language.code === 'en' || newer.language !== older.language) return by !== undefined;
  if (by !== undefined && !SHARED_WORDS.has(by)) return true;
  return relationOf(newer.statement(), older.statement(), () => false) !== undefined;
}
