import type { Reader } from '../../db/connection.ts';
import { type LexicalScores, scoreRows, scoreSurroundings } from './lexical.ts';
import { countDocuments, type Postings, readPostings, readStems, readVocabulary } from './postings-sqlite.ts';
import type { Sizes } from './sizes-sqlite.ts';
import { type CandidateQuery, type Source, shownConditions } from './sources-sqlite.ts';
import { type Variant, variantsOf } from './spelling.ts';

/** From so many documents of one user on, words that stand in more than this share of them are passed over. */
const LARGE = 20_000;
const COMMON_SHARE = 0.05;
/** So many postings are scored in some ten milliseconds. */
const MOST_POSTINGS = 40_000;
/** Words that are looked for around a message: of a pasted page the rarest. */
const MOST_AROUND = 16;
/** Words that nobody wrote and for which a likely one is looked up. */
const MOST_UNKNOWN = 3;

/** One type under way: what the words of the query, and those that they may be meant for, say of it. */
export interface Asked {
  source: Source;
  sizes: Sizes;
  terms: readonly string[];
  isNarrow: boolean;
  postings: Postings;
}

/** Looks the words of a query up in one type. */
export async function ask(reader: Reader, source: Source, query: CandidateQuery, sizes: Sizes): Promise<Asked> {
  const terms = await tellingTerms(reader, source, query, sizes);
  const isNarrow = isNarrowing(source, query);
  return {
    source,
    sizes,
    terms,
    isNarrow,
    postings: await readPostings(reader, source, query, terms, sizes, isNarrow),
  };
}

/** Whether the query shows less of a type than what is there. */
export function isNarrowing(source: Source, query: CandidateQuery): boolean {
  return query.asOfMs !== undefined || shownConditions(source, query).length > source.shown(query).length + 1;
}

/** The words that are nearly those that nobody wrote. */
export async function scoreVariants(
  reader: Reader,
  query: CandidateQuery,
  { source, sizes }: Asked,
  unknown: readonly string[],
  narrowed: boolean,
): Promise<Map<number, number>> {
  const variants: Variant[] = [];
  for (const word of unknown.slice(0, MOST_UNKNOWN)) {
    variants.push(...variantsOf(word, await readVocabulary(reader, source, query, word)));
  }
  if (variants.length === 0) return new Map();
  const stems = variants.map(({ stem }) => stem);
  const words = await readStems(reader, source, query, stems, sizes, narrowed);
  const like = words.map((posting, index) => ({
    ...posting,
    parts: posting.parts.map((part) => part * variants[index]!.likeness),
  }));
  return scoreRows(like, sizes.own).lexical;
}

/** The words that tell documents apart, two at least, where all postings of all words could be too many. */
async function tellingTerms(
  reader: Reader,
  source: Source,
  query: CandidateQuery,
  { own }: Sizes,
): Promise<readonly string[]> {
  if (query.terms.length <= 2 || own * query.terms.length <= MOST_POSTINGS) return query.terms;
  const counts = await countDocuments(reader, source, query, query.terms);
  const rarest = [...query.terms.keys()].sort((a, b) => counts[a]! - counts[b]!);
  let postings = 0;
  const isTelling = (word: number) => postings <= MOST_POSTINGS && (own < LARGE || counts[word]! <= own * COMMON_SHARE);
  const kept = rarest.filter((word, rank) => {
    postings += counts[word]!;
    return rank < 2 || isTelling(word);
  });
  return query.terms.filter((_, word) => kept.includes(word));
}

/** Names of speakers say who is meant, not what: they are passed over while other words remain. */
export function scoresOf(
  source: Source,
  terms: readonly string[],
  postings: Postings,
  speakers: ReadonlySet<string>,
  sizes: Sizes,
): LexicalScores {
  const telling = postings.words.filter((_, word) => !(source.type === 'message' && speakers.has(terms[word]!)));
  const words = telling.some(({ numbers }) => numbers.length > 0) ? telling : postings.words;
  const rows = scoreRows(words, sizes.own);
  if (source.type !== 'message') return { ...rows, window: new Map(), session: new Map() };
  const rarest = words.toSorted((a, b) => a.documents - b.documents).slice(0, MOST_AROUND);
  return { ...rows, ...scoreSurroundings(rarest, rows.lexical, sizes.own, sizes.stretches) };
}
