/** Shorter words are too easily like others. */
const SHORTEST = 4;
/** From this length on two letters may be wrong. */
const LONG = 9;
const MOST_VARIANTS = 3;
/** Letters that a stem may lack of the word. */
const LONGEST_ENDING = 5;

export interface Variant {
  /** A stem of the vocabulary. */
  stem: string;
  /** Above 0, below 1. */
  likeness: number;
}

/**
 * The stems that a word which nobody wrote may stand for: one letter wrong, missing, too many or exchanged with its
 * neighbour (the optimal string alignment distance), in long words two; of a word longer than the stem its beginning is
 * compared, since the stem has lost its ending.
 */
export function variantsOf(word: string, vocabulary: readonly string[]): Variant[] {
  if (word.length < SHORTEST) return [];
  const allowed = word.length < LONG ? 1 : 2;
  return vocabulary
    .map((stem) => ({ stem, distance: stem.length < SHORTEST - 1 ? Number.POSITIVE_INFINITY : fromStem(word, stem) }))
    .filter(({ distance }) => distance <= allowed)
    .sort((a, b) => a.distance - b.distance || (a.stem < b.stem ? -1 : 1))
    .slice(0, MOST_VARIANTS)
    .map(({ stem, distance }) => ({ stem, likeness: 1 - (distance + 0.5) / (stem.length + 1) }));
}

function fromStem(word: string, stem: string): number {
  if (word.length - stem.length > LONGEST_ENDING) return Number.POSITIVE_INFINITY;
  const lengths = [stem.length - 1, stem.length, stem.length + 1].filter((length) => length <= word.length);
  return Math.min(...lengths.map((length) => distanceOf(word.slice(0, length), stem)));
}

function distanceOf(a: string, b: string): number {
  let [before, last] = [[] as number[], Array.from({ length: b.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= a.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1] ? 0 : 1;
      let cost = Math.min(last[column]! + 1, next[column - 1]! + 1, last[column - 1]! + same);
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) cost = Math.min(cost, before[column - 2]! + 1);
      next.push(cost);
    }
    [before, last] = [last, next];
  }
  return last[b.length]!;
}
