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

/** The person asks for it, or lays down a rule. */
const EXPLICIT =
  /\b(?:(?:please |pls )?(?:remember|keep in mind|don['’]t forget|note(?: down)?|make a note|for (?:the )?(?:future|record|next time)|fyi|from now on|going forward|as a rule)\b[,:]?\s*(?:that\s+)?)(.+)$/i;
const RULE = /^(?:please |and |but |also |so )*(?:always|never|don['’]?t ever)\s+\w+/i;
/** Holds each time, whoever does it. */
const EACH_TIME =
  /\b(?:is|are|be|i|we|you)\s+(?:always|never)\b|,?\s(?:always|never)\s+(?:use|write|add|put|show|start|keep|give|answer|explain|include)\b/i;
/** Of the person, of what they have, or of what they work on with others. */
const STATED: readonly RegExp[] = [
  /^(?:i|we)\s+(?:really\s+|always\s+|never\s+|usually\s+|only\s+|still\s+|also\s+|both\s+|all\s+)*(?:prefer|like|love|hate|dislike|use|deploy|host|speak|live|work|own|drive|eat|drink|keep|call|teach|sell|open|close|charge|bill|play|study|write|ship|release|store|run|pay|mentor|wear|take|sign|only want)\b/i,
  /^(?:i|we)\s+(?:don['’]?t|do not|can['’]?t|cannot|won['’]?t|never)\s+(?:use|like|eat|drink|want|allow|work|deploy|ship|do|accept|sell|have|speak|drive|stand|take|mock|write|commit|concentrate|read)\b/i,
  /^(?:i|we)(?:['’]ve)?\s+(?:have\s+)?(?:decided|agreed|switched|moved|settled|migrated|standardi[sz]ed|dropped|chose|picked)\b/i,
  /^(?:i['’]?m|i am|we['’]?re|we are)\s+(?:an?\b|allergic|vegan|vegetarian|left-handed|colou?r-?blind|dyslexic|based|on (?:node|python|postgres|debian|windows|mac)|from|married|deaf|not allowed)/i,
  /^(?:i|we)\s+have\s+(?:a|an|two|three|four|five|six|\d+)\b/i,
  /^(?:i['’]?d|we['’]?d) rather\b/i,
  /^(?:my|our)\s+(?:[\p{L}\p{N}'’./-]+\s+){1,5}(?:is|are|was|lives?|works?|runs?|has|have|uses?|starts?|ends?|sits?|lies|opens?|closes?|prefers?|likes?|hates?|needs?|speaks?|goes|stays?|can['’]?t|comes?|wants?|expects?|insists?|pays?|listens?)\b/iu,
];
/** Of the moment, of a wish, or of what only might be. */
const NOT_KEPT =
  /\?|\b(?:if|would|could|might|maybe|perhaps|suppose|imagine|what if|let['’]?s|today|tonight|tomorrow|yesterday|right now|just now|currently|for now|at the moment|this (?:morning|afternoon|evening|time|error|bug|test|one|file|function)|last (?:night|week)|stuck|trying|tried|fails?|failed|failing|crash\w*|broken|error|thanks?|sorry|i (?:think|guess|wonder|see|get|got|mean|hope|feel|need|forgot))\b/i;
/** Of short statements, that they are about something said before. */
const POINTS = /\b(?:it|this|that|them|these|those|here|there)\b/i;
const SHORT_WORDS = 5;
/** Begins with what the sentence before it names. */
const REFERS = /^(?:it|its|that|this|they|their|these|those|she|he|there|which|who)\b/i;
/** Where a request goes on with what it needs to know. */
const CLAUSES =
  /\s*(?:[;:(–—]|,\s+(?:because|since|as|so|and|but|note that|remember that)?|\s-+\s|\bbecause\b|\bsince\b|\bbtw\b,?|\bby the way\b,?)\s*/i;
const LEADING =
  /^(?:btw|by the way|also|and|but|so|oh|well|hey|hi|ok(?:ay)?|because|since|as|fyi|note that|just so you know|for context|to be clear|yes|no|right|actually)[,:]?\s+/i;
/** What others wrote, or a text to work on. */
const QUOTED = /"[^"]{30,}(?:"|$(?![\s\S]))|[“„][^”“]{30,}[”“]|«[^«»]{30,}»/g;
const LETTER = /^\s*(?:dear|hi|hello|hey|hallo|liebe|lieber|good (?:morning|afternoon|evening))\b[^\n]{0,40},?\s*$/im;
/** A longer paragraph after the first is pasted. */
const MAX_TYPED_CHARACTERS = 280;
const TAGS = /<\/?svc-memory/i;

/**
 * Finds what a person states about themselves or their work in a message: what they ask to remember, rules, preferences,
 * decisions and properties. Not requests, questions, guesses, quotations, code and pasted text. The rules know English.
 */
export function factsIn(message: string): SaidFact[] {
  if (TAGS.test(message)) return [];
  const typed = message
    .replace(FENCED, '')
    .replace(QUOTED, '')
    .split(/\n\s*\n/)
    .filter((paragraph, index) => index === 0 || (paragraph.length <= MAX_TYPED_CHARACTERS && !LETTER.test(paragraph)))
    .flatMap((paragraph) => paragraph.split('\n'))
    .filter((line) => !isPastedLine(line) && !line.startsWith('>'))
    .join('\n');
  const facts = new Map<string, SaidFact>();
  for (const { text } of piecesOf(typed)) {
    for (const fact of factsInSentence(text)) facts.set(fact.text.toLowerCase(), fact);
  }
  return [...facts.values()].slice(0, MAX_FACTS);
}

function factsInSentence(sentence: string): SaidFact[] {
  const [, asked] = EXPLICIT.exec(sentence) ?? [];
  if (asked !== undefined && isKeepable(asked)) return [{ text: tidied(asked), confidence: 0.9 }];
  const whole = withoutLeading(sentence);
  if (isStated(whole) && isKeepable(whole)) return [{ text: tidied(whole), confidence: 0.8 }];
  // A request may go on with what it needs to know.
  for (const clause of sentence.split(CLAUSES).slice(1)) {
    const rest = withoutLeading(sentence.slice(sentence.indexOf(clause)));
    if (clause !== '' && isStated(rest) && isKeepable(rest)) return [{ text: tidied(rest), confidence: 0.7 }];
  }
  return [];
}

function isStated(text: string): boolean {
  return RULE.test(text) || EACH_TIME.test(text) || STATED.some((pattern) => pattern.test(text));
}

function isKeepable(text: string): boolean {
  const words = text.trim().split(/\s+/).length;
  if (words <= SHORT_WORDS && POINTS.test(text)) return false;
  return (
    words >= MIN_WORDS &&
    words <= MAX_WORDS &&
    text.length <= MAX_CHARACTERS &&
    !NOT_KEPT.test(text) &&
    !REFERS.test(text)
  );
}

function withoutLeading(text: string): string {
  let rest = text.trim();
  for (let before = ''; before !== rest; ) {
    before = rest;
    rest = rest.replace(LEADING, '');
  }
  return rest;
}

function tidied(text: string): string {
  return withoutLeading(text).replace(/[\s).;,]+$/, '');
}
