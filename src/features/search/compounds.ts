import { STOP_WORDS } from '../text/stop-words.ts';
import type { Posting } from './lexical.ts';
import type { TermPostings } from './postings.ts';
import { readWords, toPostings } from './source-postings.ts';
import type { SourceSearch } from './source-search.ts';

/** Shorter words are seldom compounds. */
const MIN_COMPOUND = 7;
const MIN_PART = 3;
const MAX_COMPOUNDS = 3;
/** Longest document, in words, in which two words are likely to be neighbors. */
const MAX_TOGETHER = 60;

/** Finds the documents that write each of the words as two ("babysitter", "baby sitter"); no postings for the others. */
export async function readSplit(search: SourceSearch, words: readonly string[]): Promise<ReadonlyMap<string, Posting>> {
  const splits = words
    .filter((word) => word.length >= MIN_COMPOUND && /^\p{L}+$/u.test(word))
    .slice(0, MAX_COMPOUNDS)
    .flatMap((word) => splitsOf(word).map((parts) => ({ word, parts })));
  const together = await readTogether(
    search,
    splits.map(({ parts }) => parts),
  );
  const found = new Map<string, Posting>();
  for (const [at, { word }] of splits.entries()) {
    const documents = found.get(word)?.documents ?? 0;
    if (together[at]!.documents > documents) found.set(word, together[at]!);
  }
  return found;
}

/** The documents, none of them long, that hold both words of each pair. */
export async function readTogether(
  search: SourceSearch,
  pairs: readonly (readonly [string, string])[],
): Promise<Posting[]> {
  if (pairs.length === 0) return [];
  const words = [...new Set(pairs.flat())];
  const found = await readWords(search, words);
  const postingsOf = new Map(words.map((word, at) => [word, found[at]!]));
  return toPostings(
    search,
    pairs.map(([first, second]) => intersect(postingsOf.get(first)!, postingsOf.get(second)!)),
  );
}

function splitsOf(word: string): [string, string][] {
  const ends = Array.from({ length: word.length - 2 * MIN_PART + 1 }, (_, at) => at + MIN_PART);
  return ends
    .map((end): [string, string] => [word.slice(0, end), word.slice(end)])
    .filter((parts) => !parts.some((part) => STOP_WORDS.has(part)));
}

function intersect(one: TermPostings, other: TermPostings): TermPostings {
  const frequencies = new Map(other.numbers.map((number, at) => [number, other.frequencies[at]!]));
  const shared: TermPostings = { numbers: [], frequencies: [], lengths: [] };
  for (const [at, number] of one.numbers.entries()) {
    const frequency = frequencies.get(number);
    if (frequency === undefined || one.lengths[at]! > MAX_TOGETHER) continue;
    shared.numbers.push(number);
    shared.frequencies.push(Math.min(frequency, one.frequencies[at]!));
    shared.lengths.push(one.lengths[at]!);
  }
  return shared;
}
