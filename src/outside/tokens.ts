/**
 * Counts the tokens of a text as a model would. Where letters or signs run on for more than 64 characters without a
 * break it counts by pieces of 64: an upper bound, since the exact count takes a time that grows with the square.
 */
export type CountTokens = (text: string) => number;

let counter: Promise<CountTokens> | undefined;

/**
 * The counter of gpt-tokenizer for the o200k_base vocabulary. It is loaded by the first who asks (a third of a second,
 * 70 MB), so that a daemon whose assistants never ask for a context does not pay for it.
 */
export function loadTokenCounter(): Promise<CountTokens> {
  counter ??= import('gpt-tokenizer/encoding/o200k_base').then(
    ({ countTokens }) =>
      (text) =>
        // What looks like a control token in a memory is text like any other.
        countTokens(text.replace(LONG_RUNS, breakUp), { disallowedSpecial: new Set() }),
  );
  return counter;
}

/** What the vocabulary's own splitting would leave whole: letters, signs or white space, but never digits. */
const LONG_RUNS = /[\p{L}\p{M}]{65,}|[^\s\p{L}\p{N}]{65,}|\s{65,}/gu;

/** A digit is a token of its own wherever it stands: it keeps the pieces apart and pays for the seam. */
function breakUp(run: string): string {
  return run.replace(/.{64}/gsu, '$&0');
}
