/** Seeded random numbers. */
export interface Chance {
  /** From 0 to 1, exclusive. */
  uniform(): number;
  normal(): number;
  /** Standard Gumbel noise: the argmax of logits plus noise is a sample from their softmax. */
  gumbel(): number;
  pick<T>(list: readonly T[]): T;
  shuffled<T>(list: readonly T[]): T[];
}

/** Mulberry32: small, and good enough for simulations. */
export function createChance(seed: number): Chance {
  let state = seed >>> 0;
  function uniform(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  const positive = () => Math.max(uniform(), 1e-12);
  return {
    uniform,
    normal: () => Math.sqrt(-2 * Math.log(positive())) * Math.cos(2 * Math.PI * uniform()),
    gumbel: () => -Math.log(-Math.log(Math.min(positive(), 1 - 1e-12))),
    pick: (list) => list[Math.floor(uniform() * list.length)]!,
    shuffled(list) {
      const order = list.map((item) => ({ item, key: uniform() }));
      return order.sort((a, b) => a.key - b.key).map(({ item }) => item);
    },
  };
}
