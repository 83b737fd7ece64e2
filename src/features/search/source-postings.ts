import { stemOf } from '../text/porter.ts';
import { isCharacter, speakerTokensOf } from '../text/terms.ts';
import { formsOf } from '../text/word-forms.ts';
import { type Posting, toPosting } from './lexical.ts';
import { type IndexTerm, type PostingsKey, type TermPostings, unitePostings } from './postings.ts';
import { partsOf, type SourceSearch } from './source-search.ts';
import { firstLetterOf, firstLettersOf, isNameLike } from './spelling.ts';
import { readVisible } from './visible-rows-store.ts';

export interface QueryPostings {
  /** One posting per term, in the order of the terms. */
  words: Posting[];
  /** The terms that are names of speakers. */
  speakers: ReadonlySet<string>;
}

/** Vocabulary stems with the same first letter to compare with a misspelled term. */
export const MAX_VOCABULARY = 5000;
const MAX_STEM_CHARACTERS = 20;
/** Characters that a stem may have more than the term. */
const MAX_LONGER = 2;

/**
 * Reads the postings of query terms, and of the stems that are forms of them. Unless the search is `visibleOnly`, hidden
 * rows may be among them.
 */
export async function readPostings(
  search: SourceSearch,
  terms: readonly string[],
  formsOf: ReadonlyMap<string, readonly string[]> = new Map(),
): Promise<QueryPostings> {
  if (terms.length === 0) return { words: [], speakers: new Set() };
  const forms = terms.map((term) => {
    const own = stemOf(term);
    const others = (formsOf.get(term) ?? []).filter((stem) => stem !== own);
    return [...indexTermsOf(search, term), ...others.map((text): IndexTerm => ({ text, as: 'stem' }))];
  });
  const found = await readTerms(search, forms.flat());
  let read = 0;
  const united = forms.map(({ length }) => {
    read += length;
    return unitePostings(found.slice(read - length, read));
  });
  const words = await toPostings(search, united);
  const unknown = terms.filter((_, at) => words[at]!.documents === 0);
  return { words, speakers: await findSpeakers(search, terms, unknown) };
}

/** Reads all stored postings of words, without regard to what the query may show. */
export function readWords(search: SourceSearch, words: readonly string[]): Promise<TermPostings[]> {
  return readTerms(
    search,
    words.map((text) => ({ text, as: 'word' })),
  );
}

/** Reads the postings of vocabulary stems. */
export async function readStems(search: SourceSearch, stems: readonly string[]): Promise<Posting[]> {
  const found = await readTerms(
    search,
    stems.map((text) => ({ text, as: 'stem' })),
  );
  return toPostings(search, found);
}

/** The document frequency of each term, where a document with two forms of a word counts twice. */
export async function countDocuments(search: SourceSearch, terms: readonly string[]): Promise<number[]> {
  const forms = terms.map((term) => indexTermsOf(search, term));
  const counts = await search.engine.postings.count(search.reader, keyOf(search), forms.flat());
  let read = 0;
  return forms.map(({ length }) => {
    read += length;
    return counts.slice(read - length, read).reduce((sum, count) => sum + count, 0);
  });
}

/** Stems of the user's vocabulary that begin with `first`, by default the word's first letter, and are about as long. */
export function readVocabulary(search: SourceSearch, word: string, first = firstLetterOf(word)): Promise<string[]> {
  return readRange(search, first, word.length);
}

function readRange(search: SourceSearch, first: string, length: number): Promise<string[]> {
  const range = { first, least: 3, most: length + MAX_LONGER, limit: MAX_VOCABULARY };
  return search.engine.postings.vocabulary(search.reader, keyOf(search), range);
}

/**
 * Returns `readVocabulary` for words of up to `longest` characters, of which those with the same first letter share one
 * read.
 */
export function createVocabularyReader(
  search: SourceSearch,
  longest: number,
): (word: string, first: string) => Promise<string[]> {
  const byFirst = new Map<string, Promise<string[]>>();
  return async (word, first) => {
    const reading = byFirst.get(first) ?? readRange(search, first, longest);
    byFirst.set(first, reading);
    const stems = await reading;
    if (word.length === longest) return stems;
    // A truncated list may lack stems that the word's own list has.
    if (stems.length === MAX_VOCABULARY) return readVocabulary(search, word, first);
    const most = word.length + MAX_LONGER;
    return stems.filter((stem) => stem.length <= most || [...stem].length <= most);
  };
}

/** Stems of the user's vocabulary that begin with `first`. */
export function readStemsFrom(search: SourceSearch, first: string): Promise<string[]> {
  return readRange(search, first, MAX_STEM_CHARACTERS);
}

/** The first `limit` stems of the user's vocabulary. */
export function readWholeVocabulary(search: SourceSearch, limit: number): Promise<string[]> {
  const range = { first: '', least: 2, most: MAX_STEM_CHARACTERS, limit };
  return search.engine.postings.vocabulary(search.reader, keyOf(search), range);
}

/** Reads all stored postings of index terms, without regard to what the query may show. */
export function readTerms(search: SourceSearch, terms: readonly IndexTerm[]): Promise<TermPostings[]> {
  return search.engine.postings.of(search.reader, keyOf(search), terms);
}

/** Relates postings to the user's documents, without those of rows that a `visibleOnly` search may not show. */
export async function toPostings(search: SourceSearch, found: readonly TermPostings[]): Promise<Posting[]> {
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

async function findSpeakers(
  search: SourceSearch,
  terms: readonly string[],
  unknown: readonly string[],
): Promise<ReadonlySet<string>> {
  if (search.source.type !== 'message') return new Set();
  const names = terms.map((term): IndexTerm => ({ text: speakerTokensOf(term)[0] ?? '_', as: 'word' }));
  const found = await search.engine.postings.have(search.reader, keyOf(search), names);
  const speakers = new Set(terms.filter((_, at) => found[at]));
  for (const term of unknown) {
    if (search.query.phrases?.names.has(term) && (await isNearSpeaker(search, term))) speakers.add(term);
  }
  return speakers;
}

/** Whether a name that no text holds is spelled like that of a speaker. */
async function isNearSpeaker(search: SourceSearch, term: string): Promise<boolean> {
  const [token = '_'] = speakerTokensOf(term);
  for (const first of firstLettersOf(term, true)) {
    const names = await readVocabulary(search, token, token.slice(0, 1) + first);
    if (
      isNameLike(
        stemOf(term),
        names.map((name) => name.slice(1)),
      )
    )
      return true;
  }
  return false;
}

/** Selects the part of the index that the search may read. */
export function keyOf(search: SourceSearch): PostingsKey {
  const { source, query, totals } = search;
  const { tenantId, scope } = query;
  return { tenantId, type: source.type, scope, parts: partsOf(search), version: totals.version };
}

/** The index terms that match a query term: its forms, and its compounds with a neighboring word. */
function indexTermsOf({ query }: SourceSearch, term: string): IndexTerm[] {
  if (isCharacter(term)) return [{ text: term, as: 'prefix' }];
  const joined = query.phrases?.joined.get(term) ?? [];
  return [term, ...formsOf(term), ...joined].map((text) => ({ text, as: 'word' }));
}
