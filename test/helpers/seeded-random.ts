/** A pseudorandom generator that returns the same sequence for the same seed. */
export interface SeededRandom {
  /** A number from 0 to below 1. */
  fraction(): number;
  /** One of `items`, which must not be empty. */
  oneOf<T>(items: readonly T[]): T;
  /** A number from `low` to below `high`. */
  between(low: number, high: number): number;
}

/** The upper bits of a linear congruential generator (Numerical Recipes). */
export function createSeededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  function fraction(): number {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 8) / 2 ** 24;
  }
  return {
    fraction,
    oneOf: (items) => items[Math.floor(fraction() * items.length)]!,
    between: (low, high) => low + fraction() * (high - low),
  };
}
