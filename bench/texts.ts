/** Deterministic load-test texts with a natural, Zipf-distributed word frequency. */
export interface Texts {
  /** A memory of 12 to 28 words. */
  memory(): string;
  /** A query of six content words. */
  query(): string;
}

const WORDS = 20_000;
/** The most frequent words play the role of function words; queries avoid them. */
const FUNCTION_WORDS = 50;
const QUERY_WORDS = 6;
const SYLLABLES = 'ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu bra cle dri flo gru'.split(' ');

export function createTexts(seed: number): Texts {
  const random = mulberry32(seed);
  const frequencies = cumulativeZipf(WORDS);
  const rank = () => lowerBound(frequencies, random() * frequencies[WORDS - 1]!);

  function contentWordRank(): number {
    for (;;) {
      const candidate = rank();
      if (candidate >= FUNCTION_WORDS) return candidate;
    }
  }

  return {
    memory: () => Array.from({ length: 12 + Math.floor(random() * 17) }, () => wordOf(rank())).join(' '),
    query: () => Array.from({ length: QUERY_WORDS }, () => wordOf(contentWordRank())).join(' '),
  };
}

/** Returns a unique word per rank; rarer words are longer. */
function wordOf(rank: number): string {
  let word = '';
  for (let rest = rank + SYLLABLES.length; rest > 0; rest = Math.floor(rest / SYLLABLES.length)) {
    word += SYLLABLES[rest % SYLLABLES.length];
  }
  return word;
}

/** Cumulative Zipf distribution: the n-th word is 1/n as frequent as the first. */
function cumulativeZipf(count: number): Float64Array {
  const sums = new Float64Array(count);
  let sum = 0;
  for (let rank = 0; rank < count; rank += 1) {
    sum += 1 / (rank + 1);
    sums[rank] = sum;
  }
  return sums;
}

function lowerBound(sorted: Float64Array, wanted: number): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Seeded uniform pseudo-random numbers in [0, 1) (T. Ettinger, public domain). */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
