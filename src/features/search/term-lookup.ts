import type { WordTable } from '../words/word-table.ts';
import { readSplit, readTogether } from './compounds.ts';
import { type ForeignWords, readForeignWords } from './foreign-words.ts';
import { attainableScore, type LexicalScores, type Posting, scoreRows, scoreSurroundings } from './lexical.ts';
import { NO_SCORES } from './scores.ts';
import {
  countDocuments,
  createVocabularyReader,
  type QueryPostings,
  readPostings,
  readStems,
} from './source-postings.ts';
import type { SourceSearch } from './source-search.ts';
import { firstLettersOf, type Variant, variantsOf } from './spelling.ts';
import { type RelatedPosting, readRelated } from './word-classes.ts';

/** Users with this many documents have common terms dropped from their queries. */
const MIN_PRUNED_DOCUMENTS = 20_000;
const COMMON_SHARE = 0.05;
/** Postings that are scored in about ten milliseconds. */
const MAX_POSTINGS = 40_000;
/** Terms that windows and passages are scored by: the rarest ones of a pasted page. */
const MAX_WINDOW_TERMS = 16;
/** Unknown terms whose likely spellings are looked up. */
const MAX_CORRECTED_TERMS = 3;

/** Users with more documents have no words looked up that the query does not hold: their postings are long. */
const MAX_PHRASED_DOCUMENTS = 20_000;

/** The query terms looked up in one source. */
export interface TermLookup {
  search: SourceSearch;
  table: WordTable;
  /** The terms of the query that were kept. */
  selected: readonly string[];
  /** The selected terms and the pairs of words that occur together, and their postings. */
  terms: readonly string[];
  postings: QueryPostings;
  /** For memories, words with about the same meaning as a term. */
  related: readonly RelatedPosting[];
  /** By term, the stems of its forms that the stemmer of the index keeps apart, in other languages than English. */
  forms: ForeignWords['forms'];
}

/** Reads the postings of the terms that tell documents apart. */
export async function lookUpTerms(search: SourceSearch, table: WordTable): Promise<TermLookup> {
  return lookUp(search, table, await selectTerms(search));
}

/** Repeats a lookup with the query's conditions inside the statements. */
export function lookUpVisible({ search, table, selected }: TermLookup): Promise<TermLookup> {
  return lookUp({ ...search, visibleOnly: true }, table, selected);
}

async function lookUp(search: SourceSearch, table: WordTable, selected: readonly string[]): Promise<TermLookup> {
  const foreign = await readForeignWords(search, selected);
  const found = await readPostings(search, selected, foreign.forms);
  const plain = { search, table, selected, terms: selected, postings: found, related: [], forms: foreign.forms };
  if (search.totals.documents > MAX_PHRASED_DOCUMENTS) return plain;
  const missing = selected.filter((term, at) => found.words[at]!.documents === 0 && !found.speakers.has(term));
  const split = await readSplit(search, missing);
  const words = selected.map((term, at) => split.get(term) ?? found.words[at]!);
  const pairs = await findPairs(search);
  return {
    ...plain,
    related: search.source.type === 'memory' ? await readRelated(search, table, selected, words, foreign.related) : [],
    terms: [...selected, ...pairs.map(({ term }) => term)],
    postings: { ...found, words: [...words, ...pairs.map(({ posting }) => posting)] },
  };
}

/** Pairs of a particle and a word that memories contain. Memories are short, so the two mostly stand side by side. */
async function findPairs(search: SourceSearch): Promise<{ term: string; posting: Posting }[]> {
  const pairs = search.source.type === 'memory' ? (search.query.phrases?.pairs ?? []) : [];
  const together = await readTogether(search, pairs);
  return pairs
    .map((pair, at) => ({ term: pair.join(' '), posting: together[at]! }))
    .filter(({ posting }) => posting.documents > 0);
}

/** Whether any source has the term; one that was pruned in a source is common there. */
export function isKnown(term: string, lookups: readonly TermLookup[]): boolean {
  return lookups.some(
    ({ terms, postings, related }) =>
      !terms.includes(term) ||
      postings.words[terms.indexOf(term)]!.documents > 0 ||
      related.some((word) => word.term === term),
  );
}

/** The terms that count, with their postings. Speakers' names say who, not what: they count only if no other term occurs. */
export function countedTerms(
  { search, terms, postings }: TermLookup,
  speakers: ReadonlySet<string>,
): { term: string; posting: Posting }[] {
  const all = terms.map((term, word) => ({ term, posting: postings.words[word]! }));
  if (search.source.type !== 'message') return all;
  const unnamed = all.filter(({ term }) => !speakers.has(term));
  return unnamed.some(({ posting }) => posting.rowIds.length > 0) ? unnamed : all;
}

/** Scores rows by the postings of their terms, and of words related to these. */
export function scoreTerms(
  { source, totals }: SourceSearch,
  words: readonly Posting[],
  related: readonly Posting[],
): LexicalScores {
  const rows = {
    lexical: scoreRows([...words, ...related], totals.documents),
    attainable: attainableScore(words, totals.documents),
  };
  if (source.type !== 'message') return { ...rows, window: NO_SCORES, session: NO_SCORES };
  const rarest = words.toSorted((a, b) => a.documents - b.documents).slice(0, MAX_WINDOW_TERMS);
  return { ...rows, ...scoreSurroundings(rarest, rows.lexical, totals.documents, totals.passages) };
}

/** Reads the postings of words spelled like each of the unknown terms. */
export async function readSpellings(
  search: SourceSearch,
  unknown: readonly string[],
): Promise<ReadonlyMap<string, Posting[]>> {
  const variants: (Variant & { word: string })[] = [];
  const words = unknown.slice(0, MAX_CORRECTED_TERMS);
  const vocabularyOf = createVocabularyReader(search, Math.max(...words.map(({ length }) => length)));
  for (const word of words) {
    const isName = search.query.phrases?.names.has(word) ?? false;
    for (const first of firstLettersOf(word, isName)) {
      const found = variantsOf(word, await vocabularyOf(word, first), { isName });
      variants.push(...found.map((variant) => ({ ...variant, word })));
    }
  }
  const spellings = new Map<string, Posting[]>();
  if (variants.length === 0) return spellings;
  const postings = await readStems(
    search,
    variants.map(({ stem }) => stem),
  );
  for (const [index, { word, similarity }] of variants.entries()) {
    spellings.set(word, [...(spellings.get(word) ?? []), { ...postings[index]!, similarity }]);
  }
  return spellings;
}

/** Keeps the rarest terms, at least two, where the postings of all terms could be too many to score. */
async function selectTerms(search: SourceSearch): Promise<readonly string[]> {
  const { terms } = search.query;
  const { documents } = search.totals;
  if (terms.length <= 2 || documents * terms.length <= MAX_POSTINGS) return terms;
  const counts = await countDocuments(search, terms);
  const rarestFirst = [...terms.keys()].sort((a, b) => counts[a]! - counts[b]!);
  let postings = 0;
  const isAffordable = (word: number) =>
    postings <= MAX_POSTINGS && (documents < MIN_PRUNED_DOCUMENTS || counts[word]! <= documents * COMMON_SHARE);
  const selected = rarestFirst.filter((word, rank) => {
    postings += counts[word]!;
    return rank < 2 || isAffordable(word);
  });
  return terms.filter((_, word) => selected.includes(word));
}
