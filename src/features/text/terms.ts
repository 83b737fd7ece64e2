import { toStreamSafe } from '../../lib/text.ts';
import { finish } from '../../lib/time-slices.ts';
import { STOP_WORDS } from './stop-words.ts';

/** Scripts written without spaces between words; indexed as character bigrams. */
const SCRIPTS = ['Han', 'Hiragana', 'Katakana', 'Hangul', 'Thai', 'Lao', 'Khmer', 'Myanmar'];
const UNSPACED_CLASS = SCRIPTS.map((script) => `\\p{scx=${script}}`).join('');
const UNSPACED = new RegExp(`[${UNSPACED_CLASS}]`, 'u');
const RUNS = new RegExp(`[${UNSPACED_CLASS}\\p{M}]+|[^${UNSPACED_CLASS}]+`, 'gu');
/** Words, flags, and single emoji. A run of more than 2,000 letters counts as several words: no prose has one. */
const WORDS = /[\p{L}\p{N}\p{M}]{1,2000}|\p{RI}{2}|\p{Extended_Pictographic}/gu;
/** Hyphenated compounds, which are also indexed as one word. */
const COMPOUNDS = /(?<![\p{L}\p{N}-])[a-z]+-[a-z]+(?![\p{L}\p{N}-])/gu;
/** Joiners, soft hyphens and variation selectors: neither part of a word nor a word boundary. */
const INVISIBLE = /\p{Variation_Selector}|\u00ad|\u200d|\u2060|\u20e3/gu;
/** FTS5's porter stemmer ignores tokens longer than 64 bytes. */
const MAX_TERM_CHARACTERS = 40;
export const MAX_QUERY_TERMS = 64;
/**
 * Terms per text: as many as the longest text can have in scripts with spaces. A text is indexed in one piece, so the
 * longest text decides how long other writes wait.
 */
const MAX_TERMS = 50_000;
/** Marks and Hangul vowels and finals, which compose with what precedes them, and characters that folding drops. */
const JOINS_PRECEDING = /^(?:[\p{M}\u1160-\u11ff\u00ad\u2060]|\u200d)/u;
/** Characters to fold, and terms to find, in one step. */
const MAX_PIECE_CHARACTERS = 4096;
const TERMS_PER_STEP = 512;

/**
 * Returns the terms of a text for the index: NFKC-folded, lower case, without the accents of Latin, Greek and Cyrillic,
 * split at everything else; stemming is left to the index. A run without spaces yields its bigrams and its last
 * character: every character then starts a term, so that a single one can be found by prefix (`isCharacter`). Folded
 * text beyond `foldedLimitOf` has no terms, and what follows the first `MAX_TERMS` neither.
 */
export function termsOf(text: string): string[] {
  return finish(termsInSteps(text)).terms;
}

/** The terms of a text, and whether its end has none because it was too long. */
export interface IndexedTerms {
  terms: string[];
  isCut: boolean;
}

/** Whether the end of a text has no terms. */
export function isCutText(text: string): boolean {
  const { folded, isCut } = finish(foldInSteps(text));
  // A text has at most as many terms as characters.
  return isCut || (folded.length > MAX_TERMS && finish(termsInSteps(text)).isCut);
}

/** `termsOf` in steps of well under a millisecond. */
export function* termsInSteps(text: string): Generator<void, IndexedTerms> {
  const { folded, isCut } = yield* foldInSteps(text);
  const { compounds, words } = yield* splitInSteps(folded, (run) => [...pairs(run), run.at(-1)!]);
  const terms = [...compounds.slice(0, Math.max(0, MAX_TERMS - words.length)), ...words.slice(0, MAX_TERMS)];
  return { terms, isCut: isCut || terms.length < compounds.length + words.length };
}

/**
 * Characters that a text of `length` may have after folding. Prose hardly grows; a few characters become up to
 * eighteen, and texts of nothing else would cost eighteen times the work.
 */
