import { type LexicalScores, type Posting, scoreRows, scoreSurroundings } from './lexical.ts';
import { countDocuments, type QueryPostings, readPostings, readStems, readVocabulary } from './source-postings.ts';
import type { SourceSearch } from './source-search.ts';
import { type Variant, variantsOf } from './spelling.ts';

/** Users with this many documents have common terms dropped from their queries. */
const MIN_PRUNED_DOCUMENTS = 20_000;
const COMMON_SHARE = 0.05;
/** Postings that are scored in about ten milliseconds. */
const MAX_POSTINGS = 40_000;
/** Terms that windows and passages are scored by: the rarest ones of a pasted page. */
const MAX_WINDOW_TERMS = 16;
/** Unknown terms whose likely spellings are looked up. */
const MAX_CORRECTED_TERMS = 3;

/** The query terms looked up in one source. */
export interface TermLookup {
  search: SourceSearch;
  /** The terms kept, and their postings. */
  terms: readonly string[];
  postings: QueryPostings;
}

/** Reads the postings of the terms that tell documents apart. */
export async function lookUpTerms(search: SourceSearch): Promise<TermLookup> {
  const terms = await selectTerms(search);
  return { search, terms, postings: await readPostings(search, terms) };
}

/** Repeats a lookup with the query's conditions inside the statements. */
export async function lookUpVisible({ search, terms }: TermLookup): Promise<TermLookup> {
  const visible = { ...search, visibleOnly: true };
  return { search: visible, terms, postings: await readPostings(visible, terms) };
}

/** Whether any source has the term; one that was pruned in a source is common there. */
export function isKnown(term: string, lookups: readonly TermLookup[]): boolean {
  return lookups.some(
    ({ terms, postings }) => !terms.includes(term) || postings.words[terms.indexOf(term)]!.documents > 0,
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

/** Scores rows by the postings of their terms. */
export function scoreTerms({ source, totals }: SourceSearch, words: readonly Posting[]): LexicalScores {
  const rows = scoreRows(words, totals.documents);
  if (source.type !== 'message') return { ...rows, window: new Map(), session: new Map() };
  const rarest = words.toSorted((a, b) => a.documents - b.documents).slice(0, MAX_WINDOW_TERMS);
  return { ...rows, ...scoreSurroundings(rarest, rows.lexical, totals.documents, totals.passages) };
}

/** Reads the postings of words spelled like each of the unknown terms. */
export async function readSpellings(
  search: SourceSearch,
  unknown: readonly string[],
): Promise<ReadonlyMap<string, Posting[]>> {
  const variants: (Variant & { word: string })[] = [];
  for (const word of unknown.slice(0, MAX_CORRECTED_TERMS)) {
    const found = variantsOf(word, await readVocabulary(search, word));
    variants.push(...found.map((variant) => ({ ...variant, word })));
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
