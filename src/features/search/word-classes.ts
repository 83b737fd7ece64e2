import { isCommonTerm } from '../text/common-words.ts';
import { categoriesOf, relatedWordsOf, type Relation as WordRelation } from '../words/related-words.ts';
import type { WordTable } from '../words/word-table.ts';
import type { ForeignRelation, ForeignWord } from './foreign-words.ts';
import type { Posting } from './lexical.ts';
import type { IndexTerm, TermPostings } from './postings.ts';
import { readTerms, readWholeVocabulary, toPostings } from './source-postings.ts';
import type { SourceSearch } from './source-search.ts';

type Relation = WordRelation | ForeignRelation;

/**
 * How much a row counts that holds a related word instead of the term: chosen on one person's facts and tested on
 * another's (`bench/retrieval/facts.ts`), where a tenth or two more or less changes little.
 */
const SIMILARITY: Readonly<Record<Relation, number>> = {
  ...{ derived: 0.8, synonym: 0.5, member: 0.4 },
  ...{ alike: 0.7, part: 0.5 },
};
/** The share of it that remains for a generic word such as "get" or "kind". */
const COMMON_SHARE = 0.5;
/** Related words looked up for one query, and members of its categories. */
const MAX_WORDS = 24;
const MAX_MEMBERS = 48;
/** Members are not looked up for users with more documents: the lookup reads all stems of their vocabulary. */
const MAX_READ_DOCUMENTS = 2000;
const MAX_READ_STEMS = 8000;

interface RelatedWord {
  term: string;
  /** A member is a stem of the vocabulary. */
  word: string;
  relation: Relation;
  as?: IndexTerm['as'];
}

/** A word related to a query term, with the rows that hold it and neither the term nor a nearer word. */
export type RelatedPosting = RelatedWord & { posting: Posting };

/**
 * Reads the postings of words related to the terms, of which `own` are the postings. Each row counts once for a term, by
 * its nearest word. All words of a class share one rarity, counted over the class and the term.
 */
export async function readRelated(
  search: SourceSearch,
  table: WordTable,
  terms: readonly string[],
  own: readonly Posting[],
  foreign: readonly ForeignWord[],
): Promise<RelatedPosting[]> {
  const isForeign = search.query.reading !== undefined;
  const related: RelatedWord[] = isForeign
    ? foreign.toSorted((a, b) => SIMILARITY[b.relation] - SIMILARITY[a.relation])
    : [...wordsFor(table, terms), ...(await membersFor(search, table, terms))];
  if (related.length === 0) return [];
  const indexTerms = related.map(({ word, relation, as = relation === 'member' ? 'stem' : 'word' }): IndexTerm => {
    return { text: word, as };
  });
  const found = await readTerms(search, indexTerms);
  const seen = new Map(terms.map((term, at) => [term, new Set(own[at]!.rowIds)]));
  const fresh = related.map(({ term }, at) => takeUnseen(found[at]!, seen.get(term)!));
  const postings = await toPostings(search, fresh);
  return related.flatMap((one, at) => {
    if (fresh[at]!.numbers.length === 0) return [];
    const documents = seen.get(one.term)!.size;
    const isGeneric = search.query.reading?.isCommon(one.term) ?? isCommonTerm(one.term);
    const similarity = SIMILARITY[one.relation] * (isGeneric ? COMMON_SHARE : 1);
    return { ...one, posting: { ...postings[at]!, documents, similarity } };
  });
}

function wordsFor(table: WordTable, terms: readonly string[]): RelatedWord[] {
  return terms
    .flatMap((term) => relatedWordsOf(table, term).map((related) => ({ term, ...related })))
    .toSorted((a, b) => SIMILARITY[b.relation] - SIMILARITY[a.relation])
    .slice(0, MAX_WORDS);
}

/** The user's words for things that the terms include. */
async function membersFor(search: SourceSearch, table: WordTable, terms: readonly string[]): Promise<RelatedWord[]> {
  if (search.totals.documents > MAX_READ_DOCUMENTS) return [];
  const categories = categoriesOf(table, terms);
  if (categories.terms.length === 0) return [];
  const members: RelatedWord[] = [];
  const vocabulary = await readWholeVocabulary(search, MAX_READ_STEMS);
  const senses = table.sensesOf(vocabulary);
  for (const [at, word] of vocabulary.entries()) {
    const found = categories.of(word, senses[at]);
    for (let bit = 0; found >> bit !== 0; bit += 1) {
      if ((found >> bit) & 1) members.push({ term: categories.terms[bit]!, word, relation: 'member' });
    }
    if (members.length >= MAX_MEMBERS) break;
  }
  return members.slice(0, MAX_MEMBERS);
}

/** Returns the postings of rows that are not in `seen`, and adds these rows to it. */
function takeUnseen({ numbers, frequencies, lengths }: TermPostings, seen: Set<number>): TermPostings {
  const places = [...numbers.keys()].filter((at) => !seen.has(numbers[at]!));
  for (const at of places) seen.add(numbers[at]!);
  const pick = (values: readonly number[]) => places.map((at) => values[at]!);
  return { numbers: pick(numbers), frequencies: pick(frequencies), lengths: pick(lengths) };
}
