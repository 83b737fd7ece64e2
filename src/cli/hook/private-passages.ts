const NAME = 'private';
/** Letters of other scripts that look like one of the name. */
const LOOKALIKES: Readonly<Record<string, string>> = {
  ...{ р: 'p', ρ: 'p', г: 'r', ᴦ: 'r', і: 'i', ı: 'i', ι: 'i', ѵ: 'v', ν: 'v' },
  ...{ а: 'a', α: 'a', т: 't', τ: 't', е: 'e', ε: 'e' },
};
/** Invisible, or a mark or hyphen within a word. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{M}\u2010\u2011]/u;
const LESS = /[<＜﹤‹]|&(?:lt|#0*60|#[xX]0*3[cC]);?|\\u003[cC]/g;
/** The space and slash before the name. Bounded, so that a text is read once. */
const SPACE = '[\\s\\p{Default_Ignorable_Code_Point}]{0,50}';
const SLASH = new RegExp(`(?:${SPACE}([/\\\\／∕⁄]{1,2}))?${SPACE}`, 'uy');
const NO_NAME = /[\p{L}\p{N}_-]/uy;
const GREATER = /[^<>＜＞]{0,200}?(?:[>＞﹥›]|&(?:gt|#0*62|#[xX]0*3[eE]);?|\\u003[eE])/y;
const MAX_UNSEEN = 50;

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
  const nameEnd = endOfName(text, SLASH.lastIndex);
  if (nameEnd === undefined) return undefined;
  GREATER.lastIndex = nameEnd;
  return { isClosing, end: GREATER.test(text) ? GREATER.lastIndex : undefined };
}

/** Where the name ends that begins at an index, if it is the name of the tag. */
function endOfName(text: string, start: number): number | undefined {
  let matched = 0;
  let unseen = 0;
  let at = start;
  while (at < text.length && unseen <= MAX_UNSEEN) {
    const character = String.fromCodePoint(text.codePointAt(at)!);
    if (UNSEEN.test(character)) unseen += 1;
    else if (matched === NAME.length) break;
    else if (plainLetter(character) === NAME[matched]) matched += 1;
    else return undefined;
    at += character.length;
  }
  NO_NAME.lastIndex = at;
  return matched < NAME.length || NO_NAME.test(text) ? undefined : at;
}

function plainLetter(character: string): string | undefined {
  const [letter = '', ...marks] = character.normalize('NFKD').toLowerCase();
  return marks.every((mark) => UNSEEN.test(mark)) ? (LOOKALIKES[letter] ?? letter) : undefined;
}
