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
import { type StatementReader, statementReader } from '../search/statement-words.ts';
import { relationOf } from '../suggestions/pair-rules.ts';
import { type ReadStatement, readStatement } from '../suggestions/read-statement.ts';
import { isSubset, saysItEnds } from '../suggestions/same-statement.ts';
import { correctionIn, leaversIn, withoutAnnouncement } from './corrections.ts';

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
  correction: Correction | undefined;
  /** Whether it says that it is a correction. */
  isAnnounced: boolean;
  /** Roots of the names of those who it says left. */
  leavers: ReadonlySet<string>;
}

/** A correction by the value that it rejects. */
interface Correction {
  rejected: SentenceWords;
  /** Whether it says so, or says nothing else than the two values. */
  isSure: boolean;
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
  const spent = new Set<Read<Item>>();
  for (const [index, one] of newestFirst) {
    const { item, words } = one;
    const rare = words.telling.filter((root) => tells(root) >= MIN_TELLS);
    const newer = new Set(rare.flatMap((root) => byRoot.get(root) ?? []));
    const mayFollow = [...newer].filter(
      (other) => mayReplace(other.item.origin, item.origin) && !isRejected(item, other.item),
    );
    let successor = mayFollow.find((other) => replaces(other, one, tells));
    if (successor === undefined) {
      // A value is rejected in the last sentence that states it.
      successor = mayFollow.find((other) => !spent.has(other) && rejects(other, one));
      if (successor) spent.add(successor);
    }
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
  const reader = statementReader(searchReadingOf(language));
  const said = withoutAnnouncement(text);
  let statement: ReadStatement | undefined;
  return {
    ...{ item, language },
    words: sentenceWordsOf(said, reader),
    statement: () => (statement ??= readStatement(said)),
    isAnnounced: said !== text,
    correction: readCorrection(text, reader),
    leavers: new Set(leaversIn(text, language).flatMap((name) => [...sentenceWordsOf(name, reader).roots])),
  };
}

function readCorrection(text: string, reader: StatementReader): Correction | undefined {
  const { isAnnounced, rest, rejected } = correctionIn(text) ?? {};
  if (rest === undefined || rejected === undefined) return undefined;
  const isSure = isAnnounced || sentenceWordsOf(rest, reader).roots.size <= 1;
  return { rejected: sentenceWordsOf(rejected, reader), isSure };
}

/** Whether a correction rejects a value that an older sentence states of something. */
function rejects({ correction, words }: Read<Said>, { words: older }: Read<Said>): boolean {
  if (!correction?.isSure) return false;
  const { roots, numbers } = correction.rejected;
  const [subject = ''] = older.roots;
  return (
    roots.size + numbers.size > 0 &&
    !roots.has(subject) &&
    isSubset(roots, older.roots) &&
    isSubset(numbers, older.numbers) &&
    // A number tells nothing without what it is of.
    (roots.size > 0 || older.telling.some((root) => words.roots.has(root)))
  );
}

/**
 * Whether a newer sentence takes the place of an older one. In other languages than English, two that share words may state
 * two things ("my daughter likes tea", "my daughter likes football"), which the rules for suggestions tell apart.
 */
function replaces(newer: Read<Said>, older: Read<Said>, tells: (root: string) => number): boolean {
  if (older.words.telling.some((root) => newer.leavers.has(root) && tells(root) >= 1)) return true;
  const by = replacementOf(newer.words, older.words, tells);
  const isOfOneLanguage = newer.language === older.language;
  const isEnough = newer.language.code === 'en' || !isOfOneLanguage || !SHARED_WORDS.has(by ?? 'beginning');
  if (by !== undefined && isEnough) return true;
  const isCompared = isOfOneLanguage && (newer.language.code !== 'en' || newer.isAnnounced);
  return isCompared && relationOf(newer.statement(), older.statement(), () => false) !== undefined;
}

/** Whether a sentence may take the place of an older one though it states nothing by itself: it corrects, or tells of a change. */
export function mayCorrect(text: string, language: Language): boolean {
  const { isAnnounced = false, rejected } = correctionIn(text) ?? {};
  if (isAnnounced || rejected !== undefined || leaversIn(text, language).length > 0) return true;
  const { announcesChange, ended } = sentenceWordsOf(text, statementReader(searchReadingOf(language))).traits();
  return announcesChange || ended.size > 0;
}

/** Whether a correction names nothing but values, so that the older sentence has to say of what. */
export function needsCorrected(text: string, older: string, language: Language): boolean {
  const { rest, rejected } = correctionIn(text) ?? {};
  if (rest === undefined || rejected === undefined) return false;
  const reader = statementReader(searchReadingOf(language));
  const [left, before] = [rest, older].map((one) => sentenceWordsOf(one, reader));
  return left!.roots.size <= 2 && !before!.telling.some((root) => left!.roots.has(root));
}
