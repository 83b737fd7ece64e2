import type { ItemType } from '../../contract/search.ts';
import type { Reader } from '../../db/connection.ts';

/** Whose documents of which type; `past` ones are superseded or replaced by a newer version. */
export interface PostingsKey {
  tenantId: string;
  type: ItemType;
  scope: number;
  parts: readonly ('live' | 'past')[];
}

/** A `word` is stemmed like the words of a text, a `stem` is taken as stored, a `prefix` begins any number of stems. */
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
