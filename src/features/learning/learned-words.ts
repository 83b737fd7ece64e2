import { rootOf } from '../text/word-forms.ts';

/** A word that a user asked for an item with. */
export interface LearnedWord {
  /** The stem by which questions match. */
  root: string;
  /** Its last spelling. */
  word: string;
  itemId: string;
  /** How firmly it leads to the item, at `updatedAt`; see `strengthAt`. */
  strength: number;
  /** How often feedback named the item for a question with this word. */
  uses: number;
  /** How often the item was read or changed after one. */
  observedUses: number;
  /** Epoch milliseconds. */
  updatedAt: number;
}

/** What feedback said of the results of one question. */
export interface WordLesson {
  /** The question's words, without those that only frame it. */
  words: readonly string[];
  used: readonly string[];
  /** Shown and not used, though another result was. */
  passedOver: readonly string[];
  irrelevant: readonly string[];
  kind: 'explicit' | 'implicit';
}

/** What changes: words to store, and words that no longer lead anywhere. */
export interface WordChanges {
  stored: LearnedWord[];
  forgotten: LearnedWord[];
}

/** What one use adds, and the most that uses amount to: a burst of them is undone by two that say otherwise. */
const GAIN = { explicit: 1, implicit: 0.5 };
const MAX_STRENGTH = 3;
/** What remains of the strength of a word whose item was passed over, and of one that was irrelevant. */
const PASSED_OVER = 0.5;
const IRRELEVANT = 0.2;
/** Weaker words are forgotten. */
const MIN_STRENGTH = 0.1;
const HALF_LIFE_MS = 180 * 86_400_000;
/** A longer question is mostly text that was pasted, which says little about how a person asks. */
const MAX_WORDS_PER_QUESTION = 24;
/** The firmest are kept. */
export const MAX_WORDS_PER_ITEM = 32;

/** The strength now: half after half a year without use. */
export function strengthAt({ strength, updatedAt }: LearnedWord, nowMs: number): number {
  return strength * 2 ** (-Math.max(0, nowMs - updatedAt) / HALF_LIFE_MS);
}

/**
 * Applies a lesson to the words of the items that it is about (`known`): those of the question become words of what was
 * used, and fade for what was passed over or irrelevant.
 */
export function learnWords(known: readonly LearnedWord[], lesson: WordLesson, nowMs: number): WordChanges {
  const asked = new Map(lesson.words.map((word) => [rootOf(word), word]));
  if (asked.size > MAX_WORDS_PER_QUESTION) return { stored: [], forgotten: [] };
  const changes: WordChanges = { stored: [], forgotten: [] };
  const isUsed = new Set(lesson.used);
  for (const itemId of isUsed) {
    const own = new Map(known.filter((one) => one.itemId === itemId).map((one) => [one.root, one]));
    for (const [root, word] of asked) own.set(root, reinforced(own.get(root), { root, word, itemId }, lesson, nowMs));
    const firmest = [...own.values()].sort((a, b) => strengthAt(b, nowMs) - strengthAt(a, nowMs));
    changes.stored.push(...firmest.slice(0, MAX_WORDS_PER_ITEM).filter(({ root }) => asked.has(root)));
    changes.forgotten.push(...firmest.slice(MAX_WORDS_PER_ITEM).filter((one) => known.includes(one)));
  }
  const factors = new Map([
    ...lesson.passedOver.map((itemId) => [itemId, PASSED_OVER] as const),
    ...lesson.irrelevant.map((itemId) => [itemId, IRRELEVANT] as const),
  ]);
  for (const one of known) {
    const factor = isUsed.has(one.itemId) || !asked.has(one.root) ? undefined : factors.get(one.itemId);
    if (factor === undefined) continue;
    const strength = strengthAt(one, nowMs) * factor;
    if (strength < MIN_STRENGTH) changes.forgotten.push(one);
    else changes.stored.push({ ...one, strength, updatedAt: nowMs });
  }
  return changes;
}

function reinforced(
  before: LearnedWord | undefined,
  { root, word, itemId }: Pick<LearnedWord, 'root' | 'word' | 'itemId'>,
  { kind }: WordLesson,
  nowMs: number,
): LearnedWord {
  const strength = Math.min(MAX_STRENGTH, (before ? strengthAt(before, nowMs) : 0) + GAIN[kind]);
  const { uses = 0, observedUses = 0 } = before ?? {};
  return {
    ...{ root, word, itemId, strength, updatedAt: nowMs },
    uses: uses + (kind === 'explicit' ? 1 : 0),
    observedUses: observedUses + (kind === 'implicit' ? 1 : 0),
  };
}

/** A word of a question that leads to an item, and how surely: 0 to 1. */
export type WordMatch = LearnedWord & { certainty: number };

/** A word that led to its item once, and nowhere else, is half sure. */
const DOUBT = 1;
/** Items that the words of one question may lead to. */
const MAX_ITEMS = 20;

/** How surely each word leads to its item: how often it did, and how little it leads elsewhere. */
export function matchWords(found: readonly LearnedWord[], nowMs: number): WordMatch[] {
  const totals = new Map<string, number>();
  for (const one of found) totals.set(one.root, (totals.get(one.root) ?? 0) + strengthAt(one, nowMs));
  const matches = found.map((one) => {
    const strength = strengthAt(one, nowMs);
    return { ...one, certainty: (strength / (strength + DOUBT)) * (strength / totals.get(one.root)!) };
  });
  const byItem = new Map<string, number>();
  for (const { itemId, certainty } of matches) byItem.set(itemId, (byItem.get(itemId) ?? 0) + certainty);
  const surest = [...byItem].sort(([, a], [, b]) => b - a).slice(0, MAX_ITEMS);
  const kept = new Set(surest.map(([itemId]) => itemId));
  return matches.filter(({ itemId }) => kept.has(itemId));
}
