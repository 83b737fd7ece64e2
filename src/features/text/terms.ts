import { toStreamSafe } from '../../lib/text.ts';
import { STOP_WORDS } from './stop-words.ts';

/** Scripts written without spaces between words: they are indexed as overlapping pairs of characters. */
const SCRIPTS = ['Han', 'Hiragana', 'Katakana', 'Hangul', 'Thai', 'Lao', 'Khmer', 'Myanmar'];
const UNSPACED_CLASS = SCRIPTS.map((script) => `\\p{scx=${script}}`).join('');
const UNSPACED = new RegExp(`[${UNSPACED_CLASS}]`, 'u');
const RUNS = new RegExp(`[${UNSPACED_CLASS}\\p{M}]+|[^${UNSPACED_CLASS}]+`, 'gu');
/** Words, and each emoji or flag as a word of its own. */
const WORDS = /[\p{L}\p{N}\p{M}]+|\p{RI}{2}|\p{Extended_Pictographic}/gu;
/** Words that some write with a hyphen and some in one: they are found either way. */
const COMPOUNDS = /(?<![\p{L}\p{N}-])[a-z]+-[a-z]+(?![\p{L}\p{N}-])/gu;
/** Joiners, soft hyphens and selectors of a character's look: no part of a word, and no end of one. */
const INVISIBLE = /\p{Variation_Selector}|\u00ad|\u200d|\u2060|\u20e3/gu;
/** FTS5's porter stemmer passes over tokens of more than 64 bytes; nothing is gained by longer ones. */
const MAX_TERM_CHARACTERS = 40;
const MAX_QUERY_TERMS = 64;

/**
 * The words of a text in the form in which they are indexed: compatibility-folded (NFKC), lower case, accents of Latin,
 * Greek and Cyrillic dropped, split at anything else. Stemming is left to the index. Of a run without spaces, its
 * pairs and its last character: so every character begins a term, and one alone is found by `isCharacter`'s prefix.
 */
export function termsOf(text: string): string[] {
  return split(text, (run) => [...pairs(run), run.at(-1)!]);
}

/** A speaker's name as terms of their own, which no word of a text is: an underscore stands before each. */
export function speakerTokensOf(name: string): string[] {
  return [...new Set(termsOf(name))].map((term) => `_${term}`);
}

/** A month as a term of its own: of one year, or of any. */
export function monthTokenOf({ year, month }: { year?: number; month: number }): string {
  return `__${year ?? ''}m${month}`;
}

/** The distinct words of a query, stop words dropped while others remain. */
export function queryTerms(query: string): string[] {
  const terms = [...new Set(split(query, (run) => (run.length === 1 ? run : pairs(run))))];
  const telling = terms.filter((term) => !STOP_WORDS.has(term));
  return (telling.length > 0 ? telling : terms).slice(0, MAX_QUERY_TERMS);
}

/** Whether a query's term is one character of a script without spaces: it stands for all terms that begin with it. */
export function isCharacter(term: string): boolean {
  return UNSPACED.test(term) && Array.from(term).length === 1;
}

function split(text: string, splitRun: (characters: string[]) => string[]): string[] {
  const terms: string[] = [];
  const folded = fold(text);
  for (const [compound] of folded.matchAll(COMPOUNDS)) terms.push(clip(compound.replace('-', '')));
  for (const [word] of folded.matchAll(WORDS)) {
    if (!UNSPACED.test(word)) terms.push(clip(word));
    else {
      for (const [run] of word.matchAll(RUNS)) {
        if (!UNSPACED.test(run)) terms.push(clip(run));
        // One by one: a call takes so many arguments only.
        else for (const term of splitRun(Array.from(run))) terms.push(term);
      }
    }
  }
  return terms;
}

function clip(word: string): string {
  return word.length <= MAX_TERM_CHARACTERS ? word : word.slice(0, MAX_TERM_CHARACTERS).toWellFormed();
}

function fold(text: string): string {
  const plain = toStreamSafe(text).normalize('NFKC').toLowerCase();
  if (/^[\x00-\x7f]*$/.test(plain)) return plain;
  return plain
    .replace(INVISIBLE, '')
    .normalize('NFD')
    .replace(/([\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])\p{M}+/gu, '$1')
    .normalize('NFC')
    .replaceAll('ς', 'σ');
}

function pairs(run: string[]): string[] {
  return run.slice(1).map((character, index) => run[index]! + character);
}

/**
 * A term as a token of the full-text index: the scope's number is joined to it, so that one index serves every tenant
 * and no query walks through a neighbour's postings.
 */
export function tokenOf(scopePrefix: string, term: string): string {
  return scopePrefix + term;
}

/**
 * Even numbers hold what is valid now, odd ones what was: the past is asked only by `asOf`. Digits only, since a letter
 * would change what the porter stemmer does with the word behind it.
 */
export function scopePrefix(scope: number, part: 'live' | 'past'): string {
  return `${scope * 2 + (part === 'past' ? 1 : 0)}_`;
}
