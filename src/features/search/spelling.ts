/** Shorter words have too many neighbors. */
const MIN_LENGTH = 4;
/** A shorter name may lack a letter, no more: "Ana" for "Anna". */
const MIN_NAME_LENGTH = 3;
/** First letters that sound alike in names. */
const SOUNDS_LIKE: ReadonlyMap<string, string> = new Map(
  ['ck', 'kc', 'sz', 'zs', 'jgy', 'gj', 'yij', 'iy', 'vw', 'wv', 'fp', 'pf'].map((letters) => [
    letters[0]!,
    letters.slice(1),
  ]),
);
/** Words of this length may have two errors, if the stem is long too. */
const LONG_LENGTH = 9;
const LONG_STEM_LENGTH = 7;
const MAX_VARIANTS = 3;
const MIN_SIMILARITY = 0.5;
/** Letters that stemming may have removed from the word. */
const MAX_ENDING = 5;
/** Cost of such a letter, in errors: a stem of the whole word is the likelier meaning. */
const ENDING_COST = 0.2;
const FAR = Number.POSITIVE_INFINITY;
const [LETTER_I, LETTER_Y] = ['i', 'y'].map((letter) => letter.charCodeAt(0)) as [number, number];

export interface Variant {
  stem: string;
  /** Between 0 and 1, exclusive. */
  similarity: number;
}

/** The first character of a word. */
export function firstLetterOf(word: string): string {
  return String.fromCodePoint(word.codePointAt(0)!);
}

/** The letters that a misspelled word may begin with: its own and, of a name, those that sound like it. */
export function firstLettersOf(word: string, isName: boolean): string[] {
  const first = firstLetterOf(word);
  return isName && word.length >= MIN_LENGTH ? [first, ...(SOUNDS_LIKE.get(first) ?? '')] : [first];
}

/**
 * The vocabulary stems that a misspelled word may mean: within one edit (optimal string alignment: a letter replaced,
 * missing, added or swapped with its neighbor), two in long words and stems. Compares the beginning of a word that is
 * longer than the stem, since the stem has lost its ending; the more letters that leaves over, the less they are alike.
 */
export function variantsOf(word: string, vocabulary: readonly string[], { isName = false } = {}): Variant[] {
  if (word.length < (isName ? MIN_NAME_LENGTH : MIN_LENGTH)) return [];
  const allowed = word.length < LONG_LENGTH ? 1 : 2;
  const letters = beginningsOf(word);
  return vocabulary
    .filter((stem) => mayBeNear(letters, stem, allowed) && (word.length >= MIN_LENGTH || stem.length > word.length))
    .map((stem) => {
      const cost = costOf(word, stem, stem.length < LONG_STEM_LENGTH ? 1 : allowed);
      return { stem, similarity: 1 - (cost + 0.5) / (stem.length + 1) };
    })
    .filter(({ similarity }) => similarity > MIN_SIMILARITY)
    .sort((a, b) => b.similarity - a.similarity || (a.stem < b.stem ? -1 : 1))
    .slice(0, MAX_VARIANTS);
}

/** Whether the stem of a name is spelled like one of others, to its end. */
export function isNameLike(stem: string, others: readonly string[]): boolean {
  const whole = (name: string) => `${name}$`;
  return variantsOf(whole(stem), others.map(whole), { isName: true }).length > 0;
}

/** At index `n`, the letters of a word's first `n` characters as bits. Shared bits only loosen the bound. */
function beginningsOf(word: string): number[] {
  const letters = [0];
  for (let at = 0; at < word.length; at += 1) letters.push(letters[at]! | bitOf(word.charCodeAt(at)));
  return letters;
}

/**
 * Whether a stem may be within `allowed` edits, of which each replaces or drops one letter: a bound that is much cheaper
 * than the distance, and excludes nearly all stems.
 */
function mayBeNear(word: readonly number[], stem: string, allowed: number): boolean {
  const beginning = word[stem.length - 1];
  if (beginning === undefined) return false;
  let letters = 0;
  for (let at = 0; at < stem.length; at += 1) letters |= bitOf(stem.charCodeAt(at));
  const compared = word[stem.length + 1] ?? word.at(-1)!;
  return !hasMore(letters & ~compared, allowed) && !hasMore(beginning & ~letters, allowed);
}

/** `y` and `i` are one letter here: see `isSame`. */
function bitOf(code: number): number {
  return 1 << (code === LETTER_Y ? LETTER_I : code);
}

/** Whether more than `most` bits are set, where `most` is 1 or 2. */
function hasMore(bits: number, most: number): boolean {
  const rest = bits & (bits - 1);
  return (most === 1 ? rest : rest & (rest - 1)) !== 0;
}

/**
 * The least cost of reading the beginning of the word, of about the stem's length, as the stem and the rest as its ending;
 * `FAR` beyond `allowed` errors.
 */
function costOf(word: string, stem: string, allowed: number): number {
  if (stem.length < MIN_LENGTH - 1 || word.length - stem.length > MAX_ENDING + allowed) return FAR;
  let [beforeLast, last] = [[] as number[], Array.from({ length: stem.length + 1 }, (_, column) => column)];
  let least = FAR;
  for (let row = 1; row <= Math.min(word.length, stem.length + 1); row += 1) {
    const next = nextRow(word, stem, row, allowed, beforeLast, last);
    const distance = next[stem.length]!;
    if (row >= stem.length - 1 && distance <= allowed) {
      least = Math.min(least, distance + ENDING_COST * (word.length - row));
    }
    // A cell depends on the row before it or, for a swap, on the one before that.
    if (Math.min(...next) > allowed && Math.min(...last) > allowed) break;
    [beforeLast, last] = [last, next];
  }
  return least;
}

/** One row of the distance matrix; cells further than `allowed` from the diagonal are `FAR`. */
function nextRow(
  word: string,
  stem: string,
  row: number,
  allowed: number,
  beforeLast: readonly number[],
  last: readonly number[],
): number[] {
  const next: number[] = new Array(stem.length + 1).fill(FAR);
  if (row <= allowed) next[0] = row;
  for (let column = Math.max(1, row - allowed); column <= Math.min(stem.length, row + allowed); column += 1) {
    const same = isSame(word[row - 1]!, stem, column - 1) ? 0 : 1;
    let cost = Math.min(last[column]! + 1, next[column - 1]! + 1, last[column - 1]! + same);
    const swapped = row > 1 && column > 1 && word[row - 1] === stem[column - 2] && word[row - 2] === stem[column - 1];
    if (swapped) cost = Math.min(cost, beforeLast[column - 2]! + 1);
    next[column] = cost;
  }
  return next;
}

/** The stemmer turns a final `y` into `i`. */
function isSame(letter: string, stem: string, index: number): boolean {
  return letter === stem[index] || (letter === 'y' && stem[index] === 'i' && index === stem.length - 1);
}
