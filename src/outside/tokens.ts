/**
 * Counts the tokens of a text. Runs of more than 64 letters or symbols are counted in pieces of 64, which gives an
 * upper bound: the exact count takes quadratic time.
 */
export type CountTokens = (text: string) => number;

let counter: Promise<CountTokens> | undefined;

/**
 * Loads gpt-tokenizer's counter for the o200k_base vocabulary on first use (a third of a second, 70 MB), so that
 * daemons that never build a context do not pay for it.
 */
export function loadTokenCounter(): Promise<CountTokens> {
  counter ??= import('gpt-tokenizer/encoding/o200k_base').then(
    ({ countTokens }) =>
      (text) =>
        // Treat control tokens in a memory as ordinary text.
        countTokens(text.replace(LONG_RUNS, breakUp), { disallowedSpecial: new Set() }),
  );
  return counter;
}

/** Runs that the vocabulary's pre-tokenizer would not split: letters, symbols or whitespace, but never digits. */
const LONG_RUNS = /[\p{L}\p{M}]{65,}|[^\s\p{L}\p{N}]{65,}|\s{65,}/gu;

/** Separates the pieces with a digit, which is always a token of its own and makes up for the seam. */
function breakUp(run: string): string {
  return run.replace(/.{64}/gsu, '$&0');
}
