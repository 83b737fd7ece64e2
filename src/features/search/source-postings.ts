import { isCharacter, speakerTokensOf } from '../text/terms.ts';
import { type Posting, toPosting } from './lexical.ts';
import type { IndexTerm, PostingsKey, TermPostings } from './postings.ts';
import { partsOf, type SourceSearch } from './source-search.ts';
import { readVisible } from './visible-rows-store.ts';

export interface QueryPostings {
  /** In the order of the terms. */
  words: Posting[];
  /** The terms that are names of speakers. */
  speakers: ReadonlySet<string>;
}

/** Vocabulary stems with the same first letter to compare with a misspelled term. */
const MAX_VOCABULARY = 5000;

/** Reads the postings of query terms. Unless the search is `visibleOnly`, hidden rows may be among them. */
export async function readPostings(search: SourceSearch, terms: readonly string[]): Promise<QueryPostings> {
  if (terms.length === 0) return { words: [], speakers: new Set() };
  return { words: await readAll(search, terms.map(toIndexTerm)), speakers: await findSpeakers(search, terms) };
}

/** Reads the postings of vocabulary stems. */
export function readStems(search: SourceSearch, stems: readonly string[]): Promise<Posting[]> {
  return readAll(
    search,
    stems.map((text) => ({ text, as: 'stem' })),
  );
}

/** The document frequency of each term. */
export function countDocuments(search: SourceSearch, terms: readonly string[]): Promise<number[]> {
  return search.engine.postings.count(search.reader, keyOf(search), terms.map(toIndexTerm));
}

/** Stems of the user's vocabulary that share the word's first letter and are about as long. */
export function readVocabulary(search: SourceSearch, word: string): Promise<string[]> {
  const first = String.fromCodePoint(word.codePointAt(0)!);
  const range = { first, least: 3, most: word.length + 2, limit: MAX_VOCABULARY };
  return search.engine.postings.vocabulary(search.reader, keyOf(search), range);
}

async function readAll(search: SourceSearch, terms: readonly IndexTerm[]): Promise<Posting[]> {
  const found = await search.engine.postings.of(search.reader, keyOf(search), terms);
  const average = search.totals.words / search.totals.documents;
  if (!search.visibleOnly) return found.map((postings) => toPosting(postings, average));
  const visible = await readVisible(search, [...new Set(found.flatMap(({ numbers }) => numbers))]);
  return found.map((postings) => ({
    ...toPosting(filterPostings(postings, visible), average),
    documents: postings.numbers.length,
  }));
}

function filterPostings({ numbers, frequencies, lengths }: TermPostings, rowIds: ReadonlySet<number>): TermPostings {
  const kept = [...numbers.keys()].filter((at) => rowIds.has(numbers[at]!));
  const pick = (values: readonly number[]) => kept.map((at) => values[at]!);
  return { numbers: pick(numbers), frequencies: pick(frequencies), lengths: pick(lengths) };
}

async function findSpeakers(search: SourceSearch, terms: readonly string[]): Promise<ReadonlySet<string>> {
  if (search.source.type !== 'message') return new Set();
  const names = terms.map((term): IndexTerm => ({ text: speakerTokensOf(term)[0] ?? '_', as: 'word' }));
  const found = await search.engine.postings.have(search.reader, keyOf(search), names);
  return new Set(terms.filter((_, at) => found[at]));
}

/** Where the index has what the search may find. */
export function keyOf(search: SourceSearch): PostingsKey {
  const { source, query } = search;
  return { tenantId: query.tenantId, type: source.type, scope: query.scope, parts: partsOf(search) };
}

function toIndexTerm(term: string): IndexTerm {
  return { text: term, as: isCharacter(term) ? 'prefix' : 'word' };
}
