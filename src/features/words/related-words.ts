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

/** What some terms include. */
export interface Categories {
  /** The terms that are categories. */
  terms: readonly string[];
  /** Those of which a stem is a member: bit `n` for the `n`th of the terms. */
  of(stem: string): number;
}

/** Finds the terms that are categories: "foods" includes "sushi". */
export function categoriesOf(table: WordTable, terms: readonly string[]): Categories {
  const categories = terms.flatMap((term) => categoryOf(table, term) ?? []).slice(0, MAX_CATEGORIES);
  return {
    terms: categories.map(({ term }) => term),
    of(stem) {
      const senses = table.entryOf(stem)?.senses ?? [];
      let found = 0;
      for (const [bit, { own, members, ranges }] of categories.entries()) {
        const isMember = members.has(stem) || senses.some(({ first }) => isBelow(first, ranges));
        if (isMember && !own.has(stem)) found |= 1 << bit;
      }
      return found;
    },
  };
}

interface Category {
  term: string;
  /** Stems of its own forms, and of words for what it includes. */
  own: ReadonlySet<string>;
  members: ReadonlySet<string>;
  ranges: readonly Senses[];
}

function categoryOf(table: WordTable, term: string): Category | undefined {
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

function isBelow(sense: number, ranges: readonly Senses[]): boolean {
  return ranges.some(({ first, last }) => sense > first && sense <= last);
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
