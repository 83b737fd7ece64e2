import type { MeaningWeight } from '../../contract/search.ts';

/** How an account's searches judged an embedding model. Older searches count less. */
export interface ModelAgreement {
  /** Number of searches that said something of the model. */
  searches: number;
  /** Sum of the shares (0 to 1) of comparisons in which the model agreed with words. */
  agreed: number;
}

/** One search's verdict on the model with this id: the share of comparisons in which it agreed with words. */
export interface ObservedAgreement {
  model: number;
  share: number;
}

/** With fewer searches, a model counts as usual. */
const MIN_SEARCHES = 10;
/** Weight of the assumption that a model counts as usual, in searches. */
const PRIOR_SEARCHES = 10;
/** Agreement up to which a model counts for nothing; that of noise is 0.5. */
const NOISE_AGREEMENT = 0.54;
/** Agreement from which on a model counts as usual. */
const USUAL_AGREEMENT = 0.65;
/** Each search leaves this much of the searches before it, so that about the last 400 count. */
const RETENTION = 1 - 1 / 400;

/**
 * Returns how much a model counts: as usual (1) until it is known, then less by how far its agreement is from the usual
 * one to that of noise. `bench/notes/meaning.md` has the measurements behind the constants.
 */
export function meaningWeightOf({ searches, agreed }: ModelAgreement): MeaningWeight {
  const agreement = searches === 0 ? null : rounded(agreed / searches);
  const known = { agreement, searches: Math.round(searches) };
  if (known.searches < MIN_SEARCHES) return { factor: 1, ...known };
  const expected = (PRIOR_SEARCHES * USUAL_AGREEMENT + agreed) / (PRIOR_SEARCHES + searches);
  const factor = (expected - NOISE_AGREEMENT) / (USUAL_AGREEMENT - NOISE_AGREEMENT);
  return { factor: rounded(Math.min(1, Math.max(0, factor))), ...known };
}

/** The sums that the searches' `shares` add, and what they leave of the sums before. */
export function totalOf(shares: readonly number[]): ModelAgreement & { retained: number } {
  const total = { searches: 0, agreed: 0, retained: 1 };
  for (const share of shares) {
    total.searches = total.searches * RETENTION + 1;
    total.agreed = total.agreed * RETENTION + share;
    total.retained *= RETENTION;
  }
  return total;
}

function rounded(value: number): number {
  return Math.round(value * 1e3) / 1e3;
}
