import { randomBytes, randomFillSync } from 'node:crypto';

/** The source of randomness, which tests replace. */
export interface Random {
  bytes(count: number): Buffer;
}

/** Returns a number from 0 up to, but not including, 1. */
export function chanceOf(random: Random): number {
  return random.bytes(4).readUInt32BE() / 2 ** 32;
}

const POOL_BYTES = 8192;
const MAX_POOLED_BYTES = 64;

/**
 * The operating system's random source. Small requests are served from a pool, because the system call costs far more
 * than the bytes; bytes handed out are wiped from the pool.
 */
function createSystemRandom(): Random {
  const pool = Buffer.alloc(POOL_BYTES);
  let used = POOL_BYTES;
  return {
    bytes(count) {
      if (count > MAX_POOLED_BYTES) return randomBytes(count);
      if (used + count > POOL_BYTES) {
        randomFillSync(pool);
        used = 0;
      }
      const bytes = Buffer.from(pool.subarray(used, used + count));
      pool.fill(0, used, used + count);
      used += count;
      return bytes;
    },
  };
}

export const systemRandom: Random = createSystemRandom();
