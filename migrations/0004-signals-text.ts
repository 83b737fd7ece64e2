// Frozen copy of the text indexing this migration landed with; later changes to src must not alter it.
import { DAY_MS, type DayRange, monthsOf } from './0004-signals-dates.ts';

const SCRIPTS = ['Han', 'Hiragana', 'Katakana', 'Hangul', 'Thai', 'Lao', 'Khmer', 'Myanmar'];
const UNSPACED_CLASS = SCRIPTS.map((script) => `\\p{scx=${script}}`).join('');
const UNSPACED = new RegExp(`[${UNSPACED_CLASS}]`, 'u');
const RUNS = new RegExp(`[${UNSPACED_CLASS}\\p{M}]+|[^${UNSPACED_CLASS}]+`, 'gu');
const WORDS = /[\p{L}\p{N}\p{M}]+|\p{RI}{2}|\p{Extended_Pictographic}/gu;
const COMPOUNDS = /(?<![\p{L}\p{N}-])[a-z]+-[a-z]+(?![\p{L}\p{N}-])/gu;
const INVISIBLE = /\p{Variation_Selector}|\u00ad|\u200d|\u2060|\u20e3/gu;
const MAX_TERM_CHARACTERS = 40;
const MARKS = /\p{M}{30}/gu;
const COMBINING_GRAPHEME_JOINER = '\u034f';

export interface Entry {
  scope: number;
  texts: readonly string[];
  speaker: string | null;
  at: number;
  until: number;
  dates: string | null;
  part: 'live' | 'past';
}

/** Everything by which a row is found, as FTS5 takes it. */
export function bodyOf({ scope, texts, speaker, at, until, dates, part }: Entry): string {
  const prefix = `${scope * 2 + (part === 'past' ? 1 : 0)}_`;
  const speakers = speaker === null ? [] : [...new Set(termsOf(speaker))].map((term) => `_${term}`);
  const months = monthsOf(daysOf(at, until, dates)).flatMap(({ year, month }) => [`__${year}m${month}`, `__m${month}`]);
  return [...termsOf(texts.join('\n')), ...speakers, ...new Set(months)].map((term) => prefix + term).join(' ');
}

function daysOf(atMs: number, untilMs: number, dates: string | null): DayRange[] {
  const mentioned = dates === null ? [] : (JSON.parse(dates) as DayRange[]);
  return [[Math.floor(atMs / DAY_MS), Math.floor(untilMs / DAY_MS)], ...mentioned];
}

function termsOf(text: string): string[] {
  return split(text, (run) => [...pairs(run), run.at(-1)!]);
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
  const plain = text
    .replace(MARKS, (run) => run + COMBINING_GRAPHEME_JOINER)
    .normalize('NFKC')
    .toLowerCase();
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
