import { passageOf } from '../text/passages.ts';
import type { TermPostings } from './postings.ts';

/** The rows that one query term occurs in. */
export interface Posting {
  /** Document frequency among the user's documents. */
  documents: number;
  rowIds: number[];
  /** In the order of `rowIds`: how often the term occurs, relative to the length of the row. */
  frequencies: number[];
  /** How much the term is like the word asked for: between 0 and 1. */
  similarity: number;
}

/** Scores of the rows of one type, by row id. */
export interface LexicalScores {
  /** BM25 of the row itself. */
  lexical: Map<number, number>;
  /** BM25 of the row and its neighbors; only for rows around the best lexical ones. */
  window: Map<number, number>;
  /** BM25 of a passage, by `passageOf`. */
  session: Map<number, number>;
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
export function toPosting({ numbers, frequencies, lengths }: TermPostings, averageLength: number): Posting {
  return {
    documents: numbers.length,
    rowIds: numbers,
    frequencies: frequencies.map((frequency, at) => frequency / (1 - B + (B * lengths[at]!) / averageLength)),
    similarity: 1,
  };
}

/** BM25 of rows (Robertson & Zaragoza 2009), with Lucene's idf, which is never negative. */
export function scoreRows(
  postings: readonly Posting[],
  documents: number,
): Pick<LexicalScores, 'lexical' | 'attainable'> {
  const lexical = new Map<number, number>();
  let attainable = 0;
  for (const posting of postings) {
    const weight = idf(posting.documents, documents);
    attainable += weight;
    for (const [index, rowId] of posting.rowIds.entries()) {
      const frequency = posting.frequencies[index]!;
      const saturation = (frequency * (K1 + 1)) / (frequency + K1);
      lexical.set(rowId, (lexical.get(rowId) ?? 0) + weight * posting.similarity * saturation);
    }
  }
  return { lexical, attainable };
}

/**
 * BM25 of windows (a row and two neighbors on each side) and passages, computed from the postings of single rows:
 * neighbors in a conversation have consecutive row ids, so windows need no index of their own.
 */
export function scoreSurroundings(
  postings: readonly Posting[],
  lexical: ReadonlyMap<number, number>,
  documents: number,
  passages: number,
): Pick<LexicalScores, 'window' | 'session'> {
  const seeds = topK(lexical, MAX_SEEDS);
  const nearby = new Set(seeds.flatMap((seed) => rowsAround(seed, 2 * WINDOW_REACH)));
  const frequencies = postings.map((posting) => termFrequencies(posting, nearby));
  const centers = new Set(seeds.flatMap((seed) => rowsAround(seed, WINDOW_REACH)));
  const window = new Map(
    [...centers].map((rowId) => [rowId, windowScore(rowId, postings, frequencies, documents)] as const),
  );
  return { window, session: scorePassages(postings, passages) };
}

/** The keys with the highest scores, best first; ties go to the newest. */
export function topK(scores: ReadonlyMap<number, number>, k: number): number[] {
  // Typed arrays sort numerically and natively: of 100,000 scores only the top k become entries.
  const threshold = Float64Array.from(scores.values()).sort()[Math.max(0, scores.size - k)] ?? 0;
  const entries: [number, number][] = [];
  for (const entry of scores) if (entry[1] >= threshold) entries.push(entry);
  return entries
    .sort((a, b) => b[1] - a[1] || b[0] - a[0])
    .slice(0, k)
    .map(([key]) => key);
}

/** Lucene's idf. A write between the reads of the total and of the postings may have added documents, hence the bound. */
export function idf(documentFrequency: number, total: number): number {
  const documents = Math.max(documentFrequency, total);
  return Math.log(1 + (documents - documentFrequency + 0.5) / (documentFrequency + 0.5));
}

function rowsAround(rowId: number, reach: number): number[] {
  return Array.from({ length: 2 * reach + 1 }, (_, step) => rowId - reach + step);
}

/** The frequency of the term in each of the `nearby` rows. */
function termFrequencies({ rowIds, frequencies }: Posting, nearby: ReadonlySet<number>): Map<number, number> {
  const found = new Map<number, number>();
  for (const [index, rowId] of rowIds.entries()) if (nearby.has(rowId)) found.set(rowId, frequencies[index]!);
  return found;
}

function windowScore(
  rowId: number,
  postings: readonly Posting[],
  frequencies: readonly ReadonlyMap<number, number>[],
  documents: number,
): number {
  let score = 0;
  for (const [term, frequencyIn] of frequencies.entries()) {
    let frequency = 0;
    for (let step = -WINDOW_REACH; step <= WINDOW_REACH; step += 1) {
      frequency += (frequencyIn.get(rowId + step) ?? 0) * DISTANCE_WEIGHTS[Math.abs(step)]!;
    }
    if (frequency > 0) score += idf(postings[term]!.documents, documents) * (frequency / (frequency + WINDOW_K1));
  }
  return score;
}

function scorePassages(postings: readonly Posting[], passages: number): Map<number, number> {
  const scores = new Map<number, number>();
  for (const { rowIds, frequencies } of postings) {
    const sums = new Map<number, number>();
    for (const [index, rowId] of rowIds.entries()) {
      const passage = passageOf(rowId);
      sums.set(passage, (sums.get(passage) ?? 0) + frequencies[index]!);
    }
    const weight = idf(sums.size, passages);
    for (const [passage, frequency] of sums) {
      scores.set(passage, (scores.get(passage) ?? 0) + weight * (frequency / (frequency + PASSAGE_K1)));
    }
  }
  return scores;
}
