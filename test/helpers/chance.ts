/** Draws that are the same for the same seed. */
export interface Chance {
  /** From 0 to below 1. */
  share(): number;
  /** Of `items`, which is not empty. */
  oneOf<T>(items: readonly T[]): T;
  /** A number from `low` to below `high`. */
  between(low: number, high: number): number;
}

/** A linear congruential generator (Numerical Recipes), its upper bits. */
export function createChance(seed: number): Chance {
  let state = seed >>> 0;
  function share(): number {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 8) / 2 ** 24;
  }
  return {
    share,
    oneOf: (items) => items[Math.floor(share() * items.length)]!,
    between: (low, high) => low + share() * (high - low),
  };
}
