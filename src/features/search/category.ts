import { type BoundedMap, createBoundedMap } from '../../lib/bounded-map.ts';
import { categoriesOf, indexedStemOf } from '../words/related-words.ts';
import type { Senses } from '../words/word-entry.ts';
import type { WordTable } from '../words/word-table.ts';
import type { WeightedTerm } from './coverage.ts';

/** Characters of a text that are read: its beginning says what it is about. */
export const READ_CHARACTERS = 300;

const WORD = /[a-z]{3,20}/g;
/** Words of texts whose stems and senses are cached for each table. */
const MAX_CACHED = 20_000;

interface ReadWord {
  stem: string;
  senses: readonly Senses[];
}

const cache = new WeakMap<WordTable, BoundedMap<string, ReadWord>>();

/**
 * Returns how much of the weight of a query's terms are categories of which a text holds a member ("foods" and "pizza"),
 * between 0 and 1; `undefined` where no term is a category.
 */
export function categoryShareOf(
  table: WordTable,
  terms: readonly Pick<WeightedTerm, 'term' | 'weight'>[],
): ((text: string) => number) | undefined {
  const total = terms.reduce((sum, { weight }) => sum + weight, 0);
  const weights = new Map(terms.map(({ term, weight }) => [term, weight / total]));
  const weighted = terms.filter(({ weight }) => weight > 0).map(({ term }) => term);
  const categories = categoriesOf(table, weighted);
  if (categories.terms.length === 0) return undefined;
  const all = categories.terms.reduce((bits, _, bit) => bits | (1 << bit), 0);
  const words = cache.get(table) ?? createBoundedMap<string, ReadWord>(MAX_CACHED);
  cache.set(table, words);
  const known = new Map<string, number>();
  const categoriesOfWord = (word: string): number => {
    let found = known.get(word);
    if (found === undefined) {
      let read = words.get(word);
      if (read === undefined) {
        const stem = indexedStemOf(word);
        read = { stem, senses: table.entryOf(stem)?.senses ?? [] };
        words.set(word, read);
      }
      found = categories.of(read.stem, read.senses);
      known.set(word, found);
    }
    return found;
  };
  return (text) => {
    let held = 0;
    for (const word of text.toLowerCase().match(WORD) ?? []) {
      held |= categoriesOfWord(word);
      if (held === all) break;
    }
    return categories.terms.reduce((sum, term, bit) => sum + ((held >> bit) & 1) * weights.get(term)!, 0);
  };
}
