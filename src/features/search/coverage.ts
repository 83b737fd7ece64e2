import { isCommonTerm } from '../text/common-words.ts';
import { idf, type Posting } from './lexical.ts';

/** How much of what a query asks for a row holds, by its words alone. */
export interface Coverage {
  /** Share (0 to 1) of the weight of the query's terms that occur in the row. */
  own: number;
  /** The same for the row and its neighbors. */
  near: number;
  /** Weight of the terms that occur in the row; about 1 for one rare word. */
  information: number;
}

/** A query term with the rows that it, or a word spelled like it, occurs in. */
export interface WeightedTerm {
  term: string;
  weight: number;
  postings: readonly Posting[];
}

const NO_COVERAGE: Coverage = { own: 0, near: 0, information: 0 };
/** A word of any subject says half of what another word as rare does; a third and a fifth do about as well. */
const COMMON_SHARE = 0.5;

/** At one error in a word of five letters .3 of it counts, in one of ten letters .6. */
const SPELLING_POWER = 4;
/** A word that three of four memories share may still be a rare one: fewer documents than this count as this many. */
const MIN_DOCUMENTS = 100;

/**
 * The weight of a term: its rarity among the user's documents relative to that of a word in one of them. A few dozen
 * memories make every word rare, so words that are common in English count less.
 */
export function weightOf(term: string, documentFrequency: number, documents: number): number {
  const among = Math.max(documents, MIN_DOCUMENTS);
  return ((isCommonTerm(term) ? COMMON_SHARE : 1) * idf(documentFrequency, among)) / Math.log(among);
}

/** Computes the coverage of rows; `reach` is how many neighbors count on either side. */
export function coverageOf(
  terms: readonly WeightedTerm[],
  rowIds: Iterable<number>,
  reach: number,
): (rowId: number) => Coverage {
  const total = terms.reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) return () => NO_COVERAGE;
  const nearby = new Set<number>();
  for (const rowId of rowIds) for (let step = -reach; step <= reach; step += 1) nearby.add(rowId + step);
  const similarities = terms.map(({ postings }) => similaritiesOf(postings, nearby));
  return (rowId) => {
    let [own, near] = [0, 0];
    for (const [term, similarityTo] of similarities.entries()) {
      const { weight } = terms[term]!;
      own += weight * (similarityTo.get(rowId) ?? 0);
      near += weight * greatestAround(rowId, reach, similarityTo);
    }
    return { own: own / total, near: near / total, information: own };
  };
}

function greatestAround(rowId: number, reach: number, values: ReadonlyMap<number, number>): number {
  let greatest = 0;
  for (let step = -reach; step <= reach; step += 1) greatest = Math.max(greatest, values.get(rowId + step) ?? 0);
  return greatest;
}

/** How much each of the rows holds a term: 1, or less where it holds a word spelled like it, which is often another. */
function similaritiesOf(postings: readonly Posting[], among: ReadonlySet<number>): Map<number, number> {
  const found = new Map<number, number>();
  for (const { rowIds, similarity } of postings) {
    for (const rowId of rowIds) {
      if (among.has(rowId)) found.set(rowId, Math.max(similarity ** SPELLING_POWER, found.get(rowId) ?? 0));
    }
  }
  return found;
}
