/** Counts the tokens of a text as a model would. */
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
        countTokens(text, { disallowedSpecial: new Set() }),
  );
  return counter;
}
