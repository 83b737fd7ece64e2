import { isCommonTerm } from '../text/common-words.ts';
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

/** Languages that are told by their words; of equals, the first one. */
const SPACED: readonly Language[] = [english, german, french, spanish, italian, portuguese, dutch, polish];
const KANA = /[\p{sc=Hiragana}\p{sc=Katakana}]/u;
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/gu;
const CYRILLIC = /\p{sc=Cyrillic}/u;
/** Letters of other languages that are written in Cyrillic. */
const NOT_RUSSIAN = /[іїєґўјљњћђџќѓѕ]/u;
/**
 * Letters and marks that only one of the languages has are as good as one of its function words. Polish names begin with some.
 */
const OWN_LETTERS: Readonly<Record<string, RegExp>> = {
  de: /ß/,
  es: /[ñ¿¡]/,
  pt: /[ãõ]|[nl]h[ao]s?$/,
  pl: /.[ąęłńśźż]/,
};
const SPELLING_WEIGHT = 0.3;
/** Of common English words, which loans in other languages often are. */
const COMMON_WEIGHT = 0.6;
/** Of less, such as a name that ends like Spanish words, no language is recognized. */
const LEAST_WEIGHT = 0.9;
/** The beginning decides. */
const MAX_CHARACTERS = 1000;
/** Parts of addresses and of codes such as "C4F9" are not words. */
const ADDRESS = /https?:\S+/g;
const LETTER = String.raw`[^\P{L}\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]`;
const WORD = new RegExp(String.raw`(?<!\p{N}|${LETTER})${LETTER}(?:${LETTER}|\p{M})*(?!\p{N}|${LETTER})|[¿¡]`, 'gu');

/** Returns the language of a text among those that the rules know: English where none is recognized. */
export function languageOf(text: string): Language {
  const beginning = text.slice(0, MAX_CHARACTERS).normalize('NFC').replace(ADDRESS, ' ');
  const written = beginning.match(WORD) ?? [];
  // Names in other letters do not decide.
  if ((beginning.match(UNSPACED)?.length ?? 0) > written.length) return KANA.test(beginning) ? japanese : chinese;
  const words = written.map((word) => word.toLowerCase());
  if (CYRILLIC.test(beginning) && isCyrillic(words)) {
    return NOT_RUSSIAN.test(beginning.toLowerCase()) ? english : russian;
  }
  const isName = (at: number) => at > 0 && words[at] !== written[at];
  let best: Language = english;
  let most = LEAST_WEIGHT;
  for (const language of SPACED) {
    const letters = OWN_LETTERS[language.code];
    const hasOwnLetters = (word: string, at: number) => letters?.test(word) === true && !isName(at);
    if (!words.some((word, at) => hasOwnLetters(word, at) || isOwn(word, language))) continue;
    const count = words.reduce((sum, word, at) => sum + (hasOwnLetters(word, at) ? 1 : weightOf(word, language)), 0);
    if (count > most) [best, most] = [language, count];
  }
  return best !== english && most <= englishWeightBeside(best, words) ? english : best;
}

/** Whether most words of a text are in Cyrillic, or more function words are Russian than English. */
function isCyrillic(words: readonly string[]): boolean {
  const count = (is: (word: string) => boolean) => words.filter(is).length;
  return (
    2 * count((word) => CYRILLIC.test(word)) > words.length ||
    count((word) => russian.functionWords.has(word)) > count((word) => english.functionWords.has(word))
  );
}

/** Names in an English text are spelled like other languages: one of its words must be of the language, and of English not. */
function isOwn(word: string, language: Language): boolean {
  return language === english || (language.functionWords.has(word) && !english.functionWords.has(word));
}

function weightOf(word: string, { functionWords, spelling }: Language): number {
  if (functionWords.has(word)) return 1;
  return spelling.test(word) ? SPELLING_WEIGHT : 0;
}

/** The weight of English in words that look like another language: function words of that may be English, as "met" and "come". */
function englishWeightBeside({ functionWords }: Language, words: readonly string[]): number {
  const weights = words.map((word) => {
    if (!isCommonTerm(word)) return weightOf(word, english);
    return functionWords.has(word) || english.functionWords.has(word) ? 1 : COMMON_WEIGHT;
  });
  return weights.reduce((sum, weight) => sum + weight, 0);
}
