import { finish } from '../../lib/time-slices.ts';
import { type Language, pattern } from '../languages/language.ts';
import { languageOf } from '../languages/languages.ts';
import { piecesOf } from '../search/excerpt.ts';
import {
  asksForWorkOnText,
  givenTextIn,
  isCondition,
  isReported,
  isShort,
  paragraphsOf,
  QUOTED,
  typedIn,
} from '../suggestions/own-words.ts';
import { factsInSentence, withoutLeading } from '../suggestions/said-facts.ts';
import { isUnspaced } from '../text/terms.ts';
import { withoutAnnouncement } from './corrections.ts';
import { mayCorrect } from './current.ts';

/** A sentence that a person said, which may hold in later sessions. */
export interface Statement {
  text: string;
  /** How much it sounds like something to keep: 0.5 to about 6; 0 of what only corrects something that was said before. */
  weight: number;
  language: Language;
}

const MIN_WORDS = 3;
const MAX_CHARACTERS = 300;
const MIN_WEIGHT = 0.5;

/** What a rule or a preference says. */
const RULE =
  /\b(?:always|never|only|must|mustn['’]?t|do(?:es)?n['’]?t|do not|no longer|not any ?more|instead of|rather than|prefer\w*|hates?|loves?|likes?|allergic|can['’]?t|cannot|won['’]?t|shouldn['’]?t|not allowed|rules?|convention|policy|standard|by default|has to|have to)\b/i;
/** Of the person, or of what they work on with others. */
const OWN = /\b(?:I|I['’](?:m|ve|d|ll)|we|we['’](?:re|ve|d|ll)|us|our|ours|my|mine|me)\b/i;
/** Verbs by which a sentence states something. */
const STATES =
  /\b(?:is|are|was|were|isn['’]?t|aren['’]?t|has|have|had|lives?|runs?|uses?|used|works?|worked|starts?|called|named|means|stands for|belongs?|goes|sits|lies|needs|takes?|costs?|owns?|speaks?|got|moved|switched|changed|bought|born|married|keeps?|comes?|wants?|eats?|plays?|looks? after)\b|\w['’]s\b/i;
/** Names, numbers, paths and code: what is worth remembering is rarely without. */
const NAMES = /\d|`|[a-z,] [A-Z][\p{L}]|[\w-]+\/[\w-]|\w\.[a-z]{1,5}\b|--\w/u;
/** Where a request goes on with what it needs to know. */
const CLAUSE = /[,;:(–—]|\s-+\s|\b(?:because|since|as|so|but|and|remember|note)\b/gi;
/** What holds now and not later. */
const PASSING =
  /\b(?:I['’]?m (?:trying|getting|seeing|looking|stuck)|I (?:get|see|tried|think|guess|wonder|need to|want to)|thanks?|thank you|right now|today|tonight|this (?:morning|afternoon|evening|time)|just now|for now)\b|^(?:yes|no|ok(?:ay)?|sure|perfect|great|nice|good|done|hm+)\b/i;
/** Begins with what the sentence before it names. */
const REFERS = /^(?:it|its|that|this|they|their|there|these|those|she|he|her|his|him|them|both|same)\b/i;
const MAX_SUBJECT_CHARACTERS = 120;
/** Ends a question, in Chinese, Japanese and Arabic too. */
const QUESTION = /[?？؟]$/;
/** Knows the words of every script without spaces, by dictionaries. */
let words: Intl.Segmenter | undefined;
/** Begins an answer to the assistant, in other languages than English too: what follows is about the moment unless it states a fact. */
const ANSWERS = pattern(
  String.raw`^(?:thanks?|thank you|thx|ty|ok(?:ay)?|super|top|perfect|prima|danke(?: (?:dir|euch|schön|sehr|vielmals))?|vielen dank|besten dank|perfekt|klasse|toll|spitze|genial|sehr gut|gut|alles klar|passt|genau|stimmt|ja|nein|merci(?: beaucoup)?|parfait|génial|d['’]accord|très bien|c['’]est bon|oui|non|gracias|muchas gracias|perfecto|estupendo|vale|muy bien|listo|sí|grazie(?: mille)?|perfetto|ottimo|va bene|bene|benissimo|sì|obrigad[oa]|valeu|perfeito|ótimo|beleza|certo|sim|não|bedankt|dank je(?: wel)?|dankjewel|mooi|goed|geweldig|nee|dzięki|dziękuję|świetnie|idealnie|dobrze|jasne|tak|nie|спасибо(?: большое)?|отлично|супер|идеально|хорошо|понятно|да|нет|谢谢(?:你|您|了)?|多谢|好的?|太好了|完美|可以了|对|是的|不是|ありがとう(?:ございます)?|了解(?:です)?|完璧(?:です)?|いいね|はい|いいえ)(?=\s*(?:[,.!;:，。！、；：–—]|$))`,
);
/** Is not certain, or what a text says. */
const GUESSES =
  /(?:^|[,;:] )(?:(?:well|hm+|so|or|but|and),? )?(?:maybe|perhaps|possibly|probably|i (?:guess|suppose|wonder)|what if|according to (?!my|our|me|us))\b/i;
const CONDITIONAL_RULE = /\b(?:always|never|must|do(?:es)?n['’]t|do not|only|have to|has to)\b/i;
const HYPOTHETICAL = /\b(?:would|could|were|had)\b|\p{L}['’]d\b/iu;
/** Of the user by the user, or by those who know better. */
const TOLD_WITH_AUTHORITY =
  /\b(?:I|we) (?:also |always |just )?(?:say|said|wrote|claim)|\b(?:my|our|the) (?:\w+ )?(?:doctor|dentist|physio|therapist|vet|lawyer|accountant|landlord|boss|manager|lead|client|customer|teacher|school|policy) (?:says?|said)\b/i;
/** Stands for a quotation, which counts only for what surrounds it. */
const QUOTATION = '\uE000';
const QUOTATIONS = /\uE000(\d+)\uE000/g;
const HAS_ENGLISH = /\b(?:the|a|an|is|are|to|of|and|in|for|on|we|i|my|it|with|not|you)\b/i;

/**
 * Finds the sentences of a message that state something: rules and preferences, facts of the person and of their work; not
 * requests, questions and pasted text. Of other languages than English every sentence counts that asks nothing.
 */
export function statementsOf(message: string): Statement[] {
  return finish(statementsInSteps(message)).filter(({ weight }) => weight > 0);
}

/** Finds them sentence by sentence, and sentences that may correct what was said before; see `statementsOf`. */
export function* statementsInSteps(message: string): Generator<void, Statement[]> {
  const quotations: string[] = [];
  const marked = message.slice(0, givenTextIn(message)).replace(QUOTED, (quotation) => {
    quotations.push(quotation.replace(/\s+/g, ' '));
    return `${QUOTATION}${quotations.length - 1}${QUOTATION}`;
  });
  const typed = typedIn(paragraphsOf(marked), asksForWorkOnText);
  const ofText = languageOf(typed);
  const statements: Statement[] = [];
  let before = '';
  for (const piece of piecesOf(typed)) {
    const own = piece.text.replace(QUOTATIONS, '');
    const text = piece.text.replace(QUOTATIONS, (_, index: string) => quotations[Number(index)] ?? '');
    const language = languageIn(own, ofText);
    const weight = isOfOthers(own, language) ? 0 : weightOf(own, language);
    const needsSubject = REFERS.test(text) && before !== '' && before.length <= MAX_SUBJECT_CHARACTERS;
    if (weight >= MIN_WEIGHT) statements.push({ text: needsSubject ? `${before} ${text}` : text, weight, language });
    else if (!isOfOthers(own, language) && isCorrection(own, language)) statements.push({ text, weight: 0, language });
    before = text;
    yield;
  }
  return statements;
}

/** Whether a sentence tells what others say, what only might be, or what would be under a condition. */
function isOfOthers(sentence: string, { said }: Language): boolean {
  if (GUESSES.test(sentence)) return true;
  if (isReported(sentence) && !TOLD_WITH_AUTHORITY.test(sentence)) return true;
  // A rule may hold under a condition: "if a test is flaky, we always quarantine it".
  const isRule = [...said.rules, CONDITIONAL_RULE].some((words) => words.test(sentence));
  return isCondition(sentence) && (!isRule || HYPOTHETICAL.test(sentence));
}

/** The language of a sentence: a short one is in that of its text. */
function languageIn(sentence: string, ofText: Language): Language {
  const own = languageOf(sentence);
  return own.code === 'en' && isShort(sentence) ? ofText : own;
}

/** Returns how much a text sounds like something to keep; 0 or less for what does not. */
export function weightOfText(text: string): number {
  return weightOf(text, languageOf(text));
}

/** The same of a sentence of a language. */
function weightOf(sentence: string, language: Language): number {
  if (sentence.length > MAX_CHARACTERS || QUESTION.test(sentence) || countWords(sentence) < MIN_WORDS) return 0;
  const { said } = language;
  if (language.code !== 'en') {
    if (factsInSentence(sentence, language).length > 0) return 2;
    const isOfMoment = said.notKept.test(sentence) || ANSWERS.test(sentence.trim());
    return isOfMoment || said.asks.test(withoutLeading(sentence, said)) ? 0 : 1;
  }
  if (!said.asks.test(sentence))
    return [HAS_ENGLISH, PASSING, ANSWERS].some((words) => words.test(sentence)) ? stated(sentence) : 1;
  // The longest rest of a request after its first part.
  const clause = [...sentence.matchAll(CLAUSE)].find(
    ({ index, 0: mark }) => stated(sentence.slice(index + mark.length)) >= 2,
  );
  return clause === undefined ? 0 : stated(sentence.slice(clause.index + clause[0].length)) - 1;
}

/** Whether a sentence that states nothing by itself may correct what was said before: not requests, questions, and what is of the moment. */
function isCorrection(sentence: string, language: Language): boolean {
  if (sentence.length > MAX_CHARACTERS || QUESTION.test(sentence)) return false;
  const { said } = language;
  const text = withoutAnnouncement(sentence);
  return (
    countWords(sentence) >= MIN_WORDS &&
    ![said.notKept, said.asks].some((words) => words.test(text)) &&
    mayCorrect(sentence, language)
  );
}

function countWords(sentence: string): number {
  if (!isUnspaced(sentence)) return sentence.split(' ').length;
  words ??= new Intl.Segmenter('en', { granularity: 'word' });
  return [...words.segment(sentence)].filter(({ isWordLike }) => isWordLike).length;
}

function stated(text: string): number {
  const has = (pattern: RegExp, weight: number) => (pattern.test(text) ? weight : 0);
  const states = has(RULE, 2) + has(OWN, 1) + has(STATES, 1);
  return states === 0 ? 0 : states + has(NAMES, 1) - has(PASSING, 2);
}
