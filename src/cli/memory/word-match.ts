/** A stretch of text and whether it matches the query. */
export interface MatchedPart {
  text: string;
  matched: boolean;
}

const WORDS = /[\p{L}\p{N}\p{M}]+/gu;
/** Scripts without spaces between words, matched by character pairs, as in the index. */
const UNSPACED =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u;
/** Words ignored in a query, unless it has no others. */
const STOP_WORDS = new Set(
  'a an and are as at be been but by can did do does for from had has have he her his how i if in is it its me my no not of on or our she so that the their them they this to was we were what when where which who why with you your'.split(
    ' ',
  ),
);

/** Creates a function that finds the words of a query in a text, comparing stems without accents or case. */
export function createMatcher(query: string): (text: string) => MatchedPart[] {
  const words = [...query.matchAll(WORDS)].map(([word]) => folded(word));
  const significant = words.filter((word) => !STOP_WORDS.has(word));
  const wanted = significant.length > 0 ? significant : words;
  const stems = new Set(wanted.filter((word) => !UNSPACED.test(word)).map(stemOf));
  const pairs = new Set(wanted.filter((word) => UNSPACED.test(word)).flatMap(pairsOf));
  return (text) => {
    const parts: MatchedPart[] = [];
    let from = 0;
    for (const { 0: word, index } of text.matchAll(WORDS)) {
      push(parts, text.slice(from, index), false);
      from = index + word.length;
      if (UNSPACED.test(word)) matchPairs(parts, word, pairs);
      else push(parts, word, stems.has(stemOf(folded(word))));
    }
    push(parts, text.slice(from), false);
    return parts;
  };
}

function push(parts: MatchedPart[], text: string, matched: boolean): void {
  if (text === '') return;
  const last = parts.at(-1);
  if (last?.matched === matched) last.text += text;
  else parts.push({ text, matched });
}

function matchPairs(parts: MatchedPart[], word: string, pairs: ReadonlySet<string>): void {
  const characters = Array.from(word);
  const hits = characters.map((character, index) => {
    const near = [character, (characters[index - 1] ?? '') + character, character + (characters[index + 1] ?? '')];
    return near.some((pair) => pairs.has(folded(pair)));
  });
  for (const [index, character] of characters.entries()) push(parts, character, hits[index] === true);
}

function pairsOf(word: string): string[] {
  const characters = Array.from(word);
  return characters.length === 1 ? characters : characters.slice(1).map((next, index) => characters[index] + next);
}

function folded(word: string): string {
  return word
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFD')
    .replace(/(?<=[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]\p{M}*)\p{M}/gu, '')
    .normalize('NFC');
}

/** Strips the commonest English endings: an approximation of the index's Porter stemmer, good enough for highlighting. */
function stemOf(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
  const singular = word
    .replace(/(?:ies|ied)$/, 'i')
    .replace(/sses$/, 'ss')
    .replace(/(?<![su])s$/, '');
  const plain = singular.replace(/(?<=[aeiouy].*)(?:ing|edly|ed|ingly)$/, '').replace(/(?<=...)ly$/, '');
  return plain
    .replace(/(?<=[^aeiou])y$/, 'i')
    .replace(/([^aeioulsz])\1$/, '$1')
    .replace(/(?<=..)e$/, '');
}
