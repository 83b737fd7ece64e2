/** Where one word of a query stands, and how much of it there is, by BM25 without the weight of the word. */
export interface Posting {
  /** How many of the user's documents hold it. */
  documents: number;
  /** Numbers of the rows, and beside each its part: between 0 and `MOST_PART`. */
  numbers: number[];
  parts: number[];
}

/** BM25's part of a word grows towards this with its frequency (k1 + 1, k1 = 1.2 as FTS5 has it). */
export const MOST_PART = 2.2;

/** What the words of a query say of the rows of one type, by the numbers of the rows. */
export interface LexicalScores {
  /** BM25 over the row itself. */
  lexical: Map<number, number>;
  /** Over the row with its neighbours: those of the rows that may be worth looking at. */
  window: Map<number, number>;
  /** Over the stretch in which it stands, by `stretchOf`. */
  session: Map<number, number>;
  /** What a row that holds every word once or more could reach. */
  attainable: number;
}

/** Messages in one stretch: a conversation of this length is one, a longer one several. */
export const STRETCH = 64;
/** Rows whose neighbourhood is looked at, the best by their own words. */
const SEEDS = 200;
const REACH = 2;
/** A neighbour counts less than the row itself, the less the farther. */
const NEARNESS = [1, 0.8, 0.6];
/** BM25's k1 for a window and for a stretch: they are longer, so that a word in them says less. */
const WINDOW_K = 2;
const STRETCH_K = 3;
const K1 = MOST_PART - 1;

/** BM25 (Robertson & Zaragoza 2009) of rows; idf in the form of Lucene, which is never negative. */
export function scoreRows(
  postings: readonly Posting[],
  documents: number,
): Pick<LexicalScores, 'lexical' | 'attainable'> {
  const lexical = new Map<number, number>();
  let attainable = 0;
  for (const posting of postings) {
    const weight = idf(posting.documents, documents);
    attainable += weight;
    for (const [index, number] of posting.numbers.entries()) {
      lexical.set(number, (lexical.get(number) ?? 0) + weight * posting.parts[index]!);
    }
  }
  return { lexical, attainable };
}

/**
 * The same of windows (a row with its two neighbours on each side) and of stretches, from the rows' own postings:
 * neighbours in a conversation have neighbouring numbers, so no index of windows has to be kept true.
 */
export function scoreSurroundings(
  postings: readonly Posting[],
  lexical: ReadonlyMap<number, number>,
  documents: number,
  stretches: number,
): Pick<LexicalScores, 'window' | 'session'> {
  const seeds = best(lexical, SEEDS);
  const near = new Set(seeds.flatMap((seed) => around(seed, 2 * REACH)));
  const frequencies = postings.map((posting) => frequenciesOf(posting, near));
  const places = new Set(seeds.flatMap((seed) => around(seed, REACH)));
  const window = new Map(
    [...places].map((number) => [number, windowScore(number, postings, frequencies, documents)] as const),
  );
  return { window, session: scoreStretches(postings, stretches) };
}

/** The stretch of a conversation in which a message stands. */
export function stretchOf(number: number): number {
  return Math.floor(number / STRETCH);
}

/** The numbers with the highest scores, the highest first; of equals the newest. */
export function best(scores: ReadonlyMap<number, number>, count: number): number[] {
  // Numbers of their own sort are sorted natively: of a hundred thousand scores only the best become entries.
  const threshold = Float64Array.from(scores.values()).sort()[Math.max(0, scores.size - count)] ?? 0;
  const entries: [number, number][] = [];
  for (const entry of scores) if (entry[1] >= threshold) entries.push(entry);
  return entries
    .sort((a, b) => b[1] - a[1] || b[0] - a[0])
    .slice(0, count)
    .map(([number]) => number);
}

function idf(holding: number, documents: number): number {
  const all = Math.max(holding, documents);
  return Math.log(1 + (all - holding + 0.5) / (holding + 0.5));
}

function around(number: number, reach: number): number[] {
  return Array.from({ length: 2 * reach + 1 }, (_, step) => number - reach + step);
}

/** How often the word stands in each of these rows. */
function frequenciesOf({ numbers, parts }: Posting, near: ReadonlySet<number>): Map<number, number> {
  const frequencies = new Map<number, number>();
  for (const [index, number] of numbers.entries()) {
    if (near.has(number)) frequencies.set(number, frequencyOf(parts[index]!));
  }
  return frequencies;
}

/** As if all rows were of the same length: BM25's part turned round. */
function frequencyOf(part: number): number {
  return (K1 * part) / Math.max(0.05, MOST_PART - part);
}

function windowScore(
  number: number,
  postings: readonly Posting[],
  frequencies: readonly ReadonlyMap<number, number>[],
  documents: number,
): number {
  let score = 0;
  for (const [word, of] of frequencies.entries()) {
    let frequency = 0;
    for (let step = -REACH; step <= REACH; step += 1) {
      frequency += (of.get(number + step) ?? 0) * NEARNESS[Math.abs(step)]!;
    }
    if (frequency > 0) score += idf(postings[word]!.documents, documents) * (frequency / (frequency + WINDOW_K));
  }
  return score;
}

function scoreStretches(postings: readonly Posting[], stretches: number): Map<number, number> {
  const scores = new Map<number, number>();
  for (const { numbers, parts } of postings) {
    const inStretch = new Map<number, number>();
    for (const [index, number] of numbers.entries()) {
      const stretch = stretchOf(number);
      inStretch.set(stretch, (inStretch.get(stretch) ?? 0) + frequencyOf(parts[index]!));
    }
    const weight = idf(inStretch.size, stretches);
    for (const [stretch, frequency] of inStretch) {
      scores.set(stretch, (scores.get(stretch) ?? 0) + weight * (frequency / (frequency + STRETCH_K)));
    }
  }
  return scores;
}
