import type { ItemType } from '../../contract/search.ts';
import type { Reader } from '../../db/connection.ts';

/** Selects documents by user and type; `past` ones are superseded or replaced by a newer version. */
export interface PostingsKey {
  tenantId: string;
  type: ItemType;
  scope: number;
  parts: readonly ('live' | 'past')[];
  /** Version of the index that the search read; absent if it is not known. */
  version?: string | null | undefined;
}

/** A `word` is stemmed like the words of a text, a `stem` is as stored, a `prefix` matches all stems that begin with it. */
export interface IndexTerm {
  text: string;
  as: 'word' | 'stem' | 'prefix';
}

/** The documents that hold one term, ascending within each part. */
export interface TermPostings {
  numbers: number[];
  /** In the order of `numbers`: occurrences of the term. */
  frequencies: number[];
  /** In the order of `numbers`: tokens in the document. */
  lengths: number[];
}

/**
 * Reads the full-text index of one database engine. It returns integers and stored terms only: scores are computed from
 * these in one place, and so are the same on every engine.
 */
export interface Postings {
  /** The postings of each term, in the order of the terms. Hidden rows may be among them. */
  of(reader: Reader, key: PostingsKey, terms: readonly IndexTerm[]): Promise<TermPostings[]>;
  /** The number of documents that hold each term. */
  count(reader: Reader, key: PostingsKey, terms: readonly IndexTerm[]): Promise<number[]>;
  /** Whether any document holds each term. */
  have(reader: Reader, key: PostingsKey, terms: readonly IndexTerm[]): Promise<boolean[]>;
  /** The first `limit` stems that begin with `first` and have `least` to `most` characters. */
  vocabulary(reader: Reader, key: PostingsKey, stems: VocabularyRange): Promise<string[]>;
}

export interface VocabularyRange {
  first: string;
  least: number;
  most: number;
  limit: number;
}

/** Merges the postings of terms that count as one, and adds up their frequencies. */
export function unitePostings(all: readonly TermPostings[]): TermPostings {
  const [first = { numbers: [], frequencies: [], lengths: [] }, ...more] = all.filter(
    ({ numbers }) => numbers.length > 0,
  );
  if (more.length === 0) return first;
  return inOrder({
    numbers: all.flatMap(({ numbers }) => numbers),
    frequencies: all.flatMap(({ frequencies }) => frequencies),
    lengths: all.flatMap(({ lengths }) => lengths),
  });
}

/** Sorts documents, and adds up the frequencies of those that are listed more than once. */
export function inOrder({ numbers, frequencies, lengths }: TermPostings): TermPostings {
  const sorted: TermPostings = { numbers: [], frequencies: [], lengths: [] };
  for (const at of [...numbers.keys()].sort((a, b) => numbers[a]! - numbers[b]!)) {
    if (sorted.numbers.at(-1) === numbers[at]) {
      sorted.frequencies[sorted.frequencies.length - 1]! += frequencies[at]!;
      continue;
    }
    sorted.numbers.push(numbers[at]!);
    sorted.frequencies.push(frequencies[at]!);
    sorted.lengths.push(lengths[at]!);
  }
  return sorted;
}