export function foldedLimitOf(length: number): number {
  return 2 * length + 256;
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
  const { compounds, words } = splitQuery(query);
  const terms = [...new Set([...compounds, ...words])];
  const contentTerms = terms.filter((term) => !STOP_WORDS.has(term));
  return (contentTerms.length > 0 ? contentTerms : terms).slice(0, MAX_QUERY_TERMS);
}

/** The words of a query in its order, stop words included. */
export function queryWords(query: string): string[] {
  return splitQuery(query).words;
}

function splitQuery(query: string): SplitText {
  const { folded } = finish(foldInSteps(query));
  return finish(splitInSteps(folded, (run) => (run.length === 1 ? run : pairs(run))));
}

/** Whether a query term is a single character of a script without spaces, to be matched as a prefix. */
export function isCharacter(term: string): boolean {
  return isUnspaced(term) && Array.from(term).length === 1;
}

/** Whether a text has characters of a script without spaces between words. */
export function isUnspaced(text: string): boolean {
  return UNSPACED.test(text);
}

interface SplitText {
  compounds: string[];
  /** Words of the text, cut off at `MAX_TERMS`. */
  words: string[];
}

function* splitInSteps(folded: string, splitRun: (characters: string[]) => string[]): Generator<void, SplitText> {
  const compounds: string[] = [];
  let stepEnd = TERMS_PER_STEP;
  for (const [compound] of folded.includes('-') ? folded.matchAll(COMPOUNDS) : []) {
    compounds.push(clip(compound.replace('-', '')));
    if (compounds.length >= stepEnd) stepEnd = yield* endStep(compounds);
  }
  const words: string[] = [];
  stepEnd = TERMS_PER_STEP;
  for (const [word] of folded.matchAll(WORDS)) {
    if (words.length > MAX_TERMS) break;
    if (!UNSPACED.test(word)) words.push(clip(word));
    else {
      for (const [run] of word.matchAll(RUNS)) {
        if (!UNSPACED.test(run)) words.push(clip(run));
        else words.push(...splitRun(Array.from(run)));
      }
    }
    if (words.length >= stepEnd) stepEnd = yield* endStep(words);
  }
  return { compounds, words };
}

/** Pauses, and returns the number of terms after which to pause again. */
function* endStep(terms: readonly string[]): Generator<void, number> {
  yield;
  return terms.length + TERMS_PER_STEP;
}

function clip(word: string): string {
  return word.length <= MAX_TERM_CHARACTERS ? word : word.slice(0, MAX_TERM_CHARACTERS).toWellFormed();
}

/** Folds a text piece by piece, up to its limit. */
function* foldInSteps(text: string): Generator<void, { folded: string; isCut: boolean }> {
  const limit = foldedLimitOf(text.length);
  let folded = '';
  for (let start = 0; start < text.length; ) {
    const end = pieceEnd(text, start);
    folded += fold(text.slice(start, end));
    if (folded.length > limit) return { folded: folded.slice(0, limit).toWellFormed(), isCut: true };
    start = end;
    if (start < text.length) yield;
  }
  return { folded, isCut: false };
}

/**
 * Where a piece that begins at `start` ends: before a character that folds alike with and without what precedes it. A
 * longer run without such a character is cut between any two.
 */
function pieceEnd(text: string, start: number): number {
  const longest = start + MAX_PIECE_CHARACTERS;
  if (text.length <= longest) return text.length;
  for (let end = longest; end > longest - MAX_PIECE_CHARACTERS / 2; end -= 1) {
    const next = String.fromCodePoint(text.codePointAt(end)!);
    if (next.isWellFormed() && !JOINS_PRECEDING.test(next.normalize('NFKD'))) return end;
  }
  return longest;
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

/** The terms of a text, in the form that the index takes. */
export interface FoundTerms {
  /** A space before each term, in UTF-8: a tenth of the memory of a list. */
  terms: Buffer;
  /** Whether the end of the text has no terms, because it is too long. */
  isCut: boolean;
}

/** Finds the terms of a text, in steps of well under a millisecond, except for the last. */
export function* findInSteps(text: string): Generator<void, FoundTerms> {
  const { terms, isCut } = yield* termsInSteps(text);
  return { terms: Buffer.from(['', ...terms].join(' ')), isCut };
}
