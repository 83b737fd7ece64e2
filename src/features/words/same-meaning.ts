import { relatedWordsOf } from './related-words.ts';
import type { WordTable } from './word-table.ts';

/** Returns whether two words mean about the same: one is a synonym of the other, or derived from it. */
export function relatedBy(table: WordTable): (one: string, other: string) => boolean {
  const isAmong = (one: string, other: string) => relatedWordsOf(table, one).some(({ word }) => word === other);
  return (one, other) => isAmong(one, other) || isAmong(other, one);
}
