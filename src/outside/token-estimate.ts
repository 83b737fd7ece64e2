/** A run of letters, of digits, of a script without spaces, or one other character. */
const RUNS = /([A-Za-z]+)|(\d+)|(\s+)|([\s\S])/gu;

/**
 * Estimates the tokens of a text (o200k_base) without the vocabulary.
 * Meant to be too high rather than too low.
 */
export function estimateTokens(text: string): number {
  let tokens = 0;
  for (const [run, letters, digits, space] of text.matchAll(RUNS)) {
    if (letters !== undefined)
      tokens += /^[A-Z]?[a-z]*$/.test(run) ? Math.ceil(run.length / 4) : Math.ceil(run.length / 2);
    else if (digits !== undefined) tokens += Math.ceil(run.length / 3);
    else if (space !== undefined) tokens += run === ' ' ? 0 : 1;
    else tokens += Math.ceil(Buffer.byteLength(run) / 2);
  }
  return tokens;
}
