/** Scripts written without spaces between words: they are indexed as overlapping pairs of characters. */
const UNSPACED =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u;
const WORDS = /[\p{L}\p{N}\p{M}]+/gu;
const RUNS =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}\p{M}]+|[^\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]+/gu;
/** FTS5's porter stemmer passes over tokens of more than 64 bytes; nothing is gained by longer ones. */
const MAX_TERM_CHARACTERS = 40;

/**
 * The words of a text in the form in which they are indexed and asked for: compatibility-folded (NFKC), lower case,
 * accents of Latin, Greek and Cyrillic dropped, split at anything else. Stemming is left to the index.
 */
export function termsOf(text: string): string[] {
  const terms: string[] = [];
  for (const [word] of fold(text).matchAll(WORDS)) {
    if (!UNSPACED.test(word)) terms.push(word.slice(0, MAX_TERM_CHARACTERS));
    else for (const [run] of word.matchAll(RUNS)) terms.push(...(UNSPACED.test(run) ? pairs(run) : [run]));
  }
  return terms;
}

function fold(text: string): string {
  const plain = text.normalize('NFKC').toLowerCase();
  if (/^[\x00-\x7f]*$/.test(plain)) return plain;
  return plain
    .normalize('NFD')
    .replace(/(?<=[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]\p{M}*)\p{M}/gu, '')
    .normalize('NFC');
}

function pairs(run: string): string[] {
  const characters = Array.from(run);
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, index) => characters[index]! + character);
}

/**
 * A term as a token of the full-text index: the scope's number is joined to it, so that one index serves every tenant
 * and no query walks through a neighbour's postings. Combining marks ride in the private-use plane, because the
 * unicode61 tokenizer would split the word at them.
 */
export function tokenOf(scopePrefix: string, term: string): string {
  return (
    scopePrefix + term.replace(/\p{M}/gu, (mark) => String.fromCodePoint(0xf0000 + (mark.codePointAt(0)! & 0xffff)))
  );
}

/**
 * Even numbers hold what is valid now, odd ones what was: the past is asked only by `asOf`. Digits only, since a letter
 * would change what the porter stemmer does with the word behind it.
 */
export function scopePrefix(scope: number, part: 'live' | 'past'): string {
  return `${scope * 2 + (part === 'past' ? 1 : 0)}_`;
}
