import { stemOf } from '../../src/features/text/porter.ts';
import { termsOf } from '../../src/features/text/terms.ts';
import { type Chance, createChance } from './chance.ts';

/** Embeds a text; the zero vector if it knows none of its words. */
export type Embed = (text: string) => Float64Array;

const DIMENSIONS = 128;
/** Words on either side that count as near. */
const REACH = 5;
const MIN_COUNT = 3;
const ITERATIONS = 4;
/** Words more frequent than this share count less (smooth inverse frequency, Arora et al. 2017). */
const FREQUENT = 1e-3;

/**
 * Word vectors by singular value decomposition of positive pointwise mutual information (Levy and Goldberg 2014); a text
 * is the weighted mean of its words. A weak but genuine embedder: it learns from `texts` alone.
 */
export function trainEmbedder(texts: readonly string[], seed = 1): Embed {
  const stemmed = texts.map(stemsOf);
  const { index, counts, total } = vocabularyOf(stemmed);
  const rows = mutualInformation(stemmed, index);
  const vectors = decompose(rows, createChance(seed));
  const weights = counts.map((count) => FREQUENT / (FREQUENT + count / total));
  return (text) => {
    const sum = new Float64Array(DIMENSIONS);
    for (const stem of stemsOf(text)) {
      const word = index.get(stem);
      if (word !== undefined) addScaled(sum, vectors[word]!, weights[word]!);
    }
    return normalized(sum);
  };
}

function stemsOf(text: string): string[] {
  return termsOf(text).map(stemOf);
}

function vocabularyOf(texts: readonly string[][]) {
  const counts = new Map<string, number>();
  for (const stem of texts.flat()) counts.set(stem, (counts.get(stem) ?? 0) + 1);
  const known = [...counts].filter(([, count]) => count >= MIN_COUNT);
  return {
    index: new Map(known.map(([stem], at) => [stem, at])),
    counts: known.map(([, count]) => count),
    total: known.reduce((sum, [, count]) => sum + count, 0),
  };
}

type SparseRow = Map<number, number>;

function mutualInformation(texts: readonly string[][], index: ReadonlyMap<string, number>): SparseRow[] {
  const rows: SparseRow[] = Array.from({ length: index.size }, () => new Map());
  for (const stems of texts) {
    const words = stems.flatMap((stem) => index.get(stem) ?? []);
    for (const [at, word] of words.entries()) {
      for (const near of words.slice(at + 1, at + 1 + REACH)) {
        rows[word]!.set(near, (rows[word]!.get(near) ?? 0) + 1);
        rows[near]!.set(word, (rows[near]!.get(word) ?? 0) + 1);
      }
    }
  }
  const sums = rows.map((row) => [...row.values()].reduce((sum, count) => sum + count, 0));
  const total = sums.reduce((sum, count) => sum + count, 0);
  return rows.map((row, word) => {
    const informed = [...row].map(([near, count]): [number, number] => [
      near,
      Math.log((count * total) / (sums[word]! * sums[near]!)),
    ]);
    return new Map(informed.filter(([, information]) => information > 0));
  });
}

/** Subspace iteration: rows in the basis of the leading singular vectors. */
function decompose(rows: readonly SparseRow[], chance: Chance): Float64Array[] {
  let basis: Float64Array[] = rows.map(() => Float64Array.from({ length: DIMENSIONS }, () => chance.normal()));
  for (let round = 0; round < ITERATIONS; round += 1) basis = orthonormalized(multiplied(rows, basis));
  // One more step scales each dimension by its singular value, of which the square root does best.
  const scaled = multiplied(rows, basis);
  const lengths = Float64Array.from({ length: DIMENSIONS }, (_, at) =>
    Math.sqrt(scaled.reduce((sum, row) => sum + row[at]! ** 2, 0)),
  );
  return basis.map((row) => row.map((value, at) => value * Math.sqrt(lengths[at]!)));
}

function multiplied(rows: readonly SparseRow[], by: readonly Float64Array[]): Float64Array[] {
  return rows.map((row) => {
    const sum = new Float64Array(DIMENSIONS);
    for (const [column, value] of row) addScaled(sum, by[column]!, value);
    return sum;
  });
}

/** Gram-Schmidt over the columns. */
function orthonormalized(rows: Float64Array[]): Float64Array[] {
  for (let at = 0; at < DIMENSIONS; at += 1) {
    for (let before = 0; before < at; before += 1) {
      const product = rows.reduce((sum, row) => sum + row[at]! * row[before]!, 0);
      for (const row of rows) row[at]! -= product * row[before]!;
    }
    const length = Math.sqrt(rows.reduce((sum, row) => sum + row[at]! ** 2, 0)) || 1;
    for (const row of rows) row[at]! /= length;
  }
  return rows;
}

function addScaled(sum: Float64Array, vector: Float64Array, by: number): void {
  for (let at = 0; at < sum.length; at += 1) sum[at]! += by * vector[at]!;
}

/** Of length 1; the zero vector stays. */
export function normalized(vector: Float64Array): Float64Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0)) || 1;
  return vector.map((value) => value / length);
}
