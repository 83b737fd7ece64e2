/** Each letter of `private`, with full-width and look-alike ones (Cyrillic, Greek, dotless i). */
const LETTERS = ['pPｐＰрРρΡ', 'rRｒＲгᴦ', 'iIｉＩіІıİιΙ', 'vVｖＶѵѴν', 'aAａＡаАαΑ', 'tTｔＴтТτΤ', 'eEｅＥеЕεΕ'];
const INVISIBLE = '[\\u00ad\\u200b-\\u200f\\u2060\\ufeff]?';
const NAME = LETTERS.map((letters) => `[${letters}]`).join(INVISIBLE);
const SPACE = '[\\s\\u00ad\\u200b-\\u200f\\u2060\\ufeff]{0,50}';
const LESS = '(?:[<＜‹]|&lt;|\\\\u003[cC])';
const GREATER = '(?:[>＞›]|&gt;|\\\\u003[eE])';
/** The first group is the slash of a closing tag, the second the end of a tag. Bounded, so that a text is read once. */
const TAG = new RegExp(
  `${LESS}${SPACE}([/\\\\／∕⁄]{1,2})?${SPACE}${NAME}(?![\\p{L}\\p{N}_-])([^<>＜＞]{0,200}?${GREATER})?`,
  'gu',
);

/**
 * Removes `<private>…</private>`, in any spelling of the tags: case, spaces, attributes, look-alike letters. Passages
 * nest. A passage without a closing tag goes to the end of the text, and an opening tag need not be complete.
 */
export function withoutPrivate(text: string): string {
  let kept = '';
  let from = 0;
  let depth = 0;
  for (const { 0: tag, 1: slash, 2: end, index } of text.matchAll(TAG)) {
    if (slash === undefined) {
      if (depth === 0) kept += text.slice(from, index);
      depth += 1;
    } else if (depth > 0 && end !== undefined) {
      depth -= 1;
      from = index + tag.length;
    }
  }
  return depth === 0 ? kept + text.slice(from) : kept;
}
