import type { Language } from './language.ts';

const STARTS_WITH_DIGIT = /^\d/;
/** Whose thing or relative: "Tom's father". */
const OWNED = /(\p{L}+)['’]s (?:new |old |own |best )?(\p{L}+)/u;
/** What a Japanese sentence is about. */
const MARKED = /([\p{L}\p{N}ー]+?)(?:さん|くん|ちゃん|君|氏)?(?:は|が|も)/u;
const LAST_CLAUSE = /([^,;:，；：。]*)$/u;
/** When, not who. */
const CHINESE_TIME = /[年月日天周]|星期|现在|最近|刚|已经/u;

/**
 * Returns who is in a state that a text states or ends from `before` on: the root of a name or of another subject, or an empty text
 * for the speaker, who need not be named.
 */
export function stateSubject(text: string, before: number, language: Language): string {
  const { wordsOf, rootOf, functionWords, statements } = language;
  const { speakers, possessives, determiners, relatives } = statements;
  const [, clause = ''] = LAST_CLAUSE.exec(text.slice(0, before)) ?? [];
  const beginning = clause.trim() === '' ? text.slice(0, before) : clause;
  if (language.code === 'ja') {
    const [, marked = ''] = MARKED.exec(beginning) ?? [];
    return wordsOf(marked).some((word) => speakers.has(word)) ? '' : marked;
  }
  const words = wordsOf(beginning);
  if (words.some((word) => speakers.has(word) && !possessives.has(word))) return '';
  const [, owner, owned] = OWNED.exec(beginning) ?? [];
  if (owner !== undefined && owned !== undefined) return `${owner} ${owned}`.toLowerCase();
  const says = (word: string) => !functionWords.has(word) && !determiners.has(word) && !STARTS_WITH_DIGIT.test(word);
  const relative = words.find((word) => relatives.has(word));
  if (relative !== undefined) return rootOf(relative);
  const [first = '', second = ''] = words;
  if (possessives.has(first) || determiners.has(first)) return second !== '' && says(second) ? rootOf(second) : '';
  if (language.code === 'zh') return words.find((word) => says(word) && !CHINESE_TIME.test(word)) ?? '';
  const name = nameIn(beginning, words, language);
  return name ?? (language.code === 'en' ? (words.filter((word) => !determiners.has(word)).map(rootOf)[0] ?? '') : '');
}

/** The root of the first name; where all nouns begin with a capital letter, only at the beginning. */
function nameIn(text: string, words: readonly string[], { functionWords, rootOf, statements }: Language) {
  const { prepositions, capitalizesNouns } = statements;
  const at = words.findIndex(
    (word, index) =>
      !functionWords.has(word) &&
      !STARTS_WITH_DIGIT.test(word) &&
      !prepositions.has(words[index - 1] ?? '') &&
      isCapitalized(text, word),
  );
  return at === -1 || (capitalizesNouns && at > 1) ? undefined : rootOf(words[at]!);
}

/** "We bought a flat for my mother" does not say where we live. */
export function isForRelative(terms: readonly string[], { statements: { purposes, relatives } }: Language): boolean {
  const isPurpose = (term: string | undefined) => term !== undefined && purposes.has(term);
  return terms.some((term, at) => relatives.has(term) && (isPurpose(terms[at - 1]) || isPurpose(terms[at - 2])));
}

/** Whether a word occurs with a capital letter. */
export function isCapitalized(text: string, word: string): boolean {
  const rest = [...word].slice(1).join('');
  return rest !== '' && new RegExp(`(?<!\\p{L})\\p{Lu}${escaped(rest)}`, 'u').test(text);
}

/** Escapes what has a meaning in patterns; with the flag `u` nothing else may be escaped. */
function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
