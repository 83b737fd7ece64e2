import { type BoundedMap, createBoundedMap } from '../../lib/bounded-map.ts';
import { stemOfTerm } from '../text/document-terms.ts';
import { formsOf } from '../text/word-forms.ts';
import type { Senses, WordEntry } from './word-entry.ts';
import type { WordTable } from './word-table.ts';

export type Relation = 'derived' | 'synonym' | 'member';

/** A category with more senses, such as "person" or "thing", says nothing. */
const MAX_CATEGORY = 2000;
/** Categories of one query: a bit of a 32-bit number each. */
const MAX_CATEGORIES = 30;

/** The stem of a term in the index, where the number of a scope precedes it. */
export function indexedStemOf(term: string): string {
  return stemOfTerm('0_', term);
}

/** The words related to a term that mean about the same, nearest first. */
export function relatedWordsOf(table: WordTable, term: string): { word: string; relation: Relation }[] {
  const entries = entriesOf(table, term);
  const of = (relation: 'derived' | 'synonym', words: (entry: WordEntry) => readonly string[]) =>
    entries.flatMap((entry) => words(entry).map((word) => ({ word, relation })));
  return [...of('derived', ({ derived }) => derived), ...of('synonym', ({ synonyms }) => synonyms)];
}

/** The categories among some terms, and their members. */
export interface Categories {
  /** The terms that are categories. */
  terms: readonly string[];
  /** The categories of which a stem, with its senses if they are known, is a member: bit `n` for the `n`th of the terms. */
  of(stem: string, senses?: readonly Senses[]): number;
}

/** Finds the terms that are categories: "foods" includes "sushi". */
export function categoriesOf(table: WordTable, terms: readonly string[]): Categories {
  const categories = terms.flatMap((term) => categoryOf(table, term) ?? []).slice(0, MAX_CATEGORIES);
  return {
    terms: categories.map(({ term }) => term),
    of(stem, senses = table.entryOf(stem)?.senses ?? []) {
      let found = 0;
      for (let bit = 0; bit < categories.length; bit += 1) {
        const { own, members, ranges } = categories[bit]!;
        const isMember = members.has(stem) || isAnyBelow(senses, ranges);
        if (isMember && !own.has(stem)) found |= 1 << bit;
      }
      return found;
    },
  };
}

interface Category {
  term: string;
  /** Stems of the term's forms, and of words for what it includes. */
  own: ReadonlySet<string>;
  members: ReadonlySet<string>;
  ranges: readonly Senses[];
}

/** Terms whose categories are kept for each table, those that are none too: a query asks for them several times. */
const MAX_CACHED = 1000;
const cache = new WeakMap<WordTable, BoundedMap<string, Category | null>>();

function categoryOf(table: WordTable, term: string): Category | undefined {
  const cached = cache.get(table) ?? createBoundedMap<string, Category | null>(MAX_CACHED);
  cache.set(table, cached);
  let category = cached.get(term);
  if (category === undefined) {
    category = findCategory(table, term) ?? null;
    cached.set(term, category);
  }
  return category ?? undefined;
}

function findCategory(table: WordTable, term: string): Category | undefined {
  const entries = entriesOf(table, term);
  const members = new Set(entries.flatMap(({ included }) => included).map(indexedStemOf));
  const included = [...members].flatMap((stem) => table.entryOf(stem)?.senses ?? []);
  const ranges = outermost([...entries.flatMap(({ senses }) => senses), ...included].filter(isCategory));
  if (ranges.length === 0 && members.size === 0) return undefined;
  return { term, own: new Set(stemsOf(term)), members, ranges };
}

function isCategory({ first, last }: Senses): boolean {
  return last > first && last - first < MAX_CATEGORY;
}

function isAnyBelow(senses: readonly Senses[], ranges: readonly Senses[]): boolean {
  for (const { first } of senses) if (isBelow(first, ranges)) return true;
  return false;
}

/** `ranges` are `outermost`: the last one that begins before a sense also ends last. */
function isBelow(sense: number, ranges: readonly Senses[]): boolean {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ranges[middle]!.first < sense) low = middle + 1;
    else high = middle;
  }
  return low > 0 && sense <= ranges[low - 1]!.last;
}

/** Drops the ranges inside others. */
function outermost(ranges: readonly Senses[]): Senses[] {
  const kept: Senses[] = [];
  for (const range of ranges.toSorted((a, b) => a.first - b.first || b.last - a.last)) {
    if (range.last > (kept.at(-1)?.last ?? 0)) kept.push(range);
  }
  return kept;
}

function entriesOf(table: WordTable, term: string): WordEntry[] {
  return stemsOf(term).flatMap((stem) => table.entryOf(stem) ?? []);
}

function stemsOf(term: string): string[] {
  return [...new Set([term, ...formsOf(term)].map(indexedStemOf))];
}
