const CHARACTERS_PER_TOKEN = 4;

/** Estimates how many tokens a model makes of this many characters: for upper bounds, where no tokenizer runs. */
export function estimateTokens(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

const MARKS = /\p{M}{30}/gu;
const COMBINING_GRAPHEME_JOINER = '\u034f';

/**
 * Converts to the stream-safe text format (UAX #15, section 13): a joiner after every thirty combining marks in a row.
 * Normalization sorts such runs in quadratic time. Different texts stay different.
 */
export function toStreamSafe(text: string): string {
  return text.replace(MARKS, (run) => run + COMBINING_GRAPHEME_JOINER);
}
