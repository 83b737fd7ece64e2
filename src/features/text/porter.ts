import { createBoundedMap } from '../../lib/bounded-map.ts';

/** A suffix and its replacement. */
type Rule = readonly [suffix: string, replacement: string];

/** FTS5 leaves shorter and longer tokens unstemmed. */
const MIN_BYTES = 3;
const MAX_BYTES = 64;

const STEP_1B2: readonly Rule[] = [
  ['at', 'ate'],
  ['bl', 'ble'],
  ['iz', 'ize'],
];
const STEP_2: readonly Rule[] = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['izer', 'ize'],
  ['logi', 'log'],
  ['bli', 'ble'],
  ['alli', 'al'],
  ['entli', 'ent'],
  ['eli', 'e'],
  ['ousli', 'ous'],
  ['ization', 'ize'],
  ['ation', 'ate'],
  ['ator', 'ate'],
  ['alism', 'al'],
  ['iveness', 'ive'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['aliti', 'al'],
  ['iviti', 'ive'],
  ['biliti', 'ble'],
];
const STEP_3: readonly Rule[] = [
  ['ical', 'ic'],
  ['ness', ''],
  ['icate', 'ic'],
  ['iciti', 'ic'],
  ['ful', ''],
  ['ative', ''],
  ['alize', 'al'],
];
const STEP_4: readonly Rule[] = ['al', 'ance', 'ence', 'er', 'ic', 'able', 'ible', 'ant', 'ement', 'ment', 'ent']
  .concat(['ion', 'ou', 'ism', 'ate', 'iti', 'ous', 'ive', 'ize'])
  .map((suffix) => [suffix, '']);

/**
 * Stems a token of the full-text index exactly as FTS5's `porter` tokenizer does (Porter 1980, with FTS5's deviations),
 * so that a query can look up stored tokens. The token includes the scope prefix, which FTS5 counts as consonants.
 */
export function stemOf(token: string): string {
  if (/^[\x00-\x7f]*$/.test(token)) return stemBytes(token);
  // FTS5 sees bytes: each byte of a character beyond ASCII is a consonant.
  return Buffer.from(stemBytes(Buffer.from(token).toString('latin1')), 'latin1').toString();
}

/** Words whose stems are cached: searches read the same ones in many statements. */
const MAX_CACHED = 20_000;
const stems = createBoundedMap<string, string>(MAX_CACHED);

/** Cached `stemOf` for words without a scope prefix. */
export function stemOfWord(word: string): string {
  const known = stems.get(word);
  if (known !== undefined) return known;
  const stem = stemOf(word);
  stems.set(word, stem);
  return stem;
}

function stemBytes(token: string): string {
  if (token.length < MIN_BYTES || token.length > MAX_BYTES) return token;
  const stem = endInI(withoutPastOrGerund(withoutPlural(token)));
  const derived = apply(STEP_3, apply(STEP_2, stem, hasMeasure), hasMeasure);
  const bare = apply(
    STEP_4,
    derived,
    (rest, suffix) => measureOf(rest) > 1 && (suffix !== 'ion' || /[st]$/.test(rest)),
  );
  return withoutFinalL(withoutFinalE(bare));
}

function withoutPlural(word: string): string {
  if (/.(?:sse|ie)s$/s.test(word)) return word.slice(0, -2);
  return /[^s]s$/.test(word) ? word.slice(0, -1) : word;
}

function withoutPastOrGerund(word: string): string {
  if (/.eed$/s.test(word)) return hasMeasure(word.slice(0, -3)) ? word.slice(0, -1) : word;
  const [ending] = /ed$|ing$/.exec(word) ?? [];
  if (ending === undefined || !hasVowel(word.slice(0, -ending.length))) return word;
  const rest = word.slice(0, -ending.length);
  const restored = apply(STEP_1B2, rest, () => true);
  if (restored !== rest) return restored;
  if (/([^aeioulsz])\1$/.test(rest)) return rest.slice(0, -1);
  return measureOf(rest) === 1 && endsInShortSyllable(rest) ? `${rest}e` : rest;
}

function endInI(word: string): string {
  return word.endsWith('y') && hasVowel(word.slice(0, -1)) ? `${word.slice(0, -1)}i` : word;
}

function withoutFinalE(word: string): string {
  if (!word.endsWith('e')) return word;
  const rest = word.slice(0, -1);
  const measure = measureOf(rest);
  return measure > 1 || (measure === 1 && !endsInShortSyllable(rest)) ? rest : word;
}

function withoutFinalL(word: string): string {
  return word.endsWith('ll') && measureOf(word.slice(0, -1)) > 1 ? word.slice(0, -1) : word;
}

/** Applies the first rule whose suffix the word has, if the rest fulfills the condition. */
function apply(rules: readonly Rule[], word: string, condition: (rest: string, suffix: string) => boolean): string {
  const rule = rules.find(([suffix]) => word.length > suffix.length && word.endsWith(suffix));
  if (rule === undefined) return word;
  const rest = word.slice(0, -rule[0].length);
  return condition(rest, rule[0]) ? rest + rule[1] : word;
}

/** The consonants (`c`) and vowels (`v`) of a word; `y` is a vowel after a consonant. */
function soundsOf(word: string): string {
  let sounds = '';
  for (const letter of word) {
    const isVowel = 'aeiou'.includes(letter) || (letter === 'y' && sounds.endsWith('c'));
    sounds += isVowel ? 'v' : 'c';
  }
  return sounds;
}

/** Porter's m: how often vowels are followed by consonants. */
function measureOf(word: string): number {
  return soundsOf(word).match(/vc/g)?.length ?? 0;
}

function hasMeasure(word: string): boolean {
  return measureOf(word) > 0;
}

/** Every `y` but the first letter counts as a vowel here, unlike in `soundsOf`. */
function hasVowel(word: string): boolean {
  return /[aeiou]|.y/s.test(word);
}

/** Porter's *o. */
function endsInShortSyllable(word: string): boolean {
  return !/[wxy]$/.test(word) && soundsOf(word).endsWith('cvc');
}
