const CHARACTERS_A_TOKEN = 4;

/** How many tokens a model makes of so many characters, about: for bounds, where nobody counts. */
export function estimateTokens(characters: number): number {
  return Math.ceil(characters / CHARACTERS_A_TOKEN);
}

/** After so many combining marks in a row a joiner is set; see `toStreamSafe`. */
const MARKS = /\p{M}{30}/gu;
const COMBINING_GRAPHEME_JOINER = '\u034f';

/**
 * The stream-safe form of a text (UAX #15, section 13): no more than thirty combining marks in a row. Normalization
 * sorts such a run, in a time that grows with its square; different texts stay different.
 */
export function toStreamSafe(text: string): string {
  return text.replace(MARKS, (run) => run + COMBINING_GRAPHEME_JOINER);
}
