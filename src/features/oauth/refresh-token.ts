import type { Random } from '../../lib/random.ts';
import { hashSecret, mintToken } from '../../lib/secret.ts';

const PREFIX = 'svc_ort_';
const PARTS = /^svc_ort_([\w-]{43})[\w-]{43}$/;

/** A refresh token that was just made. */
export interface NewRefreshToken {
  token: string;
  tokenHash: string;
  /** The hash of what all refresh tokens of the grant have in common. */
  familyHash: string;
}

/**
 * Generates a refresh token: 256 random bits shared by all tokens of a grant, then 256 unique ones. A spent token thus
 * identifies its grant without being stored.
 */
export function mintRefreshToken(random: Random, family: string = mintToken(random)): NewRefreshToken {
  const token = `${PREFIX}${family}${mintToken(random)}`;
  return { token, tokenHash: hashSecret(token), familyHash: hashSecret(family) };
}

/** Returns what the tokens of the same grant begin with. Tokens that svc made before it had families have none. */
export function familyOf(token: string): string | undefined {
  return PARTS.exec(token)?.[1];
}
