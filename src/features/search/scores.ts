/** Numbers in ascending order, each once, unless said otherwise. */
export type Numbers = readonly number[] | Float64Array;

/** Scores by row id, or by another number: `values` in the order of `keys`. */
export interface Scores {
  keys: Numbers;
  values: Numbers;
}

export const NO_SCORES: Scores = { keys: [], values: [] };

/** Returns 0 for a key without a score. */
export function scoreOf({ keys, values }: Scores, key: number): number {
  const at = seek(keys, key, 0);
  return keys[at] === key ? values[at]! : 0;
}

/** Adds up the scores of each key, in the order of the lists. */
export function sumScores(lists: readonly Scores[]): Scores {
  const keys = unite(lists.map((list) => list.keys));
  const values = new Float64Array(keys.length);
  for (const list of lists) {
    eachShared(list.keys, keys, (at, place) => {
      values[place]! += list.values[at]!;
    });
  }
  return { keys, values };
}

/** The scores of the keys that pass. */
export function selectScores({ keys, values }: Scores, passes: (key: number) => boolean): Scores {
  const places = Array.from(keys.keys()).filter((at) => passes(keys[at]!));
  return { keys: places.map((at) => keys[at]!), values: places.map((at) => values[at]!) };
}

/** The keys with the highest scores, best first; ties go to the highest key, which is the newest. */
export function topK({ keys, values }: Scores, k: number): number[] {
  const isWorse = (one: number, other: number) =>
    values[one]! < values[other]! || (values[one] === values[other] && one < other);
  // A heap of the best so far, the worst of them first.
  const best: number[] = [];
  const sink = (at: number, from: number) => {
    let place = from;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= best.length) break;
      if (child + 1 < best.length && isWorse(best[child + 1]!, best[child]!)) child += 1;
      if (!isWorse(best[child]!, at)) break;
      best[place] = best[child]!;
      place = child;
    }
    best[place] = at;
  };
  const count = Math.min(k, keys.length);
  while (best.length < count) best.push(best.length);
  for (let place = (count >> 1) - 1; place >= 0; place -= 1) sink(best[place]!, place);
  for (let at = count; at < keys.length; at += 1) if (count > 0 && isWorse(best[0]!, at)) sink(at, 0);
  return best.sort((one, other) => (isWorse(one, other) ? 1 : -1)).map((at) => keys[at]!);
}

/** Calls `use` with the indices of each number that both lists have; fastest with the shorter one first. */
export function eachShared(one: Numbers, other: Numbers, use: (inOne: number, inOther: number) => void): void {
  let place = 0;
  for (let at = 0; at < one.length; at += 1) {
    place = seek(other, one[at]!, place);
    if (place === other.length) return;
    if (other[place] === one[at]) use(at, place);
  }
}

/** The numbers at most `reach` away from one of these, which are in any order. */
export function around(numbers: Iterable<number>, reach: number): Float64Array {
  const sorted = Float64Array.from(numbers).sort();
  const nearby = new Float64Array(sorted.length * (2 * reach + 1));
  let count = 0;
  for (const number of sorted) {
    const first = count === 0 ? number - reach : Math.max(number - reach, nearby[count - 1]! + 1);
    for (let near = first; near <= number + reach; near += 1) {
      nearby[count] = near;
      count += 1;
    }
  }
  return nearby.subarray(0, count);
}

/** Returns the first index, from `from` on, whose number is at least `number`. */
export function seek(numbers: Numbers, number: number, from: number): number {
  let low = from;
  let high = from;
  for (let step = 1; high < numbers.length && numbers[high]! < number; step *= 2) {
    low = high + 1;
    high += step;
  }
  high = Math.min(high, numbers.length);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (numbers[middle]! < number) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Merges halves, so that each number is copied at most log2 of the number of lists times. */
function unite(lists: readonly Numbers[]): Numbers {
  if (lists.length <= 1) return lists[0] ?? [];
  const half = lists.length >> 1;
  return merge(unite(lists.slice(0, half)), unite(lists.slice(half)));
}

function merge(one: Numbers, other: Numbers): Numbers {
  if (one.length === 0) return other;
  if (other.length === 0) return one;
  const merged = new Float64Array(one.length + other.length);
  let [count, at, place] = [0, 0, 0];
  while (at < one.length && place < other.length) {
    const [a, b] = [one[at]!, other[place]!];
    merged[count] = Math.min(a, b);
    count += 1;
    if (a <= b) at += 1;
    if (b <= a) place += 1;
  }
  for (; at < one.length; at += 1, count += 1) merged[count] = one[at]!;
  for (; place < other.length; place += 1, count += 1) merged[count] = other[place]!;
  return merged.subarray(0, count);
}
