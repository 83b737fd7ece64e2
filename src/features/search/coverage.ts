import { isCommonTerm } from '../text/common-words.ts';
import { idf, type Posting } from './lexical.ts';
import { around, eachShared, type Numbers, seek } from './scores.ts';

/** How much of what a query asks for a row holds, by its words alone. */
export interface Coverage {
  /** Share (0 to 1) of the weight of the query's terms that occur in the row. */
  own: number;
  /** The same for the row and its neighbors. */
  near: number;
  /** Like `near`, by squared weights: mostly that of the rarest terms. */
  rare: number;
  /** Weight of the terms that occur in the row; about 1 for one rare word. */
  information: number;
  /**
   * The greatest share (0 to 1) of one way of asking that the row holds; a way that weighs less than one rare word counts in
   * part. 0 where the query has a single way.
   */
  way: number;
}

/** A query term with the rows that it, or a word spelled like it, occurs in. */
export interface WeightedTerm {
  term: string;
  weight: number;
  postings: readonly Posting[];
  /** Rows that hold a word related to it instead. */
  related?: readonly Posting[];
  /** How surely it leads to rows that were used for it before, by row id: 0 to 1. */
  learned?: ReadonlyMap<number, number> | undefined;
}

const NO_COVERAGE: Coverage = { own: 0, near: 0, rare: 0, information: 0, way: 0 };
/** A generic word counts half as much as another word of the same rarity; a third or a fifth works about as well. */
const COMMON_SHARE = 0.5;

/** With one error, a word of five letters counts .3, and one of ten letters .6. */
const SPELLING_POWER = 4;
/** Among four memories, a word that three share may still be rare: fewer documents count as this many. */
const MIN_DOCUMENTS = 100;

/**
 * The weight of a term: its rarity among the user's documents relative to that of a word in one of them. A few dozen
 * memories make every word rare, so words that are common in the query's language count less.
 */
export function weightOf(
  term: string,
  documentFrequency: number,
  documents: number,
  isCommon: (term: string) => boolean = isCommonTerm,
): number {
  const among = Math.max(documents, MIN_DOCUMENTS);
  return ((isCommon(term) ? COMMON_SHARE : 1) * idf(documentFrequency, among)) / Math.log(among);
}

/**
 * Computes the coverage of each of the rows; `reach` is how many neighbors count on either side, and `ways` has the terms of
 * each way of asking.
 */
export function coverageOf(
  terms: readonly WeightedTerm[],
  rowIds: Iterable<number>,
  reach: number,
  ways: readonly (readonly string[])[] = [],
): (rowId: number) => Coverage {
  const total = terms.reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) return () => NO_COVERAGE;
  const totalSquares = terms.reduce((sum, { weight }) => sum + weight ** 2, 0);
  // The neighbors of a row have consecutive indices.
  const nearby = around(rowIds, reach);
  const similarities = terms.map((term) => similaritiesOf(term, nearby));
  const weighed = ways.map((way) => {
    const places = [...terms.keys()].filter((at) => way.includes(terms[at]!.term));
    return { places, weight: places.reduce((sum, at) => sum + terms[at]!.weight, 0) };
  });
  const wayIn = (slot: number) =>
    weighed.reduce((most, { places, weight }) => {
      const held = places.reduce((sum, at) => sum + terms[at]!.weight * similarities[at]![slot]!, 0);
      return Math.max(most, held / Math.max(1, weight));
    }, 0);
  return (rowId) => {
    const slot = seek(nearby, rowId, 0);
    let [own, near, rare] = [0, 0, 0];
    for (const [term, similarity] of similarities.entries()) {
      const { weight } = terms[term]!;
      let nearest = 0;
      for (let at = slot - reach; at <= slot + reach; at += 1) nearest = Math.max(nearest, similarity[at]!);
      own += weight * similarity[slot]!;
      near += weight * nearest;
      rare += weight ** 2 * nearest;
    }
    return { own: own / total, near: near / total, rare: rare / totalSquares, information: own, way: wayIn(slot) };
  };
}

/**
 * How well each row matches a term: 1, or less for a word spelled like it, which is often a different word, for a related
 * word, and for one that was used for it before.
 */
function similaritiesOf({ postings, related = [], learned }: WeightedTerm, rows: Numbers): Float64Array {
  const found = new Float64Array(rows.length);
  const count = ({ rowIds }: Posting, share: number) =>
    eachShared(rows, rowIds, (place) => {
      if (share > found[place]!) found[place] = share;
    });
  for (const posting of postings) count(posting, posting.similarity ** SPELLING_POWER);
  for (const posting of related) count(posting, posting.similarity);
  for (const [rowId, certainty] of learned ?? []) {
    const place = seek(rows, rowId, 0);
    if (rows[place] === rowId) found[place] = Math.max(found[place]!, certainty);
  }
  return found;
}
