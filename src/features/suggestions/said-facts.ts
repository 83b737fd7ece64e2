import { finish } from '../../lib/time-slices.ts';
import type { Language, SaidPatterns } from '../languages/language.ts';
import { languageOf } from '../languages/languages.ts';
import { piecesOf } from '../search/excerpt.ts';
import { FENCED, isPastedLine } from '../search/prompt-subject.ts';

/** What a person said that may be worth remembering, in their words. */
export interface SaidFact {
  text: string;
  /** The share of such facts that people keep; see docs/suggestions.md. */
  confidence: number;
}

const MIN_WORDS = 3;
const MAX_WORDS = 30;
const MAX_CHARACTERS = 240;
/** Facts of one message. */
const MAX_FACTS = 5;

const SHORT_WORDS = 5;
/** What others wrote, or a text to work on. */
const QUOTED =
  /(?<=^|[\s(])"[^"]{30,}(?:"(?=[\s.,;:!?)]|$)|$(?![\s\S]))|[“„][^”“]{30,}[”“]|«[^«»]{30,}»|[「『][^」』]{20,}[」』]/gm;
const LETTER =
  /^\s*(?:dear|hi|hello|hey|hallo|liebe|lieber|sehr geehrte[rs]?|bonjour|madame|monsieur|chère?s?|hola|estimad[oa]s?|gentil[ei]|spett|egregi[oa]|caro|cara|good (?:morning|afternoon|evening))\b[^\n]{0,40},?\s*$/im;
/** After a colon, a text begins that is pasted. */
const PARAGRAPHS = /\n\s*\n|(?<=[:：])\s*\n/;
/** A request about the text that follows. */
const ANNOUNCES =
  /[:：]\s*$|(?<!\p{L})(?:this|these|following|below|attached|hier|folgende\p{L}*|darauf|dem|diese\p{L}?|ce|cette|ces|ci-dessous|voici|est[eao]|siguiente|abajo|quest[oaie]|seguente|sotto|ecco)(?!\p{L})|下面|以下|这段|这封|这个|この|次の|上記/iu;
const MIN_TOLD_CHARACTERS = 40;
/** A longer paragraph after the first is pasted. */
const MAX_TYPED_CHARACTERS = 280;
const TAGS = /<\/?svc-memory/i;

/**
 * Finds what a person states about themselves or their work in a message: what they ask to remember, rules, preferences,
 * decisions and properties. Not requests, questions, guesses, quotations, code and pasted text. The rules of the message's language decide.
 */
export function factsIn(message: string): SaidFact[] {
  return finish(factsInSteps(message));
}

/** Finds them sentence by sentence; see `factsIn`. */
export function* factsInSteps(message: string): Generator<void, SaidFact[]> {
  if (TAGS.test(message)) return [];
  const paragraphs = message.replace(FENCED, '').replace(QUOTED, '').split(PARAGRAPHS);
  const languages = new Set(paragraphs.filter((paragraph) => !isShort(paragraph)).map(languageOf));
  // One of them is a text to work on.
  if (languages.size > 1) return [];
  const language = languageOf(paragraphs.join('\n'));
  const typed = paragraphs
    .filter((paragraph, index) => index === 0 || (!ANNOUNCES.test(paragraphs[0]!) && isTyped(paragraph)))
    .flatMap((paragraph) => paragraph.split('\n'))
    .filter((line) => !isPastedLine(line) && !line.startsWith('>'))
    .join('\n');
  const facts = new Map<string, SaidFact>();
  for (const { text } of piecesOf(typed)) {
    yield;
    for (const fact of factsInSentence(text, language)) facts.set(fact.text.toLowerCase(), fact);
    if (facts.size >= MAX_FACTS) break;
  }
  return [...facts.values()];
}

/** Long paragraphs and letters are pasted. */
function isTyped(paragraph: string): boolean {
  return paragraph.length <= MAX_TYPED_CHARACTERS && !LETTER.test(paragraph);
}

/** Too short to tell its language. */
function isShort(paragraph: string): boolean {
  return paragraph.trim().length < MIN_TOLD_CHARACTERS;
}

function factsInSentence(sentence: string, language: Language): SaidFact[] {
  const { said } = language;
  const [, asked] = said.explicit.exec(sentence) ?? [];
  if (asked !== undefined && isKeepable(asked, language)) return [{ text: tidied(asked, language), confidence: 0.9 }];
  const whole = withoutLeading(sentence, said);
  const isWhole = said.stated.some((pattern) => pattern.test(whole));
  if (isWhole && isKeepable(whole, language)) return [{ text: tidied(whole, language), confidence: 0.8 }];
  // A request may go on with what it needs to know.
  for (const [index, clause] of sentence.split(said.clauses).entries()) {
    if (clause === '') continue;
    const rest = index === 0 ? clause : sentence.slice(sentence.indexOf(clause));
    for (const text of [rest, clause].map((one) => withoutLeading(one, said))) {
      if (isStated(text, said) && isKeepable(text, language))
        return [{ text: tidied(text, language), confidence: 0.7 }];
    }
  }
  const isRule = isStated(whole, said) && isKeepable(whole, language);
  return isRule ? [{ text: tidied(whole, language), confidence: 0.8 }] : [];
}

function isStated(text: string, { rules, stated }: SaidPatterns): boolean {
  return [...rules, ...stated].some((pattern) => pattern.test(text));
}

function isKeepable(text: string, { said, wordsOf }: Language): boolean {
  const words = wordsOf(text).length;
  if (words <= SHORT_WORDS && said.points.test(text)) return false;
  return (
    words >= MIN_WORDS &&
    words <= MAX_WORDS &&
    text.length <= MAX_CHARACTERS &&
    !said.notKept.test(text) &&
    !said.refers.test(text)
  );
}

function withoutLeading(text: string, { leading }: SaidPatterns): string {
  let rest = text.trim();
  for (let before = ''; before !== rest; ) {
    before = rest;
    rest = rest.replace(leading, '');
  }
  return rest;
}

/** Without what introduces it and what follows from it, unless little is left. */
function tidied(text: string, { said, wordsOf }: Language): string {
  const whole = withoutLeading(text, said);
  const alone = whole.replace(said.follows, '');
  return (wordsOf(alone).length > MIN_WORDS ? alone : whole).replace(/[\s).;,:。；，、]+$/, '');
}
