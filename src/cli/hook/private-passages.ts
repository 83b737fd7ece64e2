import { endOfSpelling } from '../../contract/spellings.ts';

const NAME = 'private';
/** Invisible, or a mark or hyphen within a word. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{M}\u2010\u2011]/u;
const LESS = /[<＜﹤‹]|&(?:lt|#0*60|#[xX]0*3[cC]);?|\\u003[cC]/g;
/** The space and slash before the name. Bounded, so that a text is read once. */
const SPACE = '[\\s\\p{Default_Ignorable_Code_Point}]{0,50}';
const SLASH = new RegExp(`(?:${SPACE}([/\\\\／∕⁄]{1,2}))?${SPACE}`, 'uy');
/** The name ends: what is invisible, and then nothing that continues a word. */
const END_OF_NAME = new RegExp(`${UNSEEN.source}*(?!${UNSEEN.source}|[\\p{L}\\p{N}_-])`, 'uy');
const GREATER = /[^<>＜＞]{0,200}?(?:[>＞﹥›]|&(?:gt|#0*62|#[xX]0*3[eE]);?|\\u003[eE])/y;

/**
 * Removes `<private>…</private>`, in any spelling of the tags: case, spaces, attributes, accents, invisible characters,
 * look-alike letters. Passages nest. A passage without a closing tag goes to the end of the text, and an opening tag need
 * not be complete.
 */
export function withoutPrivate(text: string): string {
  let kept = '';
  let from = 0;
  let depth = 0;
  for (const { 0: bracket, index } of text.matchAll(LESS)) {
    const tag = tagAt(text, index + bracket.length);
    if (tag === undefined) continue;
    if (!tag.isClosing) {
      if (depth === 0) kept += text.slice(from, index);
      depth += 1;
    } else if (depth > 0 && tag.end !== undefined) {
      depth -= 1;
      from = tag.end;
    }
  }
  return depth === 0 ? kept + text.slice(from) : kept;
}

/** Reads the tag whose `<` ends at an index. It has no `end` if its `>` is missing. */
function tagAt(text: string, start: number): { isClosing: boolean; end: number | undefined } | undefined {
  SLASH.lastIndex = start;
  const isClosing = SLASH.exec(text)?.[1] !== undefined;
  const nameEnd = endOfSpelling(NAME, text, SLASH.lastIndex, UNSEEN);
  if (nameEnd === undefined) return undefined;
  END_OF_NAME.lastIndex = nameEnd;
  if (!END_OF_NAME.test(text)) return undefined;
  GREATER.lastIndex = END_OF_NAME.lastIndex;
  return { isClosing, end: GREATER.test(text) ? GREATER.lastIndex : undefined };
}
