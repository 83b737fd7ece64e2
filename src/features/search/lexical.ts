import { passageOf } from '../text/passages.ts';
import { inOrder, type TermPostings } from './postings.ts';
import { around, eachShared, type Numbers, type Scores, sumScores, topK } from './scores.ts';

/** The rows that one query term occurs in. */
export interface Posting {
  /** Document frequency among the user's documents. */
  documents: number;
  rowIds: Numbers;
  /** In the order of `rowIds`: how often the term occurs, relative to the length of the row. */
  frequencies: readonly number[] | Float64Array;
  /** Similarity of the term to the query's word, between 0 and 1. */
  similarity: number;
}

/** Scores of the rows of one type, by row id. */
export interface LexicalScores {
  /** BM25 of the row itself. */
  lexical: Scores;
  /** BM25 of the row and its neighbors; only for rows around the best lexical ones. */
  window: Scores;
  /** BM25 of a passage, by `passageOf`. */
  session: Scores;
  /** The lexical score of a row that holds every term once. */
  attainable: number;
}

/** Windows are scored around this many of the best rows. */
const MAX_SEEDS = 200;
/** Neighbors in a window, on either side. */
export const WINDOW_REACH = 2;
/** Weight of a term by its distance from the center of the window. */
const DISTANCE_WEIGHTS = [1, 0.8, 0.6];
/** BM25's k1 and b. */
const K1 = 1.2;
const B = 0.75;
/** BM25's k1 for windows and passages: a term in a longer text says less. */
const WINDOW_K1 = 2;
const PASSAGE_K1 = 3;

/** Relates term frequencies to the average length of the user's documents. */
export function toPosting(found: TermPostings, averageLength: number): Posting {
  const { numbers, frequencies, lengths } = isAscending(found.numbers) ? found : inOrder(found);
  const relative = new Float64Array(numbers.length);
  for (let at = 0; at < relative.length; at += 1) {
    relative[at] = frequencies[at]! / (1 - B + (B * lengths[at]!) / averageLength);
  }
  return { documents: numbers.length, rowIds: numbers, frequencies: relative, similarity: 1 };
}

/** Several parts of an index follow each other. */
function isAscending(numbers: readonly number[]): boolean {
  for (let at = 1; at < numbers.length; at += 1) if (numbers[at]! <= numbers[at - 1]!) return false;
  return true;
}

/** BM25 of rows (Robertson & Zaragoza 2009), with Lucene's idf, which is never negative. */
export function scoreRows(postings: readonly Posting[], documents: number): Scores {
  return sumScores(
    postings.map(({ documents: holding, rowIds, frequencies, similarity }) => {
      const weight = idf(holding, documents) * similarity;
      const values = new Float64Array(rowIds.length);
      for (let at = 0; at < values.length; at += 1) {
        const frequency = frequencies[at]!;
        values[at] = weight * ((frequency * (K1 + 1)) / (frequency + K1));
      }
      return { keys: rowIds, values };
    }),
  );
}

/** The score of a row that holds every term once. */
export function attainableScore(postings: readonly Posting[], documents: number): number {
  return postings.reduce((sum, posting) => sum + idf(posting.documents, documents), 0);
}

/**
 * BM25 of windows (a row and two neighbors on each side) and passages, computed from the postings of single rows:
 * neighbors in a conversation have consecutive row ids, so windows need no separate index.
 */
export function scoreSurroundings(
  postings: readonly Posting[],
  lexical: Scores,
  documents: number,
  passages: number,
): Pick<LexicalScores, 'window' | 'session'> {
  const seeds = topK(lexical, MAX_SEEDS);
  return { window: scoreWindows(seeds, postings, documents), session: scorePassages(postings, passages) };
}

/** Lucene's idf. A write between the reads of the total and of the postings may have added documents, hence the bound. */
export function idf(documentFrequency: number, total: number): number {
  const documents = Math.max(documentFrequency, total);
  return Math.log(1 + (documents - documentFrequency + 0.5) / (documentFrequency + 0.5));
}

/** Scores the windows around the rows that are near one of the seeds. */
function scoreWindows(seeds: readonly number[], postings: readonly Posting[], documents: number): Scores {
  const centers = around(seeds, WINDOW_REACH);
  // Covers all rows of these windows; the rows of a window have consecutive indices.
  const nearby = around(seeds, 2 * WINDOW_REACH);
  const terms = postings.map((posting) => ({
    weight: idf(posting.documents, documents),
    frequencies: frequenciesIn(posting, nearby),
  }));
  const values = new Float64Array(centers.length);
  eachShared(centers, nearby, (at, place) => {
    let score = 0;
    for (const { weight, frequencies } of terms) {
      let frequency = 0;
      for (let step = -WINDOW_REACH; step <= WINDOW_REACH; step += 1) {
        frequency += frequencies[place + step]! * DISTANCE_WEIGHTS[Math.abs(step)]!;
      }
      if (frequency > 0) score += weight * (frequency / (frequency + WINDOW_K1));
    }
    values[at] = score;
  });
  return { keys: centers, values };
}

/** The frequency of the term in each of the rows. */
function frequenciesIn({ rowIds, frequencies }: Posting, rows: Numbers): Float64Array {
  const found = new Float64Array(rows.length);
  eachShared(rows, rowIds, (place, at) => {
    found[place] = frequencies[at]!;
  });
  return found;
}

function scorePassages(postings: readonly Posting[], passages: number): Scores {
  return sumScores(
    postings.map(({ rowIds, frequencies }) => {
      const keys: number[] = [];
      const sums: number[] = [];
      for (let at = 0; at < rowIds.length; at += 1) {
        const passage = passageOf(rowIds[at]!);
        if (keys[keys.length - 1] === passage) {
          sums[sums.length - 1]! += frequencies[at]!;
          continue;
        }
        keys.push(passage);
        sums.push(frequencies[at]!);
      }
      const weight = idf(keys.length, passages);
      return { keys, values: sums.map((frequency) => weight * (frequency / (frequency + PASSAGE_K1))) };
    }),
  );
}
