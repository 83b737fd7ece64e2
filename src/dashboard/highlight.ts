/** A piece of text and whether it matches the query. */
export interface TextPart {
  text: string;
  marked: boolean;
}

/** Words too common to highlight. */
const STOP_WORDS = new Set(
  'a an and are as at be but by did do does for from had has have how i in is it its me my of on or our that the their they this to was we were what when where which who why will with you your'.split(
    ' ',
  ),
);

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/** Strips case, diacritics and common English endings, so that `Cafés` matches `café` and `moved` matches `move`. */
function stem(word: string): string {
  const folded = word
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/['’]s$/u, '');
  if (folded.length < 4) return folded;
  const cut = folded.replace(/(?:ing|ies|ied|es|ed|s|ly|y|e)$/u, '');
  return cut.length < 3 ? folded : cut;
}

function stemsOf(query: string): Set<string> {
  const stems = new Set<string>();
  for (const { segment, isWordLike } of segmenter.segment(query)) {
    if (isWordLike && !STOP_WORDS.has(segment.toLowerCase())) stems.add(stem(segment));
  }
  return stems;
}

/**
 * Splits a text into parts that match the query and parts that do not. Joined, the parts equal the input. This is a
 * display heuristic: the daemon's index may match more or fewer words.
 */
export function highlightMatches(text: string, query: string): TextPart[] {
  const stems = stemsOf(query);
  if (stems.size === 0) return [{ text, marked: false }];
  const parts: TextPart[] = [];
  for (const { segment, isWordLike } of segmenter.segment(text)) {
    const marked = isWordLike === true && stems.has(stem(segment));
    const last = parts.at(-1);
    if (last && last.marked === marked) last.text += segment;
    else parts.push({ text: segment, marked });
  }
  return parts;
}
