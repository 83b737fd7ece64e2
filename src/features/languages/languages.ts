import { chinese } from './chinese.ts';
import { dutch } from './dutch.ts';
import { english } from './english.ts';
import { french } from './french.ts';
import { german } from './german.ts';
import { italian } from './italian.ts';
import { japanese } from './japanese.ts';
import type { Language } from './language.ts';
import { polish } from './polish.ts';
import { portuguese } from './portuguese.ts';
import { russian } from './russian.ts';
import { spanish } from './spanish.ts';

/** Languages besides English that are told by their words; of equals, the first one. */
const OTHERS: readonly Language[] = [german, french, spanish, italian, portuguese, dutch, polish];
const KANA = /[\p{sc=Hiragana}\p{sc=Katakana}]/u;
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/gu;
const CYRILLIC = /\p{sc=Cyrillic}/gu;
/** Letters of other languages that are written in Cyrillic. */
const NOT_RUSSIAN = /[іїєґўјљњћђџќѓѕ]/u;
const SPELLING_WEIGHT = 0.3;
/** Of less, such as a name that ends like Spanish words, no language is recognized. */
const LEAST_WEIGHT = 0.9;
/** The beginning decides. */
const MAX_CHARACTERS = 1000;
const WORD = /[^\P{L}\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}][^\P{L}\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{M}]*/gu;

/** Returns the language of a text among those that the rules know: English where none is recognized. */
export function languageOf(text: string): Language {
  const beginning = text.slice(0, MAX_CHARACTERS).normalize('NFC').toLowerCase();
  const words = beginning.match(WORD) ?? [];
  // Names in other letters do not decide.
  if ((beginning.match(UNSPACED)?.length ?? 0) > words.length) return KANA.test(beginning) ? japanese : chinese;
  const cyrillic = beginning.match(CYRILLIC)?.length ?? 0;
  if (2 * cyrillic > words.reduce((sum, { length }) => sum + length, 0)) {
    return NOT_RUSSIAN.test(beginning) ? english : russian;
  }
  // Names in an English text are spelled like other languages: one of its words must be of the language, and of English not.
  const own = words.filter((word) => !english.functionWords.has(word));
  const others = OTHERS.filter(({ functionWords }) => own.some((word) => functionWords.has(word)));
  if (others.length === 0) return english;
  let best: Language = english;
  let most = LEAST_WEIGHT;
  for (const language of [english, ...others]) {
    const count = words.reduce((sum, word) => sum + weightOf(word, language), 0);
    if (count > most) [best, most] = [language, count];
  }
  return best;
}

function weightOf(word: string, { functionWords, spelling }: Language): number {
  if (functionWords.has(word)) return 1;
  return spelling.test(word) ? SPELLING_WEIGHT : 0;
}
