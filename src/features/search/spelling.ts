/** Shorter words are too easily like others. */
const SHORTEST = 4;
/** From this length on two letters may be wrong. */
const LONG = 9;
const MOST_VARIANTS = 3;
/** Letters that a stem may lack of the word, were it written right. */
const LONGEST_ENDING = 5;
const FAR = Number.POSITIVE_INFINITY;

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
    .map((stem) => ({ stem, distance: fromStem(word, stem, allowed) }))
    .filter(({ distance }) => distance <= allowed)
    .sort((a, b) => a.distance - b.distance || (a.stem < b.stem ? -1 : 1))
    .slice(0, MOST_VARIANTS)
    .map(({ stem, distance }) => ({ stem, likeness: 1 - (distance + 0.5) / (stem.length + 1) }));
}

/** The least distance of a stem to the beginnings of the word that are about as long; what is above `allowed` is far. */
function fromStem(word: string, stem: string, allowed: number): number {
  if (stem.length < SHORTEST - 1 || word.length - stem.length > LONGEST_ENDING + allowed) return FAR;
  let [before, last] = [[] as number[], Array.from({ length: stem.length + 1 }, (_, column) => column)];
  let least = FAR;
  for (let row = 1; row <= Math.min(word.length, stem.length + 1); row += 1) {
    const next = nextRow(word, stem, row, allowed, before, last);
    if (row >= stem.length - 1) least = Math.min(least, next[stem.length]!);
    // A distance comes of the row before it, or by an exchange of the one before that.
    if (Math.min(...next) > allowed && Math.min(...last) > allowed) break;
    [before, last] = [last, next];
  }
  return least;
}

/** One row of the matrix of distances; so far beside its diagonal that more than `allowed` would be wrong, all is far. */
function nextRow(
  word: string,
  stem: string,
  row: number,
  allowed: number,
  before: readonly number[],
  last: readonly number[],
): number[] {
  const next: number[] = new Array(stem.length + 1).fill(FAR);
  if (row <= allowed) next[0] = row;
  for (let column = Math.max(1, row - allowed); column <= Math.min(stem.length, row + allowed); column += 1) {
    const same = isSame(word[row - 1]!, stem, column - 1) ? 0 : 1;
    let cost = Math.min(last[column]! + 1, next[column - 1]! + 1, last[column - 1]! + same);
    const swapped = row > 1 && column > 1 && word[row - 1] === stem[column - 2] && word[row - 2] === stem[column - 1];
    if (swapped) cost = Math.min(cost, before[column - 2]! + 1);
    next[column] = cost;
  }
  return next;
}

/** The stemmer makes an `i` of a final `y`. */
function isSame(letter: string, stem: string, place: number): boolean {
  return letter === stem[place] || (letter === 'y' && stem[place] === 'i' && place === stem.length - 1);
}
