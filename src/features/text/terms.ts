import { toStreamSafe } from '../../lib/text.ts';
import { STOP_WORDS } from './stop-words.ts';

/** Scripts written without spaces between words; indexed as character bigrams. */
const SCRIPTS = ['Han', 'Hiragana', 'Katakana', 'Hangul', 'Thai', 'Lao', 'Khmer', 'Myanmar'];
const UNSPACED_CLASS = SCRIPTS.map((script) => `\\p{scx=${script}}`).join('');
const UNSPACED = new RegExp(`[${UNSPACED_CLASS}]`, 'u');
const RUNS = new RegExp(`[${UNSPACED_CLASS}\\p{M}]+|[^${UNSPACED_CLASS}]+`, 'gu');
/** Words, flags, and single emoji. */
const WORDS = /[\p{L}\p{N}\p{M}]+|\p{RI}{2}|\p{Extended_Pictographic}/gu;
/** Hyphenated compounds, which are also indexed as one word. */
const COMPOUNDS = /(?<![\p{L}\p{N}-])[a-z]+-[a-z]+(?![\p{L}\p{N}-])/gu;
/** Joiners, soft hyphens and variation selectors: neither part of a word nor a word boundary. */
const INVISIBLE = /\p{Variation_Selector}|\u00ad|\u200d|\u2060|\u20e3/gu;
/** FTS5's porter stemmer ignores tokens longer than 64 bytes. */
const MAX_TERM_CHARACTERS = 40;
const MAX_QUERY_TERMS = 64;

/**
 * The terms of a text as they are indexed: NFKC-folded, lower case, without the accents of Latin, Greek and Cyrillic,
 * split at everything else; stemming is left to the index. A run without spaces yields its bigrams and its last
 * character: every character then starts a term, so that a single one can be found by prefix (`isCharacter`).
 */
export function termsOf(text: string): string[] {
  return split(text, (run) => [...pairs(run), run.at(-1)!]);
}

/** A speaker's name as index terms, prefixed with an underscore so that no word of a text matches them. */
export function speakerTokensOf(name: string): string[] {
  return [...new Set(termsOf(name))].map((term) => `_${term}`);
}

/** A month as an index term: of one year, or of any. */
export function monthTokenOf({ year, month }: { year?: number; month: number }): string {
  return `__${year ?? ''}m${month}`;
}

/** The distinct terms of a query, without stop words unless there are no others. */
export function queryTerms(query: string): string[] {
  const terms = [...new Set(split(query, (run) => (run.length === 1 ? run : pairs(run))))];
  const contentTerms = terms.filter((term) => !STOP_WORDS.has(term));
  return (contentTerms.length > 0 ? contentTerms : terms).slice(0, MAX_QUERY_TERMS);
}

/** Whether a query term is a single character of a script without spaces, to be matched as a prefix. */
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
        // Pushed one by one: a spread call has an argument limit.
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
 * A term as a token of the full-text index. The scope is prepended so that one index serves every tenant and no query
 * reads the postings of another.
 */
export function tokenOf(scopePrefix: string, term: string): string {
  return scopePrefix + term;
}

/**
 * Even numbers mark rows that are valid now, odd ones past rows, which only `asOf` searches. Digits only: a letter would
 * change how the porter stemmer treats the word that follows.
 */
export function scopePrefix(scope: number, part: 'live' | 'past'): string {
  return `${scope * 2 + (part === 'past' ? 1 : 0)}_`;
}
