import { randomBytes } from 'node:crypto';

/** Where chance comes in, so that a test can pin it. */
export interface Random {
  bytes(count: number): Buffer;
}

export const systemRandom: Random = { bytes: (count) => randomBytes(count) };
